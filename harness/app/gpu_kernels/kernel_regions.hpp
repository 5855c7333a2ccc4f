// The regions that a program marks on its way to the GPU (NVTX, plumbline.h, cudaProfilerStart) have the kernels that were launched in
// them; copies are kept beside kernels.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/gpu_kernels/kernel_profile.hpp"

namespace plumbline::app {

/// A region with all that was launched in it, in regions inside of it too.
struct KernelRegion {
  std::string name = {};
  std::uint64_t entries = 0;
  int processes = 0;
  Amount seconds = {};  // while it was open, in the process where that was longest; absent where launches were not timed
  bool open = false;    // at the end of a process
  std::uint64_t kernels = 0, launches = 0, of_graphs = 0;
  KernelMeasures measures = {};    // its seconds: those of its kernels on the GPU, of the longest rank
  Amount summed_seconds = {};      // of all ranks
  std::string why_no_counts = {};  // empty: it has them
};

/// The regions, those of most GPU time first.
std::vector<KernelRegion> kernel_regions(const KernelProfile& profile, const KernelRuns& runs);

/// The copies and settings of memory of all processes, by what they do, longest first.
std::vector<TimedCopies> kernel_copies(const std::vector<RankReport>& timed);

}  // namespace plumbline::app
