// The command plumbline profile --gpu runs the program twice with a library in it that times its GPU kernels, and then counts them.
#include <fmt/format.h>

#include <cstdlib>

#include "app/here/event_rows.hpp"
#include "app/here/gpus.hpp"
#include "app/programs/kernel_notes.hpp"
#include "app/programs/kernel_placing.hpp"
#include "app/programs/kernel_roofs.hpp"
#include "app/programs/kernel_table.hpp"
#include "app/programs/profile_ways.hpp"
#include "app/programs/two_runs.hpp"
#include "app/terminal/output_file.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_host.hpp"
#include "machine/publishable.hpp"
#include "profile/preloading.hpp"
#include "profile/program.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* library = "libplumbline_cuda_profile.so";
constexpr const char* injected = "CUDA_INJECTION64_PATH";  // of NVIDIA's driver: what it loads into a program
constexpr const char* called = "NVTX_INJECTION64_PATH";    // of NVTX: what it tells of ranges

// ------------------------------------------------------------------------------------------------------------- before

fs::path find_library() {
  for (const auto& folder : folders_of_module())
    if (fs::exists(folder / library)) return folder / library;
  throw user_error(
      fmt::format("profile --gpu needs {}, which is neither beside plumbline nor in ../lib: it is built where CUPTI is found", library));
}

/// The folder of the CUPTI that counts; throws Error (user) where there is none, or no GPU.
fs::path find_cupti() {
  const CudaDriver driver;
  if (!driver.availability().ok())
    throw user_error("profile --gpu has nothing to count on: " + driver.availability().reason +
                     "; run it on a node with a GPU, or count what the program does on CPUs: --count-only without --gpu");
  const CuptiHost cupti;
  if (!cupti.availability().ok()) throw user_error("profile --gpu counts by CUPTI: " + cupti.availability().reason);
  return cupti.folder();
}

std::map<std::string, std::vector<KernelCounter>> counters_by_chip() {
  const EventTables tables = all_event_tables();
  std::map<std::string, std::vector<KernelCounter>> all;
  for (const auto* some : {&tables.ours, &tables.users})
    for (const auto& table : *some)
      for (const auto& chip : table.chips) all[chip] = kernel_counters(counters_for_chip(tables, chip).counters);
  return all;
}

/// Ranks write the same metrics, each into a file of its own.
fs::path leave_metrics(const LaunchMeeting& meeting, int rank) {
  std::map<std::string, std::vector<std::string>> metrics;
  for (const auto& [chip, counters] : counters_by_chip()) metrics[chip] = metrics_of(counters);
  const fs::path file = meeting.folder() / fmt::format("metrics-{}", rank);
  write_metrics(file, metrics);
  return file;
}

/// The two runs before either was started.
struct Prepared {
  bool is_timed = false, is_counted = false;
  ProgramRun timed = {}, counted = {};
};

/// The environment that both runs have: the library is loaded by the driver, by NVTX, and by the loader for the marks of plumbline.h.
std::vector<SetVariable> environment_for(const fs::path& library_file, const ProfileOptions& options, const Launch& launch,
                                         const LaunchMeeting& meeting) {
  std::vector<SetVariable> variables{{injected, library_file.string()},
                                     {called, library_file.string(), false},
                                     {"PLUMBLINE_CUPTI_PATH", find_cupti().string()},
                                     {report_variable, (meeting.folder() / meeting.prefix(launch.rank)).string()},
                                     {most_launches_variable, std::to_string(options.most_launches)}};
  if (is_name_for_loader(library_file)) variables.push_back(preloading({library_file}));
  return variables;
}

Prepared prepare_runs(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  const fs::path program = locate_program(options.command.front(), "--gpu");
  if (const char* other = std::getenv(injected); other != nullptr && *other != '\0')
    throw user_error(fmt::format("{} is set ({}): another tool counts or traces this program; unset it", injected, other));
  const auto environment = environment_for(find_library(), options, launch, meeting);
  if (launch.rank == 0 && !options.output.empty()) require_writable(options.output);
  Prepared prepared{.is_timed = options.time_only || (launch.size == 1 && !options.count_only), .is_counted = !options.time_only};
  prepared.timed = prepared.counted = {program, options.command, environment};
  prepared.counted.environment.push_back({metrics_variable, leave_metrics(meeting, launch.rank).string()});
  return prepared;
}

// ------------------------------------------------------------------------------------------------------------ judged

struct KernelsJudgement {
  int code = 0;
  std::string fault;  // one line; empty: none
};

