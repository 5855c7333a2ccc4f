// Counting one case on a GPU with one event group: as on CPUs (measure/counting.hpp), a warm sweep, then the region, and the empty region.
#pragma once
#include "core/case.hpp"
#include "counters/backend.hpp"
#include "gpu/gpu_module.hpp"
#include "measure/counting.hpp"

namespace plumbline {

/// Counts `group` of `backend` over a case whose kernel is for GPUs, in so many repetitions of (empty region, kernel's region). A group of
/// several passes sweeps as often, with the data restored in between, and counts one sweep. Where the backend is refused its counters the
/// status is its own, of the first repetition, and no further one is tried. Never throws.
CountedCase count_on_gpu(const Case& measured, Backend& backend, std::size_t group, int repetitions, Gpu& gpu);

}  // namespace plumbline
