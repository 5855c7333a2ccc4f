// A count grows with the amount that it should count along a line y = a + s x.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The line through the median of all pairs' slopes (Theil 1950, Sen 1968), and the slope's 95 % interval by Kendall's variance.
struct MedianLine {
  double slope = absent, intercept = absent;  // intercept: median(y) - slope x median(x)
  double slope_lo = absent, slope_hi = absent;
};
MedianLine theil_sen(const std::vector<double>& x, const std::vector<double>& y);

/// A line y = a + s x of one regime (or of all cases), found as y / x = s + a (1 / x): relative errors are alike, absolute ones are not.
struct Linearity {
  std::string regime = {};  // empty: all of them
  std::size_t n = 0;
  double slope = absent;
  double intercept = absent, intercept_lo = absent, intercept_hi = absent;  // operations or bytes a sweep
  double log_log_slope = absent;                                            // 1 where it is proportional
  double residual = absent, worst = absent;  // scatter of y / (a + s x), and its largest distance from 1, as parts
};

/// A case's exact amount and its count.
struct Point {
  double exact = absent, measured = absent;
};

/// Fits a line to all pairs of at most `fit_points` of the points, spread evenly over x. Its numbers are absent for fewer than four, where
/// x is about the same everywhere or only one of two amounts, or where no line rises.
Linearity fit_line(std::vector<Point> points, std::string regime);
inline constexpr std::size_t fit_points = 100;

/// The count beyond which a counter does not go, however much there is to count; absent where there is no such count.
double saturation_of(std::vector<Point> points, double dispersion);

}  // namespace plumbline
