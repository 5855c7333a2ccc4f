// A GPU's caches, as the model of flows needs them.
#pragma once
#include <vector>

#include "core/flows.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline {

/// The caches for expected_counts() with one thread: L1 of one multiprocessor (with shared memory, of which it is what a kernel leaves) and
/// L2 as CUDA tells it, both by sectors of 32 bytes.
std::vector<CacheLevel> cache_levels(const GpuProperties& gpu);

}  // namespace plumbline
