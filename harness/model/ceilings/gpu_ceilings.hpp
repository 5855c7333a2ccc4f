// A GPU's ceilings are found from its samples: rates of arithmetic, of its levels of memory and of its link, and what a launch costs. Never
// anything of a CPU's.
#pragma once
#include <span>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/ceiling.hpp"

namespace plumbline {

/// Whether a sample is a GPU's, measured here (not stated by the user).
bool is_gpu_sample(const CeilingRow& row);

/// Fits the ceilings of each GPU of each node (core/gpu_device.hpp) by itself: one a name, of its best sample, with the clock beside it and
/// the limit at that clock. Kernels that copy from or to the host's memory give the level "system". Among samples of level "gemm" it is
/// that of the size with the best median, and where there are several each is one of that level too. Samples of level "sweep" give one a
/// level and pattern: L1 where it is the loads of each multiprocessor's own bytes, L2 and mem as the plateaus of loads past L1 show them;
/// each with status and reason where it was not found.
std::vector<Ceiling> fit_gpu_ceilings(std::span<const CeilingRow> samples);

/// The pattern of sweeps of all loads past L1; the other is each multiprocessor's own through it (working sets are those of all).
inline constexpr const char* gpu_load = "load";
inline constexpr const char* gpu_load_own = "load own";
/// Dependent loads of one thread.
inline constexpr const char* gpu_chase = "chase";
/// The level of the host's memory, which kernels reach over the link.
inline constexpr const char* gpu_system = "system";

/// The level whose ceiling a sample is of: "system" of a link over which a kernel moves data by loads and stores, as others would; what
/// copy engines reach, and links between GPUs, are no level's. Of all others it is the row's own.
CeilingLevel ceiling_level(const CeilingRow& row);

}  // namespace plumbline
