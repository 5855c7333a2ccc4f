#include "model/repeatability.hpp"

#include <algorithm>
#include <cmath>

#include "model/spread.hpp"

namespace plumbline {
namespace {

/// A repetition is lost when it is this far below the median, and so many times farther than its fellows scatter.
constexpr double lost_part = 0.05, lost_scatters = 8;

}  // namespace

void judge_repetitions(std::vector<double> repetitions, const Limits& limits, Evidence& evidence) {
  evidence.repetitions = static_cast<std::uint32_t>(repetitions.size());
  const double middle = median_of(repetitions);
  if (repetitions.size() < 3 || !(middle > 0)) return;
  evidence.scatter = scatter_of(repetitions) / middle;
  const double least = middle * (1 - std::max(lost_part, lost_scatters * evidence.scatter));
  evidence.lost = static_cast<std::uint32_t>(std::count_if(repetitions.begin(), repetitions.end(), [&](double x) { return x < least; }));
  // By quartiles: when interrupts hit most repetitions alike, those agree with each other and only the others tell.
  evidence.unsteady = quantile(repetitions, 0.75) - quantile(repetitions, 0.25) > limits.worst * middle;
}

Repeatability repeatability_of(std::span<const Evidence> evidence) {
  Repeatability all;
  std::vector<double> scatters;
  for (const auto& one : evidence) {
    if (!std::isfinite(one.scatter) || one.zero != ZeroTest::no) continue;  // next to nothing always scatters
    scatters.push_back(one.scatter);
    all.repetitions += one.repetitions;
    all.lost += one.lost;
    all.cases_with_losses += one.lost > 0;
  }
  all.cases = scatters.size();
  all.median = quantile(scatters, 0.5);
  all.worst_tenth = quantile(scatters, 0.9);
  return all;
}

}  // namespace plumbline
