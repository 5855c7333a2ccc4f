// The reports of processes are judged, and become what is shown of a program's GPU kernels and kept.
#pragma once
#include <optional>
#include <string>

#include "app/gpu_kernels/kernel_columns.hpp"
#include "app/gpu_kernels/kernel_roofs.hpp"
#include "app/programs/profile_ways.hpp"
#include "app/programs/subtraction.hpp"

namespace plumbline::app {

struct KernelsJudgement {
  int code = 0;
  std::string fault;  // one line; empty: none
};

/// Judges one rank, or all of them, by their own processes. The program's own code stands; one that ended well is told apart from one that
/// was not counted, or where nothing else is wanted (`is_counted`) not timed (2), or not to its end (1).
KernelsJudgement judge_kernels(const ProgramEnding& ending, const KernelRuns& runs, bool is_counted, std::optional<int> rank);

/// The things that are held against a program's kernels.
struct KernelContext {
  KernelRoofs roofs = {};
  std::optional<Subtrahend> minus = {};  // the earlier run that is to be taken away
};
/// Throws Error (user) where a file that is named does not do.
KernelContext find_context(const ProfileOptions& options, const std::string& program);

/// Merges the runs of a launch of so many ranks. `endings`: of the timed launch, or of the only one.
KernelResult collect_kernels(const ProfileOptions& options, int ranks, KernelRuns runs, std::vector<RankEnding> endings);

/// Shows the kernels less what is to be taken away, in their places, and writes a file where one is asked for. It is no Exit::ok where what
/// was to be taken away cannot be, or the tables could not be shown.
Exit show_kernels(const ProfileOptions& options, KernelResult& result, const KernelContext& context);

}  // namespace plumbline::app
