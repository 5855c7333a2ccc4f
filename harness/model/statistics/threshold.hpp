// A change must be so large to matter, by class of row; and only so small a one can be seen.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// The practical threshold of a class, as a part (0.03: 3 %): arithmetic and the first cache are the same every day, shared levels and
/// messages are not.
double practical_threshold(std::string_view row_class);

/// The part by which the slowdown lies off 1, as "a change of 3.5 % or more": 0.25 for both 1.25 and 1/1.25.
double part_of(double ratio);

/// The verdict on a change.
enum class Verdict { same, faster, slower, ambiguous };
std::string_view to_string(Verdict verdict);

/// A slowdown with its interval.
struct Judged {
  double slowdown = 1, lo = 1, hi = 1;  // times as long as before, with its interval
};

/// Judges a change: SLOWER (FASTER) where the whole interval lies beyond the threshold, SAME where all of it lies within, else AMBIGUOUS.
Verdict verdict_of(const Judged& judged, double threshold);

/// The part of a change that is named in about 8 of 10 runs, when the interval's half width is `half_width` (of the logarithm, at the
/// normal quantile `quantile`): the interval must clear the threshold, and does so as often as the estimate is not 0.84 standard errors
/// low.
double smallest_detectable(double threshold, double half_width, double quantile = 1.96);

}  // namespace plumbline
