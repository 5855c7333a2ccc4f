// Each rank of a launch has its part of the kernels, on GPUs that are named.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/gpu_kernels/kernel_profile.hpp"
#include "profile/launch_meeting.hpp"

namespace plumbline::app {

struct KernelRank {
  int rank = 0;
  std::string host = {};
  std::string device = {};  // the GPUs in words: "0: NVIDIA H200 (GPU-1f0c...)"
  std::optional<int> exit = {};
  Amount wall_seconds = {};  // of its timed run from start to end
  Amount seconds = {};       // of its kernels on the GPU
  std::uint64_t launches = 0, counted = 0;
  Amount flops = {};  // of the kernels that have counts; absent where none has
};

/// The ranks of a launch with what they did, by rank; none where there is one rank alone. `endings`: of the timed launch, or of the only
/// one.
std::vector<KernelRank> kernel_ranks(const KernelProfile& profile, const KernelRuns& runs, const std::vector<RankEnding>& endings);

/// The GPUs that several ranks used, in words; empty where each had its own.
std::string shared_gpus(const KernelRuns& runs);

}  // namespace plumbline::app
