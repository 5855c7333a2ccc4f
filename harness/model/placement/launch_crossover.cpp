#include "model/placement/launch_crossover.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {

LaunchRoofs launch_roofs(std::span<const Ceiling> ceilings, const std::string& way, const std::string& precision, std::int32_t device) {
  LaunchRoofs roofs;
  for (const Ceiling& one : ceilings) {
    if (one.status != Status::ok || one.scope != gpu_scope || one.device != device) continue;
    if (one.level == CeilingKind::overhead && one.pattern == way) roofs.launch_seconds = one.value;
    if (one.is_compute() && one.precision == precision && one.pattern == "fma") roofs.flops = 1e9 * one.value;
    if (one.level == "mem" && one.pattern == "load") roofs.bytes = 1e9 * one.value;
  }
  return roofs;
}

std::uint64_t launches_of(const ApplicationWork& sweep) {
  std::uint64_t launches = 0;
  for (const Phase& phase : sweep.phases)
    if (phase.messages == 0 && !phase.on_host && phase.to_device_bytes + phase.from_device_bytes == 0) launches += phase.entries;
  return launches;
}

double seconds_of_launches(const ApplicationWork& sweep, const LaunchRoofs& roofs) {
  return static_cast<double>(launches_of(sweep)) * roofs.launch_seconds;
}

double seconds_at_roofs(const ApplicationWork& sweep, const LaunchRoofs& roofs) {
  double seconds = 0;
  for (const Phase& phase : sweep.phases) {
    if (phase.on_host) continue;
    std::uint64_t bytes = 0;
    for (const Stream& stream : phase.work.streams) bytes += stream.footprint_bytes;
    const double of_entry =
        std::max(static_cast<double>(total_flops(phase.work.flops).lo) / roofs.flops, static_cast<double>(bytes) / roofs.bytes);
    seconds += static_cast<double>(phase.entries) * of_entry;
  }
  return seconds;
}

std::optional<std::size_t> launch_crossover(std::span<const ApplicationWork> sweeps, const LaunchRoofs& roofs) {
  if (!std::isfinite(roofs.launch_seconds + roofs.flops + roofs.bytes)) return std::nullopt;
  std::size_t first = sweeps.size();
  while (first != 0 && seconds_at_roofs(sweeps[first - 1], roofs) > seconds_of_launches(sweeps[first - 1], roofs)) --first;
  return first == sweeps.size() ? std::nullopt : std::optional(first);
}

}  // namespace plumbline
