#include "model/placement/beyond_last_cache.hpp"

#include <algorithm>
#include <cmath>

#include "core/gpu_device.hpp"

namespace plumbline {
namespace {

constexpr double far_beyond = 2;

/// The size of a level as the sweeps of a team of as many workers on the case's node found it; absent where there are none.
double size_found(const std::string& level, const Measured& measured, std::span<const Ceiling> ceilings) {
  for (const auto& ceiling : ceilings)
    if (ceiling.level == level && ceiling.node == measured.node && ceiling.scope != gpu_scope && std::isfinite(ceiling.size_bytes) &&
        ceiling.ranks * ceiling.threads == measured.of->ranks * measured.of->threads)
      return ceiling.size_bytes;
  return absent;
}

}  // namespace

std::string correct_beyond_last_cache(Traffic& traffic, const Measured& measured, std::span<const Ceiling> ceilings) {
  const auto memory = std::find_if(traffic.levels.begin(), traffic.levels.end(), [](const auto& at) { return at.level == "mem"; });
  if (measured.of->gpus > 0 || memory == traffic.levels.end() || memory == traffic.levels.begin()) return "";
  const LevelTraffic& last = *(memory - 1);
  if (last.status != Status::ok || memory->status != Status::ok || (memory->source != "emulated" && memory->source != "model")) return "";
  const double touched = measured.expected("working_set").lo, size = size_found(last.level, measured, ceilings), least = touched - size;
  Estimate& bytes = memory->bytes;
  if (!(touched > far_beyond * size) || !(bytes.lo < least)) return "";
  bytes.lo = least;
  bytes.hi = std::max({bytes.hi, last.bytes.hi, least});
  if (!(bytes.value >= least)) bytes.value = (bytes.lo + bytes.hi) / 2;
  return last.level;
}

}  // namespace plumbline
