#include "app/stages/ceilings_estimate.hpp"

#include <algorithm>

namespace plumbline::app {

int rounds_of(const CeilingsWish& wish) { return wish.rounds.value_or(wish.mode == CeilingsMode::full ? 5 : 4); }

double ceilings_seconds(const std::vector<CeilingCase>& plan, int rounds) {
  constexpr double looks_seconds = 0.0004;    // at clock and sentinel, before and after
  constexpr double first_seconds = 0.008;     // what is small: data, the check of the result, calibration
  constexpr double prepare_seconds = 1.5e-9;  // a byte: pages, values, a first sweep
  constexpr double sweep_seconds = 0.2e-9;    // a byte
  double first = 0, round = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const double threads = plan[i].measured.team.threads, bytes = data_bytes(plan[i]);
    const bool small = bytes <= CeilingSampling::kept_bytes, made_before = i > 0 && is_within(plan[i - 1], plan[i]);
    round += (small ? CeilingSampling::tries + 1 : 1) * (1.2 * CeilingSampling::seconds + looks_seconds) +
             sweep_seconds * bytes * plan[i].share / threads;
    if (small)
      first += first_seconds;
    else if (!made_before)
      round += prepare_seconds * bytes / threads;
  }
  return first + round * rounds;
}

std::uint64_t ceilings_bytes(const std::vector<CeilingCase>& plan) {
  constexpr double huge_page = 2.0 * (1 << 20);  // of which even the smallest data take one
  double kept = 0, largest_alone = 0, largest = 0;
  for (const CeilingCase& one : plan) {
    const Team& team = one.measured.team;
    const double bytes = (std::floor(data_bytes(one) / huge_page) + 1) * huge_page * team.ranks;
    if (data_bytes(one) <= CeilingSampling::kept_bytes)
      kept += bytes;
    else if (team.ranks * team.threads == 1)
      largest_alone = std::max(largest_alone, bytes);
    else
      largest = std::max(largest, bytes);
  }
  return static_cast<std::uint64_t>(kept + largest_alone + largest);
}

}  // namespace plumbline::app
