#include "model/projecting/judged_methods.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double alpha = 0.1;

JudgedMethod judged(Method method, std::span<const ProjectedPair> pairs, std::span<const Forecast> forecasts) {
  JudgedMethod result{.method = method};
  std::vector<double> errors, half_widths, scores;
  double near = 0, held = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double seconds = forecasts[i].seconds[index_of(method)], truth = pairs[i].true_seconds;
    if (!(seconds > 0) || !std::isfinite(seconds) || !(truth > 0)) continue;
    errors.push_back(100 * std::abs(seconds / truth - 1));
    near += errors.back() <= 10 ? 1 : 0;
    const double lo = forecasts[i].lo[index_of(method)], hi = forecasts[i].hi[index_of(method)];
    if (!std::isfinite(lo) || !std::isfinite(hi)) continue;
    half_widths.push_back(100 * (hi - lo) / 2 / seconds);
    held += lo <= truth && truth <= hi ? 1 : 0;
    scores.push_back((hi - lo + 2 / alpha * (std::max(lo - truth, 0.0) + std::max(truth - hi, 0.0))) / truth);
  }
  result.pairs = errors.size();
  if (errors.empty()) return result;
  result.within_10_percent = near / static_cast<double>(errors.size());
  result.median_error_percent = median_of(errors);
  if (scores.empty()) return result;
  result.coverage = held / static_cast<double>(scores.size());
  result.median_half_width_percent = median_of(half_widths);
  result.interval_score = mean_of(scores);
  return result;
}

}  // namespace

std::vector<JudgedMethod> judged_methods(std::span<const ProjectedPair> pairs, std::span<const Forecast> forecasts) {
  std::vector<JudgedMethod> all;
  for (std::size_t i = 0; i < method_count; ++i) all.push_back(judged(static_cast<Method>(i), pairs, forecasts));
  return all;
}

}  // namespace plumbline
