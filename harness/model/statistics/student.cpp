#include "model/statistics/student.hpp"

#include <cmath>
#include <numbers>

namespace plumbline {
namespace {

/// The probability P(|T| <= t) for t >= 0.
double central(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(freedom)), c2 = std::cos(angle) * std::cos(angle);
  const bool odd = freedom % 2 != 0;
  if (odd && freedom == 1) return 2 * angle / std::numbers::pi;
  double term = odd ? std::cos(angle) : 1, sum = term;
  for (int k = odd ? 3 : 2; k < freedom; k += 2) {
    term *= c2 * (k - 1) / k;
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

}  // namespace

double normal_upper_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

double student_upper_tail(double t, int freedom) {
  if (freedom > most_freedom) return normal_upper_tail(t);
  const double two_sided = 1 - central(std::abs(t), freedom);
  return t < 0 ? 1 - two_sided / 2 : two_sided / 2;
}

double student_quantile(double tail, int freedom) {
  if (tail > 0.5) return -student_quantile(1 - tail, freedom);
  double lo = 0, hi = 1;
  while (student_upper_tail(hi, freedom) > tail) hi *= 2;
  for (int step = 0; step < 80; ++step) {
    const double middle = (lo + hi) / 2;
    (student_upper_tail(middle, freedom) > tail ? lo : hi) = middle;
  }
  return (lo + hi) / 2;
}

}  // namespace plumbline
