// Whole allocations: strong and weak scaling of a file's applications, from its phases and its ceilings of messages.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/table.hpp"
#include "core/error.hpp"
#include "model/scaling/allocation.hpp"

namespace plumbline::app {

struct ScalingOptions {
  std::string file;
  std::string kernel;  // glob; empty: all
  std::string nodes;   // "1:10000"
  std::vector<Scaling> scalings = {Scaling::strong, Scaling::weak};
  std::optional<double> link_latency_seconds = {}, link_gbs = {};  // between nodes, in the place of what was measured
  std::uint64_t seed = 1;
  std::string record;  // file to extend; empty: none
  Format format = Format::text;
};

/// The numbers of nodes in a range "FROM:TO" or of one number: doubled from the first up to the last, which is one of them. Throws Error
/// (user) where it is no range.
std::vector<std::uint64_t> nodes_in(const std::string& range);

/// Projects, holds against what was measured, and prints. Throws Error (user) where the file has no ceilings of messages, or no application
/// that was timed by phases and whose decomposition is known.
Exit project_scaling(const ScalingOptions& options);

}  // namespace plumbline::app
