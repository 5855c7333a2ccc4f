// A number that counts the arithmetic done with it: the plain witness that a model tells the truth about its loop.
#pragma once
#include <cmath>
#include <compare>
#include <cstdint>

namespace plumbline {

/// The operations that one thread has done on Counted since the last reset.
struct Tally {
  std::uint64_t add = 0, mul = 0, fma = 0, div = 0, sqrt = 0;
  std::uint64_t total() const { return add + mul + 2 * fma + div + sqrt; }
  Tally& operator+=(const Tally& x) {
    add += x.add, mul += x.mul, fma += x.fma, div += x.div, sqrt += x.sqrt;
    return *this;
  }
  bool operator==(const Tally&) const = default;
};

/// Stands in for float or double in a kernel's loop (sums of a count take the loop's own shape; a*b+c counts a product and a sum, and
/// only fma(a, b, c) an fma).
/// Negation, absolute value and comparison are not FLOPs, as in every counter that Plumbline scores.
class Counted {
 public:
  Counted() = default;
  Counted(double value) : value_(value) {}
  friend Counted operator+(Counted x, Counted y) { return ++tally().add, x.value_ + y.value_; }
  friend Counted operator-(Counted x, Counted y) { return ++tally().add, x.value_ - y.value_; }
  friend Counted operator*(Counted x, Counted y) { return ++tally().mul, x.value_ * y.value_; }
  friend Counted operator/(Counted x, Counted y) { return ++tally().div, x.value_ / y.value_; }
  Counted operator-() const { return -value_; }
  Counted& operator+=(Counted x) { return *this = *this + x; }
  Counted& operator-=(Counted x) { return *this = *this - x; }
  Counted& operator*=(Counted x) { return *this = *this * x; }
  Counted& operator/=(Counted x) { return *this = *this / x; }
  friend Counted sqrt(Counted x) { return ++tally().sqrt, std::sqrt(x.value_); }
  friend Counted fma(Counted x, Counted y, Counted z) { return ++tally().fma, std::fma(x.value_, y.value_, z.value_); }
  friend auto operator<=>(Counted x, Counted y) { return x.value_ <=> y.value_; }
  friend bool operator==(Counted x, Counted y) { return x.value_ == y.value_; }
  explicit operator double() const { return value_; }
  explicit operator float() const { return static_cast<float>(value_); }
  explicit operator long double() const { return value_; }

  static Tally& tally() {
    static thread_local Tally counts;
    return counts;
  }

 private:
  double value_ = 0;
};

}  // namespace plumbline
