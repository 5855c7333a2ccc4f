// The times of marked regions in a native run and their counts in an emulated one come together by their names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "profile/region_times.hpp"
#include "profile/timed_functions.hpp"

namespace plumbline {

/// A region of one run or of both.
struct TimedRegion : TimedCode {
  std::string name = {};
  std::uint64_t entries = 0;
  int ranks = 0, processes = 0, threads = 0;         // that entered it
  bool open = false;                                 // at the end of a process
  double imbalance = 1;                              // the longest thread's CPU time over the mean
  std::string why_no_time = {}, why_no_counts = {};  // empty: it has them
};

/// Joins regions by name, longest first. Where the runs entered a region a different number of times they did not do the same in it: it has
/// its times alone. `why_not_joined`: why nothing of the two runs is joined; empty where it is.
std::vector<TimedRegion> join_regions(const TimedRegions& timed, const std::vector<RegionCountsByName>& counted,
                                      const std::string& why_not_joined);

}  // namespace plumbline
