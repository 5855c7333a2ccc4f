// A GPU's counters counted a case under conditions: the time that they say it took, its clock, how full its multiprocessors were.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// The conditions of one sweep as it was counted; each that was not counted has the reason. The profiler may lock the clock, waits before
/// and after the sweep, and counts other groups of events in other runs: none of this is a time to judge the kernel by.
struct CounterConditions {
  Reported seconds = {};           // by the first counter of the event table that sees seconds
  Reported clock_hz = {};          // by the first that sees a rate of cycles; else cycles over seconds
  Reported occupancy = {};         // resident warps over room for warps, while a multiprocessor has any
  double timed_clock_hz = absent;  // when the case was timed

  /// The clock when counted over the clock when timed; absent where one is.
  double clock_ratio() const { return clock_hz.value / timed_clock_hz; }
  /// Whether the clocks differ by more than rules::other_clock.
  bool is_of_another_clock() const;
};

CounterConditions conditions_of(const Measured& measured, std::span<const Counter> counters);

/// Makes a counter of seconds for each pair of one that sees cycles and one of the same backend that sees their rate: cycles over cycles a
/// second (Yang, Wang, Farrell, Kurth, Williams, "Hierarchical Roofline Performance Analysis for Deep Learning Applications", 2020).
std::vector<Counter> times_by_cycles(std::span<const Counter> counters);

/// The bounds that a counter of seconds is held against, one for each case: from the shortest to the longest time of the case as it was
/// measured without a profiler, each by the clocks: what arithmetic bounds takes as much longer as the clock is lower, what memory bounds
/// takes as long as before, all else lies between. They are wider by rules::lone_launch_seconds. Absent bounds where a clock is not known;
/// none where no case has one.
std::vector<Bounds> seconds_allowed(const Measurements& measurements, std::span<const Counter> counters);

/// Says in words what a counter of seconds is held against.
extern const char* const seconds_are_held_against;

}  // namespace plumbline
