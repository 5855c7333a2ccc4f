// The rows of a program's GPU kernels have these columns, for people and for programs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/gpu_kernels/kernel_profile.hpp"
#include "app/gpu_kernels/kernel_ranks.hpp"
#include "app/gpu_kernels/kernel_regions.hpp"
#include "app/terminal/columns.hpp"
#include "profile/launch_meeting.hpp"

namespace plumbline::app {

/// The things that are shown of a program's kernels.
struct KernelResult {
  std::string name = {};  // of the program
  std::vector<std::string> command = {};
  KernelRuns runs = {};
  KernelProfile profile = {};
  std::vector<KernelRegion> regions = {};
  std::vector<TimedCopies> copies = {};
  std::vector<KernelRank> ranks = {};           // of a launch
  double timed_seconds = absent;                // from start to end of the timed run; absent where there was none
  std::vector<RankEnding> endings = {};         // by rank
  int launched = 1;                             // ranks
  std::size_t kernels = 10;                     // most of them in the table
  std::string minus = {};                       // the file of the earlier run that was taken away; empty: none
  std::vector<std::string> minus_command = {};  // that it ran
  std::uint64_t most_launches = 16;             // of each kernel in each phase that were to be counted; 0: all
  std::vector<std::string> notes = {};
};

/// Says how many there are: "1 kernel", "3 kernels".
std::string number_of(std::uint64_t n, const std::string& thing, const std::string& things);

/// Kernels that have something in common: their number, their launches, their time.
struct KernelSums {
  std::size_t kernels = 0;
  std::uint64_t launches = 0;
  Amount seconds = {};  // of all ranks
};
KernelSums all_kernels(const KernelProfile& profile);
/// Sums the kernels that were counted and do no floating-point operation.
KernelSums kernels_without_flops(const KernelProfile& profile);
/// Sums the kernels that have no counts.
KernelSums kernels_without_counts(const KernelProfile& profile);

/// The columns of kernels. `all_seconds`: of all kernels; `is_placed`: there are roofs, so that people see what they say;
/// `of_ranks`: there are several ranks.
Columns<KernelRow> kernel_columns(Amount all_seconds, bool is_placed, bool of_ranks = false);
Columns<KernelRegion> kernel_region_columns(Amount all_seconds);
Columns<TimedCopies> kernel_copies_columns();
Columns<KernelResult> kernel_total_columns();
Columns<KernelRank> kernel_rank_columns();
/// The columns of a process: of the run that counted, or of the one that timed.
Columns<RankReport> kernel_process_columns();

}  // namespace plumbline::app
