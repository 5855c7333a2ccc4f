// Which of a case's repetitions were disturbed, by what was recorded beside them.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// What one repetition of a team tells of what went on beside it; absent where nobody knows.
struct RepetitionConditions {
  double cpu_share = absent;      // CPU time over wall time, mean over the team's threads
  double steal_seconds = absent;  // taken by a hypervisor from the team's CPUs, summed over them
  double clock_hz = absent;
  double thread_seconds = absent;  // wall time of the repetition times the team's threads
  double apart = 0;                // the part of it that no rank's own time has: the ranks did not begin together
};

/// Of a team's row in /times; `threads` of all its ranks together.
RepetitionConditions conditions_of(const TimeRow& row, std::int64_t threads);

/// True for each of a case's repetitions on a node whose threads had less than 0.97 of their CPUs, from whose CPUs a hypervisor took 0.03
/// of the time or more, whose ranks were apart for more than 0.03 of it, or whose clock was below 0.95 of the median of them all. One
/// without a CPU share (a GPU's, an older file's) is never disturbed: nothing is known.
std::vector<bool> find_disturbed(std::span<const RepetitionConditions> repetitions);

}  // namespace plumbline
