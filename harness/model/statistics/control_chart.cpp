#include "model/statistics/control_chart.hpp"

#include <cmath>

#include "model/statistics/spread.hpp"

namespace plumbline {

ControlChart control_chart(std::span<const double> nights) {
  ControlChart chart;
  if (nights.empty()) return chart;
  const std::vector<double> all(nights.begin(), nights.end());
  chart.center = chart.lower = chart.upper = median_of(all);
  if (nights.size() < least_for_limits) return chart;
  chart.scatter = scatter_of(all);
  chart.lower -= shewhart_scatters * chart.scatter;
  chart.upper += shewhart_scatters * chart.scatter;
  double kept = 1;  // (1 - weight)^(2 i)
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (nights[i] < chart.lower || nights[i] > chart.upper) chart.outside.push_back(i);
    // A single wild night is the Shewhart limits' to tell, and is not to look like a drift.
    const double distance =
        std::fmax(-shewhart_scatters * chart.scatter, std::fmin(shewhart_scatters * chart.scatter, nights[i] - chart.center));
    chart.ewma = ewma_weight * distance + (1 - ewma_weight) * chart.ewma;
    kept *= (1 - ewma_weight) * (1 - ewma_weight);
  }
  chart.ewma_limit = ewma_scatters * chart.scatter * std::sqrt(ewma_weight / (2 - ewma_weight) * (1 - kept));
  return chart;
}

}  // namespace plumbline
