#include "model/statistics/spread.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {

Spread spread_of(std::span<const double> samples) {
  std::vector<double> sorted;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(sorted), [](double x) { return std::isfinite(x); });
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  Spread spread{.n = n, .min = sorted.front(), .median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, .max = sorted.back()};
  if (n < 2) return spread;
  const double mean = mean_of(sorted);
  if (mean != 0) spread.cv = deviation_of(sorted, mean) / std::abs(mean);
  return spread;
}

double quantile(std::vector<double>& samples, double part) {
  if (samples.empty()) return absent;
  const double place = part * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto lower = samples.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(samples.begin(), lower, samples.end());
  if (below + 1 == samples.size()) return *lower;
  const double next = *std::min_element(lower + 1, samples.end());
  return *lower + (place - static_cast<double>(below)) * (next - *lower);
}

double median_of(std::vector<double> samples) { return quantile(samples, 0.5); }

double upper_quartile(std::vector<double>& samples) {
  if (samples.empty()) return absent;
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(3 * (samples.size() - 1) / 4);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

double mean_of(std::span<const double> samples) {
  if (samples.empty()) return absent;
  double mean = 0;
  for (const double x : samples) mean += x / static_cast<double>(samples.size());
  return mean;
}

double deviation_of(std::span<const double> samples, double middle) {
  if (samples.size() < 2) return absent;
  double squares = 0;
  for (const double x : samples) squares += (x - middle) * (x - middle);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

double scatter_of(const std::vector<double>& samples) {
  const double middle = median_of(samples);
  std::vector<double> distances;
  for (const double x : samples) distances.push_back(std::abs(x - middle));
  return 1.4826 * quantile(distances, 0.5);
}

}  // namespace plumbline
