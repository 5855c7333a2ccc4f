// One case is counted on a GPU with one event group as on CPUs (measure/counting.hpp): a warm sweep, then the region, and the empty region.
#pragma once
#include <memory>

#include "core/case.hpp"
#include "counters/backend/backend.hpp"
#include "gpu/gpu_module.hpp"
#include "measure/counting.hpp"
#include "measure/gpu_timing.hpp"

namespace plumbline {

/// Counts a case whose kernel is for GPUs with group after group: its data are allocated and filled once, with the first of them, which
/// takes longer than to count them all.
class CountingOnGpu {
 public:
  /// The case and the GPU must outlive this object.
  CountingOnGpu(const Case& measured, Gpu& gpu) : case_(measured), gpu_(gpu) {}

  /// Counts `group` of `backend` in so many repetitions of (empty region, kernel's region). A group of several passes sweeps as often, with
  /// the data restored in between, and counts one sweep. Where the backend is refused its counters the status is its own, from the first
  /// repetition, and no further one is tried. Never throws.
  CountedCase count(Backend& backend, std::size_t group, int repetitions);

 private:
  const Case& case_;
  Gpu& gpu_;
  std::unique_ptr<PreparedOnGpu> prepared_;
  Timed refused_;  // why it cannot be prepared, once that was found
};

/// Counts one group alone.
CountedCase count_on_gpu(const Case& measured, Backend& backend, std::size_t group, int repetitions, Gpu& gpu);

}  // namespace plumbline
