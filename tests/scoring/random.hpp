// Random numbers that are the same under every standard library.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace plumbline::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  /// Draws evenly from [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }
  /// Draws evenly over the logarithm.
  double log_between(double lo, double hi) { return lo * std::exp(uniform() * std::log(hi / lo)); }
  bool with_probability(double p) { return uniform() < p; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace plumbline::test
