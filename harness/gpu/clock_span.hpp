// The clock of a multiprocessor is measured while a kernel runs, by two counters that one thread reads when it begins and when it ends.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace plumbline {

/// The readings of both counters, all zero where no kernel wrote them.
struct ClockSpan {
  std::uint64_t begin_cycles, end_cycles;            // of the thread's multiprocessor (clock64)
  std::uint64_t begin_nanoseconds, end_nanoseconds;  // of the GPU's timer, which moves in steps of 32 ns to 1 us

  /// The clock in Hz; NaN where nothing was written, or less than 100 us lie between: the timer's steps would be more than 1 % of it.
  double hz() const {
    constexpr std::uint64_t least_nanoseconds = 100'000;
    if (end_nanoseconds < begin_nanoseconds + least_nanoseconds || end_cycles <= begin_cycles)
      return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(end_cycles - begin_cycles) * 1e9 / static_cast<double>(end_nanoseconds - begin_nanoseconds);
  }
};

/// The median of the clocks of several multiprocessors, in Hz; NaN where none was read at both ends.
inline double median_hz(std::span<const ClockSpan> multiprocessors) {
  std::vector<double> clocks;
  for (const ClockSpan& one : multiprocessors)
    if (const double hz = one.begin_nanoseconds == 0 ? std::numeric_limits<double>::quiet_NaN() : one.hz(); std::isfinite(hz))
      clocks.push_back(hz);
  if (clocks.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::ranges::nth_element(clocks, middle);
  return *middle;
}

}  // namespace plumbline
