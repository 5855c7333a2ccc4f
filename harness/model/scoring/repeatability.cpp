#include "model/scoring/repeatability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

/// A repetition is lost when it is this far below the median, so many times farther than its fellows scatter, and by more than the
/// surroundings of a sweep can take away.
constexpr double lost_part = 0.05, lost_scatters = 8;
/// The scatters of all cases beyond which a repetition must be, too: few repetitions may agree by chance and make any other look lost.
constexpr double far_scatters = 5;
/// An interrupt adds counts, but not a quarter of a sweep's, nor many times what surrounds one.
constexpr double gained_part = 0.25, gained_surroundings = 16;

/// The factor by which the scatter of so few normal repetitions is read too small, in half of the cases: medians of 60,000 draws each; for
/// more repetitions n / (n - 1.2), which differs from the draws by less than 1 % up to 20.
double small_sample_factor(std::size_t n) {
  constexpr std::array factors{1.856, 1.480, 1.343, 1.263, 1.208, 1.179, 1.151};
  constexpr std::size_t fewest = 3;
  return n < fewest + factors.size() ? factors[n - fewest] : static_cast<double>(n) / (static_cast<double>(n) - 1.2);
}

/// The standard error of a median over that of one repetition, for normal ones.
double error_of_median(std::size_t n) { return std::sqrt(std::numbers::pi / 2 / static_cast<double>(n)); }

/// Whether it takes part: next to nothing always scatters.
bool can_repeat(const Evidence& one) { return std::isfinite(one.scatter) && one.zero == ZeroTest::no && !one.counted_nothing; }

/// Counts of repetitions, beyond the scatter of all cases.
void count_far(std::span<const Evidence> evidence, Repeatability& all) {
  const double reach = far_scatters * all.median;
  for (const auto& one : evidence) {
    if (!can_repeat(one)) continue;
    const auto lost = std::count_if(one.far.begin(), one.far.end(), [&](double part) { return part < 1 - reach; });
    all.lost += static_cast<std::size_t>(lost);
    all.cases_with_losses += lost > 0;
    all.gained += static_cast<std::size_t>(std::count_if(one.far.begin(), one.far.end(), [&](double part) { return part > 1 + reach; }));
  }
}

}  // namespace

void judge_repetitions(std::vector<double> repetitions, const Limits& limits, double surroundings, Evidence& evidence) {
  evidence.repetitions = static_cast<std::uint32_t>(repetitions.size());
  const double middle = median_of(repetitions);
  if (repetitions.size() < 3 || !(middle > 0)) return;
  evidence.scatter = scatter_of(repetitions) / middle * small_sample_factor(repetitions.size());
  evidence.error = evidence.scatter * error_of_median(repetitions.size());
  const double least = middle - std::max({lost_part * middle, lost_scatters * evidence.scatter * middle, surroundings});
  const double most =
      middle + std::max({gained_part * middle, lost_scatters * evidence.scatter * middle, gained_surroundings * surroundings});
  for (const double x : repetitions)
    if (x < least || x > most) evidence.far.push_back(x / middle);
  // The steadiness is judged by quartiles: when interrupts hit most repetitions alike, those agree with each other and only the others
  // tell.
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
    all.most = std::max(all.most, one.repetitions);
    if (!can_repeat(one)) continue;
    scatters.push_back(one.scatter);
    all.repetitions += one.repetitions;
    if (!one.is_narrow()) continue;
    all.narrow_repetitions += one.repetitions;
    all.off += one.off;
    if (one.off > 0) off_ratios.push_back(one.off_ratio);
  }
  all.cases = scatters.size();
  all.off_ratio = quantile(off_ratios, 0.5);
  all.median = quantile(scatters, 0.5);
  all.worst_tenth = quantile(scatters, 0.9);
  count_far(evidence, all);
  return all;
}

}  // namespace plumbline
