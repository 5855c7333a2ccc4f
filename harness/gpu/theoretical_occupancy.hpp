// A kernel's block, registers and shared memory leave so many warps resident on a multiprocessor at once: its theoretical occupancy.
#pragma once
#include <span>
#include <string>

#include "core/kernel_launch.hpp"
#include "core/records.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline {

/// The warps that may be resident over those that a multiprocessor has room for, of the kernels that a sweep launches: the least and the
/// most of them, alike where there is one. As NVIDIA's profilers have it (Nsight Compute, "Theoretical Occupancy"): whatever the grid, a
/// small one leaves more room empty.
struct TheoreticalOccupancy {
  double least = absent, most = absent;
  std::string reason = {};  // why there is none

  bool is_known() const { return reason.empty(); }
};

/// The occupancy of these launches, by the resident blocks that were written down with them. Those of which nothing is known are left out.
TheoreticalOccupancy theoretical_occupancy(std::span<const KernelLaunch> launches, const GpuProperties& gpu);

}  // namespace plumbline
