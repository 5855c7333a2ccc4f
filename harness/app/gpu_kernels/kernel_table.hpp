// A program's GPU kernels are printed for people and for programs.
#pragma once
#include <string>
#include <vector>

#include "app/gpu_kernels/kernel_columns.hpp"
#include "app/programs/placed_table.hpp"
#include "app/terminal/table.hpp"

namespace plumbline::app {

/// The kernels as people see them. Of a kernel in a result file the sum over ranks is its part of all, and all is one.
struct ShownKernels {
  ProfileWords words = {};
  KernelProfile profile = {};
  std::vector<KernelRegion> regions = {};
  std::vector<TimedCopies> copies = {};
  std::vector<KernelRank> ranks = {};
};
ShownKernels shown_kernels(const KernelResult& result);

std::string kernels_text(const ShownKernels& shown);
/// The rows of the document plumbline-profile/1, of kind total, kernel, region, copies, rank and process.
Json kernel_rows(const KernelResult& result);
/// The document with these rows. `file`: where it goes; empty: nowhere.
std::string kernels_json(const KernelResult& result, const std::string& file);
/// The JSON Schemas of its kinds of rows.
Json kernel_row_schemas();

}  // namespace plumbline::app
