#include "app/gpu_kernels/kernel_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumbline::app {
namespace {

std::string launches_in_words(std::uint64_t n) { return number_of(n, "launch", "launches"); }
std::string records_in_words(std::uint64_t n) { return number_of(n, "record", "records"); }

/// The remarks that must be known of a process whose launches were counted.
std::vector<std::string> remarks_on_counts(const KernelReport& report) {
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

/// The remarks that must be known of a process whose launches were timed.
std::vector<std::string> remarks_on_times(const KernelReport& report) {
  std::vector<std::string> all;
  for (const auto& refusal : refusals_of(report)) all.push_back("not timed, or no longer: " + refusal);
  const auto& times = report.times;
  if (const std::string nothing = why_nothing_came(report); !nothing.empty()) all.push_back(nothing);
  if (!report.ended)
    all.push_back(
        "timed: its end was not seen (a signal, _exit, or another program executed): records of what it launched last are missing");
  if (times.dropped > 0)
    all.push_back(fmt::format("CUPTI dropped {} of kernels and copies: their times are missing", records_in_words(times.dropped)));
  if (times.crowded > 0)
    all.push_back(fmt::format("{} of kernels beyond the most that are kept apart by name and phase: their times are missing",
                              records_in_words(times.crowded)));
  if (times.untimed > 0) all.push_back(fmt::format("CUPTI gave no times in {}", records_in_words(times.untimed)));
  if (times.unplaced > 0)
    all.push_back(fmt::format("{} came so late that nobody knew their phase any more: they stand outside of regions",
                              records_in_words(times.unplaced)));
  if (times.unreadable > 0) all.push_back(number_of(times.unreadable, "buffer", "buffers") + " of records could not be read to the end");
  if (report.phases.lost > 0)
    all.push_back("too many names of regions, or of ways in which they nest: some launches stand outside of theirs (" +
                  number_of(report.phases.lost, "time", "times") + ")");
  return all;
}

/// Adds notes on processes; what many have in common is told once.
void add_process_notes(const KernelResult& result, std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::vector<std::string>>> told;  // a remark, and whose
  const auto add = [&](const RankReport& one, std::vector<std::string> remarks) {
    const std::string who = result.launched > 1 ? fmt::format("rank {}, process {}", one.rank, one.report.process)
                                                : fmt::format("process {}", one.report.process);
    for (auto& remark : remarks) {
      auto found = std::find_if(told.begin(), told.end(), [&](const auto& had) { return had.first == remark; });
      if (found == told.end()) found = told.insert(told.end(), {std::move(remark), {}});
      found->second.push_back(who);
    }
  };
  for (const auto& one : result.runs.timed) add(one, remarks_on_times(one.report));
  for (const auto& one : result.runs.counted) add(one, remarks_on_counts(one.report));
  for (const auto& [remark, whose] : told)
    notes.push_back((whose.size() == 1 ? whose.front() : fmt::format("{} processes (first: {})", whose.size(), whose.front())) + ": " +
                    remark);
}

bool all_were_seen(const std::vector<RankReport>& reports) {
  return std::all_of(reports.begin(), reports.end(), [](const auto& one) { return one.report.ended && one.report.availability.ok(); });
}

/// Notes what the two runs did not do alike.
void add_differences(const KernelProfile& profile, std::vector<std::string>& notes) {
  std::vector<const KernelRow*> apart;
  for (const auto& kernel : profile.kernels)
    if (profile.is_timed && (kernel.launches == 0 || (kernel.counted_run > 0 && kernel.counted > 0 && !kernel.why_no_counts.empty())))
      apart.push_back(&kernel);
  if (apart.empty()) return;
  notes.push_back(fmt::format(
      "{} did not do the same in both runs, and nothing is joined of {} (first: {}: {}); one that goes by the clock is counted by "
      "--count-only",
      number_of(apart.size(), "kernel", "kernels"), apart.size() == 1 ? "it" : "them", apart.front()->name, apart.front()->why_no_counts));
}

/// Notes that FLOPs and bytes were scaled, and of which kernels the counted launches are not like the others.
void add_scaling(const KernelProfile& profile, const ProfileOptions& options, std::vector<std::string>& notes) {
  constexpr double alike = 0.01;
  const KernelRow* first = nullptr;
  std::size_t unlike = 0, scaled = 0;
  for (const auto& kernel : profile.kernels) {
    if (!kernel.why_no_counts.empty() || kernel.counted >= kernel.launches) continue;
    ++scaled;
    if (!kernel.first_threads_ratio || std::abs(*kernel.first_threads_ratio - 1) <= alike) continue;
    ++unlike;
    if (first == nullptr) first = &kernel;
  }
  if (scaled > 0)
    notes.push_back(
        fmt::format("of each kernel the first {} of a process on a GPU, in each of its phases, are counted (--launches); FLOPs and bytes "
                    "of {} are scaled to all "
                    "launches",
                    launches_in_words(options.most_launches), number_of(scaled, "kernel", "kernels")));
  if (first != nullptr)
    notes.push_back(
        fmt::format("the first launches are not like the others in {} (first: {}, whose first have {:.3g} times as many threads as the "
                    "mean of all): what was scaled there may be wrong; --launches=all counts each",
                    number_of(unlike, "kernel", "kernels"), first->name, *first->first_threads_ratio));
}

void add_ways(const KernelResult& result, std::vector<std::string>& notes) {
  if (result.profile.is_timed && !result.profile.kernels.empty())
    notes.push_back(
        "times are from a kernel's begin to its end on the GPU, without a profiler's replays; kernels that ran at once count each for "
        "itself");
  if (!result.profile.is_timed &&
      std::any_of(result.runs.counted.begin(), result.runs.counted.end(), [](const auto& one) { return has_any(one.report); }))
    notes.push_back(
        "time is that of the profiled launches, one at a time, with caches as CUPTI's replays leave them: time the program by itself too");
}

}  // namespace

std::vector<std::string> refusals_of(const KernelReport& report) {
  std::vector<std::string> all;
  if (!report.availability.ok()) all.push_back(report.availability.reason);
  for (const auto& gpu : report.counts.gpus)
    if (!gpu.availability.ok() && std::find(all.begin(), all.end(), gpu.availability.reason) == all.end())
      all.push_back(gpu.availability.reason);
  return all;
}

bool has_any(const KernelReport& report) {
  if (report.timed) return !report.times.kernels.empty();
  return std::any_of(report.counts.kernels.begin(), report.counts.kernels.end(), [](const auto& kernel) { return kernel.counted > 0; });
}

std::string why_nothing_came(const KernelReport& report) {
  const std::uint64_t launched = report.times.called + report.times.graph_launches;
  if (!report.timed || launched == 0 || has_any(report) || !report.availability.ok()) return "";
  return fmt::format("CUPTI delivered no record of {}{}", launches_in_words(launched),
                     report.times.dropped > 0 ? fmt::format(", and dropped {}", report.times.dropped) : "");
}

bool lacks_records(const KernelReport& report) {
  const auto& times = report.times;
  return report.timed && (times.dropped + times.crowded + times.untimed + times.unreadable > 0 || !why_nothing_came(report).empty());
}

void add_kernel_notes(KernelResult& result, const ProfileOptions& options) {
  auto& notes = result.notes;
  add_process_notes(result, notes);
  const auto& runs = result.runs;
  if (runs.counted.empty() && runs.timed.empty())
    notes.push_back("no process called CUDA's driver, so there is nothing to count: does the program use the GPU with these arguments?");
  else if (result.profile.kernels.empty() && all_were_seen(runs.counted) && all_were_seen(runs.timed) &&
           std::none_of(runs.timed.begin(), runs.timed.end(), [](const auto& one) { return lacks_records(one.report); }))
    notes.push_back("CUDA was called, but no kernel was launched by itself");
  add_differences(result.profile, notes);
  add_scaling(result.profile, options, notes);
  add_ways(result, notes);
}

}  // namespace plumbline::app
