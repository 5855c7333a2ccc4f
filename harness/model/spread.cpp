#include "model/spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plumbline {

Spread spread_of(std::span<const double> samples) {
  std::vector<double> sorted;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(sorted), [](double x) { return std::isfinite(x); });
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  Spread spread{.n = n, .min = sorted.front(), .median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, .max = sorted.back()};
  if (n < 2) return spread;
  double mean = 0, squares = 0;
  for (const double x : sorted) mean += x / static_cast<double>(n);
  for (const double x : sorted) squares += (x - mean) * (x - mean);
  if (mean != 0) spread.cv = std::sqrt(squares / static_cast<double>(n - 1)) / std::abs(mean);
  return spread;
}

}  // namespace plumbline
