// The command plumbline profile --gpu runs the program with a library in it that counts its GPU kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/here/event_rows.hpp"
#include "app/here/gpus.hpp"
#include "app/programs/kernel_table.hpp"
#include "app/programs/profile_ways.hpp"
#include "app/terminal/output_file.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_host.hpp"
#include "machine/publishable.hpp"
#include "profile/program.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* library = "libplumbline_cuda_profile.so";
constexpr const char* injected = "CUDA_INJECTION64_PATH";  // of NVIDIA's driver: what it loads into a program

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
                     "; run it on a node with a GPU, or count what the program does on CPUs with --count-only");
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

ProgramRun prepare_counting(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  const fs::path program = locate_program(options.command.front(), "--gpu");
  if (const char* other = std::getenv(injected); other != nullptr && *other != '\0')
    throw user_error(fmt::format("{} is set ({}): another tool counts or traces this program; unset it", injected, other));
  const fs::path counting = find_library(), cupti = find_cupti();
  if (launch.rank == 0 && !options.output.empty()) require_writable(options.output);
  return {program,
          options.command,
          {{injected, counting.string()},
           {"PLUMBLINE_CUPTI_PATH", cupti.string()},
           {report_variable, (meeting.folder() / meeting.prefix(launch.rank)).string()},
           {metrics_variable, leave_metrics(meeting, launch.rank).string()},
           {most_launches_variable, std::to_string(options.most_launches)}}};
}

// ------------------------------------------------------------------------------------------------------------ judged

/// The reasons why GPUs of a process were not counted, or no longer; each once.
std::vector<std::string> refusals_of(const KernelReport& report) {
  std::vector<std::string> all;
  if (!report.availability.ok()) all.push_back(report.availability.reason);
  for (const auto& gpu : report.counts.gpus)
    if (!gpu.availability.ok() && std::find(all.begin(), all.end(), gpu.availability.reason) == all.end())
      all.push_back(gpu.availability.reason);
  return all;
}

bool counted_any(const KernelReport& report) {
  return std::any_of(report.counts.kernels.begin(), report.counts.kernels.end(), [](const auto& kernel) { return kernel.counted > 0; });
}

struct KernelsJudgement {
  int code = 0;
  std::string fault;  // one line; empty: none
};

/// Judges one rank by its own processes. The program's own code stands; one that ended well is told apart from one that was not counted (2)
/// or not to its end (1).
KernelsJudgement judge_kernels(const ProgramEnding& ending, const std::vector<RankReport>& reports, int rank) {
  if (ending.code != 0) return {ending.code, how_it_ended(ending)};
  KernelsJudgement judgement;
  for (const auto& one : reports) {
    if (one.rank != rank) continue;
    const auto refusals = refusals_of(one.report);
    if (!refusals.empty() && !counted_any(one.report))
      return {static_cast<int>(Exit::user_error), "it ran, but its kernels were not counted: " + refusals.front()};
    if (!refusals.empty() || !one.report.ended) judgement.code = static_cast<int>(Exit::io_or_failed_case);
  }
  return judgement;
}

// ----------------------------------------------------------------------------------------------------------- its notes

std::string launches_in_words(std::uint64_t n) { return n == 1 ? "1 launch" : fmt::format("{} launches", n); }

/// The remarks that must be known of a process's counts.
std::vector<std::string> remarks_on(const KernelReport& report) {
  std::vector<std::string> all;
  for (const auto& refusal : refusals_of(report)) all.push_back("not counted, or no longer: " + refusal);
  if (!report.ended)
    all.push_back(
        "its end was not seen (a signal, _exit, or another program executed): what it launched after its last batch of 64 is missing");
  const auto& counts = report.counts;
  if (counts.lost > 0) all.push_back(launches_in_words(counts.lost) + " ran under the profiler and gave no counts");
  if (counts.graph_launches > 0)
    all.push_back(
        fmt::format("{} of whole graphs (CUDA graphs): kernels in them are not counted", launches_in_words(counts.graph_launches)));
  if (counts.captured > 0)
    all.push_back(launches_in_words(counts.captured) +
                  " while a stream was captured into a graph: not counted, and most ran only with the graph");
  if (counts.elsewhere > 0)
    all.push_back(launches_in_words(counts.elsewhere) + " in a further context of a GPU: only a GPU's first context is counted");
  return all;
}

