// A steady counter's error is taken away by a factor, or by an offset and a factor.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/counter_set.hpp"
#include "model/scoring/evidence.hpp"
#include "model/statistics/interval.hpp"
#include "model/statistics/linearity.hpp"

namespace plumbline {

/// A calibration makes (counted - offsets) x factor the quantity. An offset is of a sweep, in the counter's unit (operations, bytes), with
/// its 95 % interval; all three are 0 where a factor alone is enough.
struct Calibration {
  double factor = 1;
  double offset = 0, offset_lo = 0, offset_hi = 0;
  OffsetPer per = OffsetPer::team;
  double ratio_lo = absent, ratio_hi = absent;  // calibrated count over the exact value: the least and the most of the scored cases
};

/// Calibrates a counter that is steady by a factor; `possible` is what it may have been off before.
Calibration by_factor(double bias, const Interval& possible);

/// The evidence as the calibrated counter would have given it, zero tests too; nullopt where nothing is left of a count.
std::optional<Evidence> calibrated(Evidence one, const Calibration& by);

/// The point of a case for fits: exact is what the interval has nearest to the count (inside, the count itself); both over so many parts.
Point point_of(const Evidence& evidence, double parts = 1);

/// The least and the most that a counter may have been off. Intervals that are too wide to tell a counter that jumps within them from a
/// right one count by what is outside of them alone.
Interval possible_of(std::span<const Evidence> evidence, const Limits& limits);

/// The verdict on taking an offset away.
enum class OffsetVerdict { not_enough, too_uncertain, calibrated };
struct OffsetCalibration {
  OffsetVerdict verdict = OffsetVerdict::not_enough;
  Calibration calibration = {};
};

/// Takes the line's intercept off, as often as `per` says, and divides by its slope. `not_enough`: what remains would not be trusted.
/// `too_uncertain`: the interval of the intercept leaves the smallest case open by more than a trusted counter may be off.
OffsetCalibration by_offset(const Linearity& line, const std::vector<Evidence>& evidence, const Limits& limits,
                            OffsetPer per = OffsetPer::team);

}  // namespace plumbline
