#include "model/scoring/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

double half_width(const Calibration& by) { return (by.offset_hi - by.offset_lo) / 2 * by.factor; }

/// The least exact amount, among the sharp cases, that stands beside one offset.
double smallest_beside(const std::vector<Evidence>& evidence, OffsetPer per) {
  double smallest = HUGE_VAL;
  for (const auto& one : evidence)
    if (one.is_sharp()) smallest = std::min(smallest, one.exact_lo / offsets_in(per, one.ranks, one.threads));
  return smallest;
}

/// Whether a count inside of a wide interval still is once the offset is taken away.
bool stays_open(const Evidence& one, const Calibration& by) {
  const auto after = calibrated(one, by);
  return after && after->is_open();
}

}  // namespace

std::optional<Evidence> calibrated(Evidence one, const Calibration& by) {
  const double offset = by.offset * offsets_in(by.per, one.ranks, one.threads);
  one.measured = (one.measured - offset) * by.factor;
  one.low = (one.low - offset) * by.factor;
  one.high = (one.high - offset) * by.factor;
  if (one.zero != ZeroTest::no) {
    one.zero = std::abs(one.measured) <= one.exact_hi + one.zero_bound ? ZeroTest::passed : ZeroTest::failed;
    return one;
  }
  if (!(one.measured > 0)) return std::nullopt;
  if (one.measured < one.exact_lo)
    one.ratio = one.measured / one.exact_lo;
  else
    one.ratio = one.measured > one.exact_hi ? one.measured / one.exact_hi : 1;
  return one;
}

Point point_of(const Evidence& evidence, double parts) {
  return {std::clamp(evidence.measured, evidence.exact_lo, evidence.exact_hi) / parts, evidence.measured / parts};
}

Interval possible_of(std::span<const Evidence> evidence, const Limits& limits) {
  Interval all;
  for (const auto& one : evidence) {
    if (!one.tells() || !std::isfinite(one.ratio)) continue;
    const bool is_tight = one.exact_lo > 0 && one.exact_hi <= (1 + 2 * limits.worst) * one.exact_lo;
    all.lo = std::fmin(all.lo, is_tight ? one.measured / one.exact_hi : one.ratio);
    all.hi = std::fmax(all.hi, is_tight ? one.measured / one.exact_lo : one.ratio);
  }
  return all;
}

Calibration by_factor(double bias, const Interval& possible) {
  return {.factor = 1 / bias, .ratio_lo = possible.lo / bias, .ratio_hi = possible.hi / bias};
}

OffsetCalibration by_offset(const Linearity& line, const std::vector<Evidence>& evidence, const Limits& limits, OffsetPer per) {
  OffsetCalibration result{
      .calibration = {
          .factor = 1 / line.slope, .offset = line.intercept, .offset_lo = line.intercept_lo, .offset_hi = line.intercept_hi, .per = per}};
  if (half_width(result.calibration) > limits.worst * smallest_beside(evidence, per)) {
    result.verdict = OffsetVerdict::too_uncertain;
    return result;
  }
  Summary summary;
  for (const auto& one : evidence) {
    if (one.is_open() && !stays_open(one, result.calibration)) return result;
    if (!one.tells() && one.zero == ZeroTest::no) continue;
    const auto after = calibrated(one, result.calibration);
    if (!after) return result;
    summary.add(*after, limits);
  }
  if (summary.verdict(limits).grade != 'A') return result;
  result.verdict = OffsetVerdict::calibrated;
  result.calibration.ratio_lo = summary.min();
  result.calibration.ratio_hi = summary.max();
  return result;
}

}  // namespace plumbline
