#include "model/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace plumbline {
namespace {

/// The evidence as the calibrated counter would have given it; nullopt where nothing is left of a count.
std::optional<Evidence> calibrated(Evidence one, const Calibration& by) {
  one.measured = (one.measured - by.offset) * by.factor;
  one.low = (one.low - by.offset) * by.factor;
  one.high = (one.high - by.offset) * by.factor;
  if (!(one.measured > 0)) return std::nullopt;
  if (one.measured < one.exact_lo)
    one.ratio = one.measured / one.exact_lo;
  else
    one.ratio = one.measured > one.exact_hi ? one.measured / one.exact_hi : 1;
  return one;
}

}  // namespace

Calibration by_factor(double bias, const Interval& possible) {
  return {.factor = 1 / bias, .ratio_lo = possible.lo / bias, .ratio_hi = possible.hi / bias};
}

OffsetCalibration by_offset(const Linearity& line, const std::vector<Evidence>& evidence, const Limits& limits) {
  OffsetCalibration result{
      .calibration = {.factor = 1 / line.slope, .offset = line.intercept, .offset_lo = line.intercept_lo, .offset_hi = line.intercept_hi}};
  double smallest = HUGE_VAL;
  for (const auto& one : evidence)
    if (one.is_sharp()) smallest = std::min(smallest, one.exact_lo);
  if ((line.intercept_hi - line.intercept_lo) / 2 * result.calibration.factor > limits.worst * smallest) {
    result.verdict = OffsetVerdict::too_uncertain;
    return result;
  }
  Summary summary;
  for (const auto& one : evidence) {
    if (!one.tells()) continue;
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
