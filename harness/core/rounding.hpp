// A computed result differs from exact arithmetic by roundings; here stand its error and how large that may be.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace plumbline {

/// The largest relative error of one rounding to nearest: 2^-11 for fp16, 2^-24 for float, 2^-53 for double and what stands in for it.
template <class Real>
constexpr double unit_roundoff = sizeof(Real) == 2   ? 0x1p-11
                                 : sizeof(Real) == 4 ? 0x1p-24
                                                     : 0x1p-53;

/// The relative error of a sum whose terms each went through at most `count` roundings (Higham 2002, Lemma 3.1).
template <class Real>
constexpr double rounding_bound(double count) {
  return count * unit_roundoff<Real> / (1 - count * unit_roundoff<Real>);
}

/// The relative error of a sum of positive terms, one after the other, that each went through at most `count` roundings: beyond it lies
/// less than one result in 10^13, where roundings go up as often as down (Higham and Mary 2019, Theorem 2.4 with lambda = 8). That they do
/// hangs on sums that still grow by each term: `count` times the roundoff must stay well below 1.
template <class Real>
double probable_rounding_bound(double count) {
  constexpr double lambda = 8, u = unit_roundoff<Real>;
  return std::exp((lambda * std::sqrt(count) * u + count * u * u) / (1 - u)) - 1;
}

/// The largest relative error among values compared one by one. A NaN is an infinite error.
class LargestError {
 public:
  template <class Real>
  void compare(const Real& computed, long double exact) {
    compare(computed, exact, std::fabs(exact));
  }
  /// Takes in the error of one value relative to `scale`, the sum of its terms' magnitudes where they may cancel.
  template <class Real>
  void compare(const Real& computed, long double exact, long double scale) {
    const long double difference = std::fabs(static_cast<long double>(computed) - exact);
    if (difference == 0) return;
    const auto error = static_cast<double>(difference / scale);
    largest_ = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest_, error);
  }
  double value() const { return largest_; }

 private:
  double largest_ = 0;
};

}  // namespace plumbline
