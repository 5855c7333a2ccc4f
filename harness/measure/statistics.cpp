#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumbline {
namespace {

double middle(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size(), half = n / 2;
  return n % 2 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

}  // namespace

double median(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(samples.begin(), samples.end());
  return middle(samples);
}

double median_halfwidth(std::vector<double> samples) {
  if (samples.size() < 5) return std::numeric_limits<double>::infinity();
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size()), reach = 1.96 * std::sqrt(n) / 2;
  const auto lower = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - reach)));
  const auto upper = static_cast<std::size_t>(std::min(n - 1, std::ceil(n / 2 + reach)));
  return (samples[upper] - samples[lower]) / 2 / middle(samples);
}

}  // namespace plumbline
