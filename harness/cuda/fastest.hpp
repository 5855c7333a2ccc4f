// The fastest of some ways to do the same is found by timing them.
#pragma once
#include <cmath>
#include <cstddef>
#include <optional>

namespace plumbline {

/// The number of the way, of `count`, that takes the least seconds, the first of equal ones; NaN is a way that cannot be gone. Absent where
/// none can.
template <class Seconds>
std::optional<std::size_t> fastest(std::size_t count, Seconds seconds_of) {
  std::optional<std::size_t> best;
  double least = HUGE_VAL;
  for (std::size_t way = 0; way < count; ++way)
    if (const double seconds = seconds_of(way); seconds < least) {
      least = seconds;
      best = way;
    }
  return best;
}

/// The number of times to do something together so that it can be timed, where once takes so long: for a millisecond, 50 times at most.
inline int times_to_time(double seconds_once) {
  constexpr double enough_seconds = 1e-3;
  constexpr int most = 50;
  if (!(seconds_once > enough_seconds / most)) return most;
  return seconds_once >= enough_seconds ? 1 : static_cast<int>(std::ceil(enough_seconds / seconds_once));
}

}  // namespace plumbline
