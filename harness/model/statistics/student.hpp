// Student's t distribution is computed for whole degrees of freedom.
#pragma once

namespace plumbline {

/// The probability P(T > t); `freedom` at least 1. Finite series (Abramowitz and Stegun, 26.7.3 and 26.7.4).
double student_upper_tail(double t, int freedom);

/// The t that is exceeded with probability `tail`, 0 < tail < 1.
double student_quantile(double tail, int freedom);

/// The probability P(X > z) of the standard normal distribution.
double normal_upper_tail(double z);

/// The number of degrees of freedom beyond which the normal distribution stands in: they differ by less than 1 % at tails down to 1e-6.
inline constexpr int most_freedom = 1000;

}  // namespace plumbline
