#include "model/statistics/mean_interval.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/spread.hpp"
#include "model/statistics/student.hpp"

namespace plumbline {
namespace {

constexpr double missed_on_a_side = 0.016;  // of normal values

/// The third moment about the mean over the cube of the standard deviation.
double skewness_of(std::span<const double> values, double mean) {
  double squares = 0, cubes = 0;
  for (const double x : values) {
    const double square = (x - mean) * (x - mean) / static_cast<double>(values.size());
    squares += square;
    cubes += square * (x - mean);
  }
  return cubes / std::pow(squares, 1.5);
}

/// The distance, in standard deviations, by which the values' mean lies above the population's where Hall's transformed statistic is
/// `quantile`.
double above_by(double quantile, double skewness, double n) {
  if (std::abs(skewness) < 1e-6) return quantile / std::sqrt(n);
  return 3 / skewness * (std::cbrt(1 + skewness * (quantile / std::sqrt(n) - skewness / (6 * n))) - 1);
}

}  // namespace

Interval mean_interval(std::span<const double> values) {
  if (values.size() < 2) return {};
  const double mean = mean_of(values), deviation = deviation_of(values, mean);
  if (deviation == 0) return {mean, mean};
  const auto n = static_cast<double>(values.size());
  const int freedom = static_cast<int>(std::min<std::size_t>(values.size() - 1, most_freedom));
  const double quantile = student_quantile(missed_on_a_side, freedom), skewness = skewness_of(values, mean);
  return {mean - deviation * above_by(quantile, skewness, n), mean - deviation * above_by(-quantile, skewness, n)};
}

}  // namespace plumbline
