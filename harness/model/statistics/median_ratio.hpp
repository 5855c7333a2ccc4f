// Two sets of samples are compared by the ratio of their medians, and by how sure that is.
#pragma once
#include <cstdint>
#include <vector>

#include "model/statistics/interval.hpp"

namespace plumbline {

/// Positive samples, by the session (the launch, or the node) that took them: samples of one session are not independent of each other.
using Sessions = std::vector<std::vector<double>>;

/// A ratio with its interval.
struct MedianRatio {
  double ratio = absent;              // after over before
  Interval interval = {};             // absent where one side has a single sample, or none
  std::size_t before = 0, after = 0;  // samples
};

/// The ratio of medians over all samples, with a two-sided interval of `confidence`. With at least `enough_to_resample` samples (and, where
/// both sides have several sessions, that many sessions) it is a percentile bootstrap: sessions are drawn again, and samples within each.
/// With fewer, which a bootstrap of medians takes for surer than they are, it is Welch's interval of the logarithms: the greater of median
/// absolute deviation (as a standard deviation) and standard deviation, pi/2 of the mean's variance for a median, Student's t.
MedianRatio ratio_of_medians(const Sessions& before, const Sessions& after, double confidence, std::uint64_t seed,
                             std::size_t resamples = 1000);

/// The median of ratios that were measured in pairs, one pair after the other, with Welch's interval for one side: what both of a pair
/// share is gone from it. `tail` is the probability on each side. What disturbs one turn often lasts into the next: the interval is that of
/// as many independent turns as the correlation of neighbours leaves, estimated from above.
MedianRatio median_of_ratios(const std::vector<double>& ratios, double tail);

inline constexpr std::size_t enough_to_resample = 8;

}  // namespace plumbline
