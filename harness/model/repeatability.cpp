#include "model/repeatability.hpp"

#include <algorithm>
#include <cmath>

#include "model/spread.hpp"

namespace plumbline {
namespace {

/// A repetition is lost when it is this far below the median, so many times farther than its fellows scatter, and by more than the
/// surroundings of a sweep can take away.
constexpr double lost_part = 0.05, lost_scatters = 8;

}  // namespace

void judge_repetitions(std::vector<double> repetitions, const Limits& limits, double surroundings, Evidence& evidence) {
  evidence.repetitions = static_cast<std::uint32_t>(repetitions.size());
  const double middle = median_of(repetitions);
  if (repetitions.size() < 3 || !(middle > 0)) return;
  evidence.scatter = scatter_of(repetitions) / middle;
  const double least = middle - std::max({lost_part * middle, lost_scatters * evidence.scatter * middle, surroundings});
  evidence.lost = static_cast<std::uint32_t>(std::count_if(repetitions.begin(), repetitions.end(), [&](double x) { return x < least; }));
  // By quartiles: when interrupts hit most repetitions alike, those agree with each other and only the others tell.
  evidence.low = quantile(repetitions, 0.25);
  evidence.high = quantile(repetitions, 0.75);
  evidence.unsteady = evidence.high - evidence.low > limits.worst * middle;
  double sum = 0;
  for (const double x : repetitions)
    if (std::abs(x - middle) > limits.worst * middle) ++evidence.off, sum += x / middle;
  if (evidence.off > 0) evidence.off_ratio = sum / evidence.off;
}

Repeatability repeatability_of(std::span<const Evidence> evidence) {
  Repeatability all;
  std::vector<double> scatters, off_ratios;
  for (const auto& one : evidence) {
    if (!std::isfinite(one.scatter) || one.zero != ZeroTest::no || one.counted_nothing) continue;  // next to nothing always scatters
    scatters.push_back(one.scatter);
    all.repetitions += one.repetitions;
    all.lost += one.lost;
    all.cases_with_losses += one.lost > 0;
    if (!one.is_narrow()) continue;
    all.narrow_repetitions += one.repetitions;
    all.off += one.off;
    if (one.off > 0) off_ratios.push_back(one.off_ratio);
  }
  all.cases = scatters.size();
  all.off_ratio = quantile(off_ratios, 0.5);
  all.median = quantile(scatters, 0.5);
  all.worst_tenth = quantile(scatters, 0.9);
  return all;
}

}  // namespace plumbline
