#include "core/disturbed.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr double least_cpu_share = 0.97, most_stolen = 0.03, most_apart = 0.03, least_clock = 0.95;

/// The median: a clock that settles below where it began is no disturbance.
double usual_clock(std::span<const RepetitionConditions> repetitions) {
  std::vector<double> clocks;
  for (const auto& one : repetitions)
    if (std::isfinite(one.clock_hz) && one.clock_hz > 0) clocks.push_back(one.clock_hz);
  if (clocks.empty()) return 0;
  const auto at = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), at, clocks.end());
  return *at;
}

}  // namespace

RepetitionConditions conditions_of(const TimeRow& row, std::int64_t threads) {
  const double seconds = row.sweeps > 0 ? row.seconds * static_cast<double>(row.sweeps) : absent;
  return {row.cpu_share, row.steal_seconds, row.clock_hz, seconds * static_cast<double>(threads)};
}

std::vector<bool> find_disturbed(std::span<const RepetitionConditions> repetitions) {
  const double clock = usual_clock(repetitions);
  std::vector<bool> disturbed;
  for (const auto& one : repetitions) {
    const bool known = std::isfinite(one.cpu_share), lost = one.cpu_share < least_cpu_share,
               stolen = one.steal_seconds >= most_stolen * one.thread_seconds && one.steal_seconds > 0,
               slow = one.clock_hz < least_clock * clock;
    disturbed.push_back(known && (lost || stolen || slow || one.apart > most_apart));
  }
  return disturbed;
}

}  // namespace plumbline
