// One rank's program is run under the emulator, and the first rank gathers the counts of all.
#pragma once
#include <string>
#include <vector>

#include "app/programs/profile_table.hpp"
#include "app/programs/profile_ways.hpp"
#include "core/flows.hpp"
#include "profile/tool_run.hpp"

namespace plumbline::app {

/// The things that are fixed before the program starts.
struct EmulatedRun {
  ToolCommand tool;
  std::string caches;                      // in words
  std::vector<CacheLevel> placed_on = {};  // where reuse distances are counted
  std::vector<std::string> notes;
};

/// The judgement on a rank's run and the emulator's logs, and what is to be said at once. An AVX-512 program is the user's to rebuild:
/// exit 2.
struct EmulatedEnding {
  int code = 0;
  std::string fault = {};  // one line; empty: none
  bool refused = false;    // the emulator could not run it to its end: what was counted says nothing
  int interrupted = 0;     // as in ProgramEnding
  double wall_seconds = 0;
  std::vector<std::string> notes = {};
};

/// Throws Error (user) where nothing can be counted here, or not with those caches.
void require_counting(const ProfileOptions& options);
/// Throws Error (user) where the program cannot be counted here.
EmulatedRun prepare_emulated(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting);
EmulatedEnding run_emulated(const EmulatedRun& run, const LaunchMeeting& meeting, int rank);
/// Gathers what all ranks counted, at the first rank or behind the launcher, where `run` is empty.
ProfileResult collect_counts(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting, const EmulatedRun& run);

}  // namespace plumbline::app
