// A program that was timed and counted is shown by function, in its place under the roofs.
#pragma once
#include <string>
#include <vector>

#include "app/programs/profile_table.hpp"
#include "app/programs/program_results.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline::app {

/// The loops' places under the roofs, in the order of loop_results().
struct PlacedLoops {
  Results results = {};  // whose cases the places are of
  std::vector<RooflinePlacement> placements = {};
};

struct PlacedProgram {
  ProfiledProgram program;
  ProfileResult counted;                      // of the emulated run
  std::vector<RooflinePlacement> placements;  // of the whole, then of each function, in their order
  PlacedLoops loops;
  std::vector<std::string> notes;
};

/// Whether the function is of a library that runs threads (OpenMP's), whose time is mostly waiting.
bool waits_for_threads(const TimedFunction& function);

std::string placed_text(const PlacedProgram& placed);
/// The document plumbline-profile/1, as profile_json() makes it, but that the total and the functions have times and places.
std::string placed_json(const PlacedProgram& placed, const std::string& file);
/// The JSON Schemas of its kinds of rows that profile_row_schemas() does not have.
Json placed_row_schemas();

}  // namespace plumbline::app