/// Adds notes on processes; what many have in common is told once.
void add_process_notes(const KernelResult& result, std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::vector<std::string>>> told;  // a remark, and whose
  for (const auto& one : result.reports) {
    const std::string who = result.launched > 1 ? fmt::format("rank {}, process {}", one.rank, one.report.process)
                                                : fmt::format("process {}", one.report.process);
    for (auto& remark : remarks_on(one.report)) {
      auto found = std::find_if(told.begin(), told.end(), [&](const auto& had) { return had.first == remark; });
      if (found == told.end()) found = told.insert(told.end(), {std::move(remark), {}});
      found->second.push_back(who);
    }
  }
  for (const auto& [remark, whose] : told)
    notes.push_back((whose.size() == 1 ? whose.front() : fmt::format("{} processes (first: {})", whose.size(), whose.front())) + ": " +
                    remark);
}

bool all_were_seen(const std::vector<RankReport>& reports) {
  return std::all_of(reports.begin(), reports.end(), [](const auto& one) { return one.report.ended && one.report.availability.ok(); });
}

void add_notes(KernelResult& result, const ProfileOptions& options) {
  auto& notes = result.notes;
  add_process_notes(result, notes);
  if (result.reports.empty())
    notes.push_back("no process called CUDA's driver, so there is nothing to count: does the program use the GPU with these arguments?");
  else if (result.profile.kernels.empty() && all_were_seen(result.reports))
    notes.push_back("CUDA was called, but no kernel was launched by itself");
  if (std::none_of(result.reports.begin(), result.reports.end(), [](const auto& one) { return counted_any(one.report); })) return;
  if (options.most_launches > 0)
    notes.push_back(fmt::format("of each kernel the first {} of a process on a GPU are counted (--launches); sums are over these",
                                launches_in_words(options.most_launches)));
  notes.push_back(
      "time is that of the profiled launches, one at a time, with caches as CUPTI's replays leave them: time the program by itself too");
}

KernelResult collect_kernels(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  KernelResult result;
  const Person person = this_person();
  result.command = publishable(options.command, person);
  result.launched = launch.size;
  result.kernels = options.functions;
  result.endings = gather_endings(meeting, options);
  result.reports = read_process_files<RankReport>(meeting, read_kernel_report, result.notes);
  for (auto& one : result.reports) one.report.command = publishable(one.report.command, person);
  result.profile = merge_kernels(result.reports, counters_by_chip());
  add_notes(result, options);
  add_rank_notes(meeting, result.endings, launch, options, result.notes);
  return result;
}

}  // namespace

Exit profile_kernels(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  const ProgramEnding ending = run_program(prepare_counting(options, launch, meeting));
  std::vector<std::string> unreadable;
  const KernelsJudgement judgement =
      judge_kernels(ending, read_process_files<RankReport>(meeting, read_kernel_report, unreadable), launch.rank);
  tell(judgement.fault, options, meeting);
  meeting.leave({launch.rank, "", judgement.code, {}});
  if (launch.rank != 0) return static_cast<Exit>(judgement.code);
  const KernelResult result = collect_kernels(options, launch, meeting);
  const bool shown = show_profile(options, kernels_json(result, options.output), kernels_text(result));
  const bool whole = shown && unreadable.empty() && static_cast<int>(result.endings.size()) == launch.size;
  return judgement.code == 0 && !whole ? Exit::io_or_failed_case : static_cast<Exit>(judgement.code);
}

}  // namespace plumbline::app
