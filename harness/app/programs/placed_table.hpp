// A program that was timed and counted is shown by function, in its place under the roofs.
#pragma once
#include <string>
#include <vector>

#include "app/programs/profile_columns.hpp"
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
  std::vector<RooflinePlacement> placements;  // of the whole, then of each function, then of each region, in their order
  PlacedLoops loops;
  std::vector<std::string> notes;
  std::vector<std::string> count_arguments = {};  // of the counted run, where its work was scaled
  std::string cpu = {};                           // the CPU that it was timed on
  std::string minus = {};                         // the file of the earlier run that was taken away; empty: none
  std::vector<std::string> minus_command = {};    // that it ran
};

/// The words above and below a profile's table.
struct ProfileWords {
  std::vector<std::string> command = {};
  std::string caches = {}, why_not_joined = {};
  double wall_seconds = 0, user_seconds = 0, system_seconds = 0;
  int processes = 1, ranks = 1, nodes = 1;
  std::size_t functions = 10;  // that people see
  std::vector<std::string> notes = {};
  std::string window = {};  // the part of the run that was profiled; empty: all of it
  double window_seconds = 0;
  std::vector<std::string> count_arguments = {};  // of the counted run, where its work was scaled
  double work_scale = 1;
  std::string cpu = {};                         // that it was timed on
  std::string minus = {};                       // the file of the earlier run that was taken away; empty: none
  std::vector<std::string> minus_command = {};  // that it ran
  std::string gpu_time_by = {};                 // activities or counters; empty: a program on CPUs
  std::vector<std::string> gpus = {};           // in words
  std::uint64_t most_launches = 0;              // of each kernel in each phase that were counted; 0: all
};
ProfileWords words_of(const PlacedProgram& placed);
/// The line of a head that says what was taken away: "  minus an earlier run: COMMAND (FILE)"; empty where nothing was.
std::string minus_in_words(const ProfileWords& words);

/// A profile as people see it. The rows borrow their places.
struct ShownProfile {
  ProfileWords words = {};
  PlacedRow whole = {};
  std::vector<PlacedRow> functions = {};  // by time
  std::vector<PlacedRow> loops = {};      // in the order of functions
  std::vector<PlacedRow> regions = {};    // by time
  std::vector<RankTimes> ranks = {};      // of a launch, by rank
};
std::string shown_text(const ShownProfile& profile);

std::string placed_text(const PlacedProgram& placed);
/// The rows of the document plumbline-profile/1, as profile_json() makes them, but that the total and the functions have times and places.
Json placed_rows(const PlacedProgram& placed);
std::string placed_json(const PlacedProgram& placed, const std::string& file);
/// The JSON Schemas of its kinds of rows that profile_row_schemas() does not have.
Json placed_row_schemas();

}  // namespace plumbline::app
