// Nights of one level are put on a control chart, which shows those outside its limits, and whether the level creeps away.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

/// A control chart of one level, over logarithms.
struct ControlChart {
  double center = 0;                      // median
  double scatter = 0;                     // of one night: 1.4826 x the median distance from the median
  double lower = 0, upper = 0;            // Shewhart's limits: center -+ 3 scatters
  double ewma = 0, ewma_limit = 0;        // Roberts' moving average of the last night, as a distance from the center, and its limit
  std::vector<std::size_t> outside = {};  // nights beyond Shewhart's limits
  bool creeps() const { return ewma_limit > 0 && (ewma > ewma_limit || -ewma > ewma_limit); }
};

inline constexpr double shewhart_scatters = 3;
inline constexpr double ewma_weight = 0.2, ewma_scatters = 2.962;  // one false alarm in 500 nights (Lucas and Saccucci 1990, table 3)

/// Makes the chart of nights' logarithms. Fewer than `least_for_limits` nights have a center only.
ControlChart control_chart(std::span<const double> nights);
inline constexpr std::size_t least_for_limits = 5;

}  // namespace plumbline
