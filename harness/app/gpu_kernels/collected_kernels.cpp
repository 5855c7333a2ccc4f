#include "app/gpu_kernels/collected_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/gpu_kernels/injected_runs.hpp"
#include "app/gpu_kernels/kernel_notes.hpp"
#include "app/gpu_kernels/kernel_placing.hpp"
#include "app/gpu_kernels/kernel_results.hpp"
#include "app/gpu_kernels/kernel_subtraction.hpp"
#include "app/gpu_kernels/kernel_table.hpp"
#include "app/programs/stored_profile.hpp"
#include "app/terminal/streams.hpp"
#include "machine/publishable.hpp"

namespace plumbline::app {
namespace {

/// The first reason of those that processes have for having nothing at all; empty: each has something, or had nothing to launch.
template <class Why>
std::string first_fault(const std::vector<RankReport>& reports, std::optional<int> rank, Why why) {
  for (const auto& one : reports)
    if (one.rank == rank.value_or(one.rank) && !has_any(one.report))
      if (const std::string reason = why(one.report); !reason.empty()) return reason;
  return "";
}

std::string first_refusal(const KernelReport& report) {
  const auto refusals = refusals_of(report);
  return refusals.empty() ? why_nothing_came(report) : refusals.front();
}

void publish(KernelRuns& runs) {
  const Person person = this_person();
  for (auto* reports : {&runs.timed, &runs.counted})
    for (auto& one : *reports) one.report.command = publishable(one.report.command, person);
}

void note_shared_gpus(const KernelRuns& runs, std::vector<std::string>& notes) {
  if (const std::string shared = shared_gpus(runs); !shared.empty())
    notes.push_back(fmt::format(
        "ranks shared a GPU ({}): a kernel's time has in it what those of other ranks took of it meanwhile, and counters of L2 and memory "
        "see them",
        shared));
}

int nodes_of(const std::vector<RankEnding>& endings) {
  std::set<std::string> hosts;
  for (const auto& ending : endings) hosts.insert(ending.host);
  return std::max(1, static_cast<int>(hosts.size()));
}

}  // namespace

KernelsJudgement judge_kernels(const ProgramEnding& ending, const KernelRuns& runs, bool is_counted, std::optional<int> rank) {
  if (ending.code != 0) return {ending.code, how_it_ended(ending)};
  KernelsJudgement judgement;
  for (const auto* reports : {&runs.timed, &runs.counted})
    for (const auto& one : *reports)
      if (one.rank == rank.value_or(one.rank) && (!refusals_of(one.report).empty() || !one.report.ended || lacks_records(one.report)))
        judgement.code = static_cast<int>(Exit::io_or_failed_case);
  const std::string uncounted = first_fault(runs.counted, rank, first_refusal), untimed = first_fault(runs.timed, rank, first_refusal);
  if (!untimed.empty()) {
    judgement.fault = "it ran, but its kernels were not timed: " + untimed;
    if (!is_counted) judgement.code = static_cast<int>(Exit::user_error);
  }
  if (!uncounted.empty()) judgement = {static_cast<int>(Exit::user_error), "it ran, but its kernels were not counted: " + uncounted};
  return judgement;
}

KernelContext find_context(const ProfileOptions& options, const std::string& program) {
  return {.roofs = find_kernel_roofs(options.roofs), .minus = read_subtrahend(options, program)};
}

KernelResult collect_kernels(const ProfileOptions& options, int ranks, KernelRuns runs, std::vector<RankEnding> endings) {
  publish(runs);
  KernelResult result{.name = std::filesystem::path(options.command.front()).filename().string(),
                      .command = publishable(options.command, this_person()),
                      .runs = std::move(runs),
                      .endings = std::move(endings),
                      .launched = ranks,
                      .kernels = options.functions,
                      .most_launches = options.most_launches};
  for (const auto& ending : result.endings) result.runs.hosts[ending.rank] = ending.host;
  result.runs.counters = counters_by_chip();
  result.profile = merge_kernels(result.runs);
  result.regions = kernel_regions(result.profile, result.runs);
  result.copies = kernel_copies(result.runs.timed);
  result.ranks = kernel_ranks(result.profile, result.runs, result.endings);
  add_kernel_notes(result, options);
  note_shared_gpus(result.runs, result.notes);
  return result;
}

Exit show_kernels(const ProfileOptions& options, KernelResult& result, const KernelContext& context) {
  const KernelRoofs& roofs = context.roofs;
  if (!result.profile.kernels.empty()) result.notes.insert(result.notes.end(), roofs.notes.begin(), roofs.notes.end());
  const std::string why_not_less = context.minus ? subtract(*context.minus, result) : "";
  if (!why_not_less.empty()) {
    say(fmt::format("plumbline: --subtract: nothing was taken away: {}\n", why_not_less));
    result.notes.insert(result.notes.begin(), "--subtract: nothing was taken away, all of this is the whole run's: " + why_not_less);
  }
  place_kernels(roofs.ceilings, result.profile);
  const std::string minus = result.minus.empty() ? "" : name_in_cases(*context.minus);
  Results results = kernel_results(result.name, result.profile, nodes_of(result.endings), roofs.results, minus);
  ProfileOptions shown = options;
  const bool is_store = options.output.ends_with(".h5");
  if (is_store) shown.output.clear();
  const ShownKernels kernels = shown_kernels(result);
  const bool told = show_profile(shown, kernels_json(result, options.output), "\n" + kernels_text(kernels));
  if (is_store) write_profile(options.output, std::move(results), kernel_rows(result), kernels.words);
  if (!why_not_less.empty()) return Exit::user_error;
  return told ? Exit::ok : Exit::io_or_failed_case;
}

}  // namespace plumbline::app
