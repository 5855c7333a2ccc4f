#include "gpu/theoretical_occupancy.hpp"

#include <cmath>

namespace plumbline {
namespace {

int warps_of(const KernelLaunch& launch, const GpuProperties& gpu) {
  const auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  return (threads + gpu.warp_threads - 1) / gpu.warp_threads;
}

}  // namespace

TheoreticalOccupancy theoretical_occupancy(std::span<const KernelLaunch> launches, const GpuProperties& gpu) {
  const double room = static_cast<double>(gpu.threads_per_multiprocessor) / gpu.warp_threads;
  if (!(room > 0)) return {.reason = "how many threads a multiprocessor has room for is not known"};
  TheoreticalOccupancy all;
  bool as_graph = false;
  for (const KernelLaunch& launch : launches) {
    as_graph = as_graph || launch.function.empty();
    if (launch.resident_blocks <= 0) continue;
    const double part = launch.resident_blocks * warps_of(launch, gpu) / room;
    all.least = std::fmin(all.least, part);
    all.most = std::fmax(all.most, part);
  }
  if (!std::isnan(all.least)) return all;
  all.reason = launches.empty() ? "no kernel of plumbline's own is launched: a library's, or a copy"
               : as_graph       ? "its kernels are launched as a graph, which tells nothing of them"
                                : "CUDA did not tell how many blocks a multiprocessor holds";
  return all;
}

}  // namespace plumbline
