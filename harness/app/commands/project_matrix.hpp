// The error matrix: every case projected from each kind of node and team to each other, and held against its measurement.
#pragma once
#include <string>
#include <vector>

#include "app/terminal/table.hpp"
#include "core/error.hpp"
#include "model/projecting/forecast.hpp"

namespace plumbline::app {

struct MatrixOptions {
  std::vector<std::string> files;
  std::string kernel;  // glob; empty: all
  HeldOut left_out = HeldOut::kernel;
  std::string record;  // file to extend; empty: none
  double limit_seconds = 60;
  Format format = Format::text;
};

/// Projects, judges and prints. Throws Error (user) where no case was measured on two kinds, or where it takes longer than its limit.
Exit project_matrix(const MatrixOptions& options);

}  // namespace plumbline::app
