// A result file with its cases placed under its own ceilings, for commands that go on from there.
#pragma once
#include <string>
#include <vector>

#include "app/results/result_file.hpp"
#include "model/cases/measured.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline::app {

/// The parts refer to each other, so that it stays where it was made.
struct PlacedFile {
  Results results;
  std::vector<NodeFacts> nodes;
  std::vector<Ceiling> ceilings;  // held to what the nodes can do
  Measurements measurements;
  std::vector<RooflinePlacement> placements;

  /// Reads a file, or of it the cases of the kernels that match a glob; what is not whole, or was not executed as counted, is added to `notes`. Throws Error (user) where
  /// nothing matches.
  PlacedFile(const std::string& file, const std::string& kernel, std::vector<std::string>& notes);
  PlacedFile(const PlacedFile&) = delete;
  PlacedFile& operator=(const PlacedFile&) = delete;
};

}  // namespace plumbline::app
