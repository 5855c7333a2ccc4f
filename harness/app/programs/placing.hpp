// The native run and the emulated run of a program are joined, held against roofs, shown and kept.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/programs/kept_roofs.hpp"
#include "app/programs/placed_table.hpp"
#include "app/programs/profile_ways.hpp"
#include "app/programs/subtraction.hpp"
#include "profile/native_run.hpp"
#include "profile/symbols.hpp"

namespace plumbline::app {

/// A program that was run twice.
struct ProgramRuns {
  std::string name;                 // of the program: "heat3d"
  NativeRun native = {};            // of all ranks together
  ProfileResult counted = {};       // and the ranks that were timed
  std::string why_not_joined = {};  // empty: both did the same
  double counted_seconds = absent;  // from start to end of the counted run; absent where there was none
  bool is_whole = true;             // no rank is missing
  Roofs roofs = {};
  std::optional<Subtrahend> minus = {};  // the earlier run that is to be taken away
  std::vector<std::string> notes = {};   // that come first
};

/// The exit code: the program's own, or that runs did not do the same, or that tables could not be shown.
Exit place_and_show(const ProfileOptions& options, ProgramRuns runs, Symbols& symbols);

}  // namespace plumbline::app
