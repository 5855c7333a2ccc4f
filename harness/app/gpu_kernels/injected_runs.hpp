// A program runs with the library in it that times or counts its GPU kernels.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/gpu_kernels/kernel_profile.hpp"
#include "app/programs/profile_ways.hpp"
#include "profile/program_run.hpp"

namespace plumbline::app {

/// The two runs before either was started.
struct InjectedRuns {
  bool is_timed = false, is_counted = false;
  ProgramRun timed = {}, counted = {};
};

/// Throws Error (user) where the library is not here, or another tool is injected. `notes`: what the profile will not hear of.
void require_injection(std::vector<std::string>& notes);

/// Prepares the runs of this rank's program. Throws Error (user) where there is no such program, no GPU, or no CUPTI.
InjectedRuns prepare_injected(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting);

/// The counters of each chip that an event table is for.
std::map<std::string, std::vector<KernelCounter>> counters_by_chip();

/// Adds what processes left in the folder of the meeting; what cannot be read is a note.
void read_runs(const LaunchMeeting& meeting, KernelRuns& runs, std::vector<std::string>& notes);

}  // namespace plumbline::app
