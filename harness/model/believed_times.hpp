// Which repetitions of a case its time is taken from.
#pragma once
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// For each row of /times: whether it was disturbed (core/disturbed.hpp), as a team's row, and whether the median of its case counts it.
/// Where a case has repetitions on a node that were not disturbed, those alone are believed; else all are. Rows of single ranks are
/// neither.
struct BelievedTimes {
  std::vector<bool> disturbed = {}, believed = {};
};

BelievedTimes believed_times(const Results& results);

}  // namespace plumbline
