// A case's disturbed repetitions are found here by the conditions that were recorded with their times.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The conditions under which a team ran one repetition; absent (NaN) where they are not known.
struct RepetitionConditions {
  double cpu_share = absent;      // CPU time over wall time, mean over the team's threads
  double steal_seconds = absent;  // taken by a hypervisor from the team's CPUs, summed over them
  double clock_hz = absent;
  double thread_seconds = absent;  // wall time of the repetition times the team's threads
  double apart = 0;                // the part of it that no rank's own time has: the ranks did not begin together
};

/// The conditions in a team's row of /times; `threads` counts the threads of all its ranks.
RepetitionConditions conditions_of(const TimeRow& row, std::int64_t threads);

/// Finds a case's disturbed repetitions on a node, one flag for each: its threads had less than 0.97 of their CPUs, a hypervisor took 0.03
/// of the time or more from these CPUs, its ranks were apart for more than 0.03 of the time, or its clock was below 0.95 of the median of
/// all. A repetition without a CPU share (on a GPU, or in an older file) is never disturbed, for nothing is known of it.
std::vector<bool> find_disturbed(std::span<const RepetitionConditions> repetitions);

}  // namespace plumbline
