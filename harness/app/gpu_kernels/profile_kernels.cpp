// The command plumbline profile --gpu runs the program twice with a library in it that times its GPU kernels, and then counts them.
#include "app/gpu_kernels/profile_kernels.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app/gpu_kernels/collected_kernels.hpp"
#include "app/gpu_kernels/injected_runs.hpp"
#include "app/programs/two_runs.hpp"
#include "app/terminal/output_file.hpp"
#include "profile/launcher_words.hpp"

namespace plumbline::app {
namespace {

/// Does the runs that are wanted. The timed one has the program's streams to itself; where there is none the counted one has.
ProgramEnding run_both(InjectedRuns& prepared, const LaunchMeeting& meeting, std::vector<std::string>& notes) {
  if (!prepared.is_timed) return run_program(prepared.counted);
  const RepeatedInput input;
  const ProgramEnding timed = run_program(prepared.timed);
  if (!prepared.is_counted || timed.interrupted != 0) return timed;
  auto& streams = prepared.counted.streams;
  input.give_again(streams, notes);
  streams.output = "/dev/null", streams.errors = (meeting.folder() / "counted.errors").string();
  const ProgramEnding counted = run_program(prepared.counted);
  if (counted.code != timed.code)
    notes.push_back(
        fmt::format("the timed run ended with exit {}, the counted one with exit {}: they did not do the same", timed.code, counted.code));
  return timed;
}

}  // namespace

Exit profile_kernels(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  if (launch.size == 1 && is_known_launcher(options.command.front())) return profile_launched_kernels(options, meeting);
  std::vector<std::string> notes, unreadable;
  require_injection(notes);
  InjectedRuns prepared = prepare_injected(options, launch, meeting);
  if (launch.rank == 0 && !options.output.empty()) require_writable(options.output);
  const KernelContext context = find_context(options, std::filesystem::path(options.command.front()).filename().string());
  if (!prepared.is_timed && !options.count_only)
    notes.emplace_back(
        "behind a launcher the program runs once, counted: with plumbline before the launcher (plumbline profile --gpu -- mpiexec -n 4 "
        "program) it is timed, too");
  const ProgramEnding ending = run_both(prepared, meeting, notes);
  KernelRuns own;
  read_runs(meeting, own, unreadable);
  const KernelsJudgement judgement = judge_kernels(ending, own, prepared.is_counted, launch.rank);
  tell(judgement.fault, options, meeting);
  meeting.leave({.rank = launch.rank,
                 .host = "",
                 .code = judgement.code,
                 .notes = notes,
                 .wall_seconds = prepared.is_timed ? ending.wall_seconds : 0});
  if (launch.rank != 0) return static_cast<Exit>(judgement.code);
  std::vector<RankEnding> endings = gather_endings(meeting, options);
  KernelRuns runs;
  std::vector<std::string> notes_of_files;
  read_runs(meeting, runs, notes_of_files);
  KernelResult result = collect_kernels(options, launch.size, std::move(runs), std::move(endings));
  result.notes.insert(result.notes.begin(), notes_of_files.begin(), notes_of_files.end());
  add_rank_notes(meeting, result.endings, launch, options, result.notes);
  if (prepared.is_timed) result.timed_seconds = ending.wall_seconds;
  const Exit shown = show_kernels(options, result, context);
  if (judgement.code != 0) return static_cast<Exit>(judgement.code);
  const bool is_whole = unreadable.empty() && static_cast<int>(result.endings.size()) == launch.size;
  return shown == Exit::ok && !is_whole ? Exit::io_or_failed_case : shown;
}

}  // namespace plumbline::app
