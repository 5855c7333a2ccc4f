// A case's time is taken from those repetitions that are believed.
#pragma once
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// Says for each row of /times whether it was disturbed (core/disturbed.hpp), as a team's row, and whether the median of its case counts
/// it. Where a case has repetitions on a node that were not disturbed, those alone are believed; else all are. Rows of single ranks are
/// neither. `left`: the part of a team's time that its slowest rank had of its CPU, which is what the same work takes where nothing else
/// runs; of ranks with several threads that of a thread in the mean. 1 where nobody knows.
struct BelievedTimes {
  std::vector<bool> disturbed = {}, believed = {};
  std::vector<double> left = {};
};

BelievedTimes believed_times(const Results& results);

}  // namespace plumbline
