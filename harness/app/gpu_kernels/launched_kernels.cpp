// The command plumbline profile --gpu -- mpiexec -n 4 program launches the program twice, with plumbline before it on each rank: the
// library that times or counts is in each rank by itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/gpu_kernels/collected_kernels.hpp"
#include "app/gpu_kernels/injected_runs.hpp"
#include "app/gpu_kernels/profile_kernels.hpp"
#include "app/programs/launcher_command.hpp"
#include "app/programs/two_runs.hpp"
#include "app/terminal/output_file.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// A launch, as it ended.
struct Launched {
  ProgramEnding ending = {};
  int ranks = 0;
  std::vector<RankEnding> endings = {};
};

/// Gathers what the ranks of a launch left; nothing where none did.
Launched gather(const ProfileOptions& options, LaunchMeeting& meeting, const ProgramEnding& ending, KernelRuns& runs,
                std::vector<std::string>& notes) {
  Launched launched{.ending = ending, .ranks = meeting.told_ranks()};
  if (launched.ranks == 0) return launched;
  meeting.expect_ranks(launched.ranks);
  launched.endings = gather_endings(meeting, options);
  add_rank_notes(meeting, launched.endings, {.size = launched.ranks, .by = {}}, options, notes);
  read_runs(meeting, runs, notes);
  return launched;
}

/// Throws Error where there is nothing to show: no rank left anything, or the ranks ended badly before any called CUDA's driver.
void require_something(const ProfileOptions& options, const Launched& launched, const KernelRuns& runs) {
  const int code = launched.ending.code;
  const bool called_driver = !runs.timed.empty() || !runs.counted.empty();
  if (launched.ranks > 0 && (called_driver || code == 0)) return;
  throw Error(code == 0 ? Exit::user_error : static_cast<Exit>(code),
              fmt::format("'{}' ended with exit {}, and {}: nothing was profiled", fmt::join(options.command, " "), code,
                          launched.ranks > 0 ? "no process called CUDA's driver" : "none of its ranks left anything"));
}

/// The launch whose output goes nowhere where the other one was heard.
ProgramEnding launch_counted(const ProfileOptions& options, const LaunchMeeting& meeting, const RepeatedInput& input, bool is_heard,
                             std::vector<std::string>& notes) {
  ProgramRun run = launcher_command(options, "counted", meeting.folder()).run;
  if (!is_heard) {
    input.give_again(run.streams, notes);
    run.streams.output = "/dev/null", run.streams.errors = (meeting.folder() / "counted.errors").string();
  }
  return run_program(run);
}

/// Notes what the launches did not do alike.
void note_differences(const Launched& timed, const Launched& counted, std::vector<std::string>& notes) {
  if (counted.ranks == 0)
    notes.push_back(fmt::format("the counted launch ended with exit {}, and none of its ranks left anything", counted.ending.code));
  else if (timed.ranks != counted.ranks)
    notes.push_back(fmt::format("{} ranks were timed and {} counted: they did not do the same", timed.ranks, counted.ranks));
  if (timed.ending.code != counted.ending.code)
    notes.push_back(fmt::format("the timed launch ended with exit {}, the counted one with exit {}: they did not do the same",
                                timed.ending.code, counted.ending.code));
}

double longest(const std::vector<RankEnding>& endings) {
  double seconds = 0;
  for (const auto& ending : endings) seconds = std::max(seconds, ending.wall_seconds);
  return seconds;
}

}  // namespace

Exit profile_launched_kernels(const ProfileOptions& options, const LaunchMeeting& meeting) {
  LaunchMeeting timed_at({}, meeting.folder() / "timed", {}, true), counted_at({}, meeting.folder() / "counted", {}, true);
  const std::string program = launcher_command(options, "timed", timed_at.folder()).program;
  std::vector<std::string> notes;
  require_injection(notes);
  if (!options.output.empty()) require_writable(options.output);
  const KernelContext context = find_context(options, fs::path(program).filename().string());
  const bool is_timed = !options.count_only, is_counted = !options.time_only;
  KernelRuns runs;
  Launched timed, counted;
  const RepeatedInput input;
  if (is_timed) timed = gather(options, timed_at, run_program(launcher_command(options, "timed", timed_at.folder()).run), runs, notes);
  if (is_timed) require_something(options, timed, runs);
  if (is_counted && timed.ending.interrupted == 0)
    counted = gather(options, counted_at, launch_counted(options, counted_at, input, !is_timed, notes), runs, notes);
  const Launched& main = is_timed ? timed : counted;
  require_something(options, main, runs);
  if (is_timed && is_counted && timed.ending.interrupted == 0) note_differences(timed, counted, notes);
  const KernelsJudgement judgement = judge_kernels(main.ending, runs, is_counted, std::nullopt);
  tell(judgement.fault, options, meeting);
  KernelResult result = collect_kernels(options, main.ranks, std::move(runs), main.endings);
  result.name = fs::path(program).filename().string();
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  if (is_timed) result.timed_seconds = longest(timed.endings);
  const Exit shown = show_kernels(options, result, context);
  if (judgement.code != 0) return static_cast<Exit>(judgement.code);
  return shown == Exit::ok && static_cast<int>(main.endings.size()) != main.ranks ? Exit::io_or_failed_case : shown;
}

Exit profiled_gpu_rank(LaunchPass pass, const fs::path& folder, const ProfileOptions& options) {
  const Launch launch = require_launch();
  const LaunchMeeting meeting(launch, folder, {});
  return leave_faults(launch, meeting, [&] {
    const InjectedRuns runs = prepare_injected(options, launch, meeting);
    const ProgramEnding ending = run_program(pass == LaunchPass::timed ? runs.timed : runs.counted);
    if (ending.code != 0) tell(how_it_ended(ending), options, meeting);
    meeting.leave({.rank = launch.rank, .host = "", .code = ending.code, .notes = {}, .wall_seconds = ending.wall_seconds});
    return static_cast<Exit>(ending.code);
  });
}

}  // namespace plumbline::app
