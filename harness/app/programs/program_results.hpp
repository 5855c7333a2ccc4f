// A profiled program becomes an ordinary result: a case for the whole and one for each function, with times, counts and the roofs.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"
#include "profile/program_run.hpp"
#include "profile/timed_functions.hpp"
#include "profile/timed_regions.hpp"

namespace plumbline::app {

/// A program that ran natively and under the emulator.
struct ProfiledProgram {
  std::string name;          // "heat3d"
  int ranks = 1, nodes = 1;  // that ran it at once
  double clock_hz = absent;  // of the core, right after the native run
  ProgramEnding ending;      // of the native run
  TimedProfile profile = {};
  std::string why_not_joined = {};        // why there are times alone; empty: counts are of the same work
  EventSums total = {};                   // of all its functions
  std::vector<TimedRegion> regions = {};  // that it marks
  std::string window = {};                // the part of the run that is profiled; empty: all of it
  double window_seconds = 0;
  std::string minus = {};  // the earlier run whose amounts were taken away, in a word; empty: none
  double work_scale = 1;   // by which the counts of a smaller input were multiplied

  /// The time and the CPU time in user mode of what is profiled.
  double seconds() const { return window.empty() ? ending.wall_seconds : window_seconds; }
  double cpu_seconds() const { return window.empty() ? ending.user_seconds : profile.whole.cpu_seconds; }
};

/// Says why a function, or the whole, has times and no counts.
std::string why_no_counts(const ProfiledProgram& program);

/// Whether a function or a loop is worth a row: a sample met it, or it has a thousandth of the program's FLOPs or of its bytes at L1.
bool is_worth_a_row(const TimedCode& code, const EventSums& total);

/// Makes the results: first the whole's case, program/NAME/PRECISION/part=whole/r1tT/native, whose time is that from start to end; then the
/// functions in their order, program/NAME/PRECISION/part=FUNCTION/in=FILE/r1tT/native, T the cores of a node that did it at once, of
/// whatever ranks; then the marked regions, program/NAME/PRECISION/region=REGION/r1tT/native. Where counts were
/// scaled, each case has work=xFACTOR besides, and of a difference minus=RUN. A function that was never met has no time,
/// one that the counted run did not execute no counts, each with its reason. Of several nodes the counts are those of one, the mean.
/// Ceilings and machines are those of `roofs`, and the node is the one that has them.
Results program_results(const ProfiledProgram& program, Results roofs);

/// Makes results of the loops alone, of each function in their order, so that they can be placed: their cases are those of the functions,
/// and loop=LINE tells them apart.
Results loop_results(const ProfiledProgram& program, Results roofs);

}  // namespace plumbline::app
