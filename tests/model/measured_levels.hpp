// The curves of machines that never were, as a sweep among disturbances would measure them, and whether levels that were found are theirs.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "machines.hpp"
#include "model/ceilings/levels.hpp"

namespace plumbline::test {

inline const Disturbance quiet{.jitter = 0.02};
inline const Disturbance bursts{.jitter = 0.03, .bursts = 2, .burst_points = 5, .burst_factor = 2.5};
inline const Disturbance heavy{.jitter = 0.1, .bursts = 4, .burst_points = 8, .burst_factor = 3};

struct Curves {
  std::vector<CurvePoint> load, chase;
};

inline Curves measured(const Machine& machine, Sweep sweep, const Disturbance& disturbance, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  sweep.largest = std::max(sweep.largest, 4 * machine.caches.back().bytes);
  Curves curves;
  curves.load = load_curve(machine, sweep, disturbance, random);
  curves.chase = chase_curve(machine, sweep, disturbance, random);
  return curves;
}

inline std::string named(const FoundLevels& found) {
  std::string text = found.reason;
  for (const auto& level : found.levels)
    text += level.name + " " + std::to_string(level.size_bytes / KiB) + " KiB (" + std::to_string(level.confidence) + ") ";
  return text;
}

inline bool has_levels_of(const FoundLevels& found, const Machine& machine) { return found.levels.size() == machine.caches.size() + 1; }

inline bool has_sizes_of(const FoundLevels& found, const Machine& machine, double within = 0.25) {
  if (!has_levels_of(found, machine)) return false;
  for (std::size_t i = 0; i < machine.caches.size(); ++i)
    if (std::abs(found.levels[i].size_bytes / machine.caches[i].bytes - 1) > within) return false;
  return true;
}

}  // namespace plumbline::test
