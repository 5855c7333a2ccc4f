// What takes a steady counter's error away: a factor, or an offset and a factor.
#pragma once
#include <vector>

#include "model/bootstrap.hpp"
#include "model/evidence.hpp"
#include "model/linearity.hpp"

namespace plumbline {

/// (counted - offset) x factor is the quantity. The offset is of a sweep, in the counter's unit (operations, bytes), with its 95 %
/// interval; all three are 0 where a factor alone is enough.
struct Calibration {
  double factor = 1;
  double offset = 0, offset_lo = 0, offset_hi = 0;
  double ratio_lo = absent, ratio_hi = absent;  // calibrated count over the exact value: the least and the most of the scored cases
};

/// For a counter that is steady by a factor; `possible` is what it may have been off before.
Calibration by_factor(double bias, const Interval& possible);

enum class OffsetVerdict { calibrated, too_uncertain, not_enough };
struct OffsetCalibration {
  OffsetVerdict verdict = OffsetVerdict::not_enough;
  Calibration calibration = {};
};

/// Takes the line's intercept off and divides by its slope. `not_enough`: what remains would not be trusted. `too_uncertain`: the
/// interval of the intercept leaves the smallest case open by more than a trusted counter may be off.
OffsetCalibration by_offset(const Linearity& line, const std::vector<Evidence>& evidence, const Limits& limits);

}  // namespace plumbline
