// The reports of processes are judged, and become what is shown of a program's GPU kernels and kept.
#pragma once
#include <optional>
#include <string>

#include "app/gpu_kernels/kernel_columns.hpp"
#include "app/gpu_kernels/kernel_roofs.hpp"
#include "app/programs/profile_ways.hpp"

namespace plumbline::app {

struct KernelsJudgement {
  int code = 0;
  std::string fault;  // one line; empty: none
};

/// Judges one rank, or all of them, by their own processes. The program's own code stands; one that ended well is told apart from one that
/// was not counted, or where nothing else is wanted (`is_counted`) not timed (2), or not to its end (1).
KernelsJudgement judge_kernels(const ProgramEnding& ending, const KernelRuns& runs, bool is_counted, std::optional<int> rank);

/// Merges the runs of a launch of so many ranks. `endings`: of the timed launch, or of the only one.
KernelResult collect_kernels(const ProfileOptions& options, int ranks, KernelRuns runs, std::vector<RankEnding> endings,
                             const KernelRoofs& roofs);

/// Shows the kernels, and writes a file where one is asked for. False: the tables could not be shown.
bool show_kernels(const ProfileOptions& options, KernelResult& result, const KernelRoofs& roofs);

}  // namespace plumbline::app
