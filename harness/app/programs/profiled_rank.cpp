#include "app/programs/profiled_rank.hpp"

#include "app/programs/emulated_counts.hpp"
#include "app/programs/sampled_run.hpp"
#include "core/host_name.hpp"
#include "machine/cpu.hpp"
#include "machine/topology.hpp"
#include "profile/native_run.hpp"
#include "profile/symbols.hpp"

namespace plumbline::app {
namespace {

int run_timed(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  Symbols symbols;
  NativeRank rank{
      .rank = launch.rank, .size = launch.size, .host = host_name(), .cpu = this_cpu().name, .cpus = this_topology().allowed_cpus()};
  rank.run = run_sampled(options, meeting.folder() / (meeting.prefix(launch.rank) + "samples"), symbols);
  const ProgramEnding& ending = rank.run.ending;
  if (ending.code != 0) tell(how_it_ended(ending), options, meeting);
  write_native_rank(meeting.folder() / (meeting.prefix(launch.rank) + "json"), rank);
  meeting.leave({.rank = launch.rank, .host = "", .code = ending.code, .notes = {}});
  return ending.code;
}

int run_counted(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  EmulatedRun run = prepare_emulated(options, launch, meeting);
  run.tool.tool_options.emplace_back("--loops=yes");
  EmulatedEnding ending = run_emulated(run, meeting, launch.rank);
  tell(ending.fault, options, meeting);
  ending.notes.insert(ending.notes.end(), run.notes.begin(), run.notes.end());
  meeting.leave({.rank = launch.rank, .host = "", .code = ending.code, .notes = ending.notes, .caches = run.caches});
  return ending.code;
}

}  // namespace

Launch require_launch() {
  const auto launch = find_launch(process_environment());
  if (!launch)
    throw user_error(
        "this launcher tells its processes no rank (PMI_RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID): its programs cannot be profiled");
  return *launch;
}

Exit profiled_rank(LaunchPass pass, const std::filesystem::path& folder, const ProfileOptions& options) {
  const Launch launch = require_launch();
  const LaunchMeeting meeting(launch, folder, {});
  return leave_faults(launch, meeting, [&] {
    return static_cast<Exit>(pass == LaunchPass::timed ? run_timed(options, launch, meeting) : run_counted(options, launch, meeting));
  });
}

}  // namespace plumbline::app