/// The first reason of those that a rank's processes have for having nothing at all; empty: each has something, or had nothing to launch.
template <class Why>
std::string first_fault(const std::vector<RankReport>& reports, int rank, Why why) {
  for (const auto& one : reports)
    if (one.rank == rank && !has_any(one.report))
      if (const std::string reason = why(one.report); !reason.empty()) return reason;
  return "";
}

std::string first_refusal(const KernelReport& report) {
  const auto refusals = refusals_of(report);
  return refusals.empty() ? why_nothing_came(report) : refusals.front();
}

/// Judges one rank by its own processes. The program's own code stands; one that ended well is told apart from one that was not counted, or
/// where nothing else is wanted not timed (2), or not to its end (1).
KernelsJudgement judge_kernels(const ProgramEnding& ending, const KernelRuns& runs, const Prepared& prepared, int rank) {
  if (ending.code != 0) return {ending.code, how_it_ended(ending)};
  KernelsJudgement judgement;
  for (const auto* reports : {&runs.timed, &runs.counted})
    for (const auto& one : *reports)
      if (one.rank == rank && (!refusals_of(one.report).empty() || !one.report.ended || lacks_records(one.report)))
        judgement.code = static_cast<int>(Exit::io_or_failed_case);
  const std::string uncounted = first_fault(runs.counted, rank, first_refusal), untimed = first_fault(runs.timed, rank, first_refusal);
  if (!untimed.empty()) {
    judgement.fault = "it ran, but its kernels were not timed: " + untimed;
    if (!prepared.is_counted) judgement.code = static_cast<int>(Exit::user_error);
  }
  if (!uncounted.empty()) judgement = {static_cast<int>(Exit::user_error), "it ran, but its kernels were not counted: " + uncounted};
  return judgement;
}

KernelRuns read_runs(const LaunchMeeting& meeting, std::vector<std::string>& notes) {
  KernelRuns runs;
  for (auto& one : read_process_files<RankReport>(meeting, read_kernel_report, notes))
    (one.report.timed ? runs.timed : runs.counted).push_back(std::move(one));
  return runs;
}

KernelResult collect_kernels(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting, const KernelRoofs& roofs) {
  KernelResult result;
  const Person person = this_person();
  result.command = publishable(options.command, person);
  result.launched = launch.size;
  result.kernels = options.functions;
  result.endings = gather_endings(meeting, options);
  result.runs = read_runs(meeting, result.notes);
  for (auto* reports : {&result.runs.timed, &result.runs.counted})
    for (auto& one : *reports) one.report.command = publishable(one.report.command, person);
  result.runs.counters = counters_by_chip();
  result.profile = merge_kernels(result.runs);
  place_kernels(roofs.ceilings, result.profile);
  result.regions = kernel_regions(result.profile, result.runs);
  result.copies = kernel_copies(result.runs.timed);
  add_kernel_notes(result, options);
  if (!result.profile.kernels.empty()) result.notes.insert(result.notes.end(), roofs.notes.begin(), roofs.notes.end());
  add_rank_notes(meeting, result.endings, launch, options, result.notes);
  return result;
}

/// Does the runs that are wanted. The timed one has the program's streams to itself; where there is none the counted one has.
ProgramEnding run_both(Prepared& prepared, const LaunchMeeting& meeting, std::vector<std::string>& notes) {
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
  Prepared prepared = prepare_runs(options, launch, meeting);
  const KernelRoofs roofs = find_kernel_roofs(options.roofs);
  std::vector<std::string> notes, unreadable;
  if (const char* other = std::getenv(called); other != nullptr && *other != '\0')
    notes.push_back(fmt::format("{} is set ({}): that tool hears of NVTX's ranges, and this profile does not", called, other));
  if (!prepared.is_timed && !options.count_only)
    notes.emplace_back("behind a launcher the program runs once, counted: --time-only times it, in a launch of its own");
  const ProgramEnding ending = run_both(prepared, meeting, notes);
  const KernelsJudgement judgement = judge_kernels(ending, read_runs(meeting, unreadable), prepared, launch.rank);
  tell(judgement.fault, options, meeting);
  meeting.leave({launch.rank, "", judgement.code, notes});
  if (launch.rank != 0) return static_cast<Exit>(judgement.code);
  KernelResult result = collect_kernels(options, launch, meeting, roofs);
  if (prepared.is_timed) result.timed_seconds = ending.wall_seconds;
  const bool shown = show_profile(options, kernels_json(result, options.output), kernels_text(result));
  const bool whole = shown && unreadable.empty() && static_cast<int>(result.endings.size()) == launch.size;
  return judgement.code == 0 && !whole ? Exit::io_or_failed_case : static_cast<Exit>(judgement.code);
}

}  // namespace plumbline::app
