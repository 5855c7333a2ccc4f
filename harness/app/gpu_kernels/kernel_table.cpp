#include "app/gpu_kernels/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "app/programs/profile_document.hpp"
#include "app/terminal/shell_words.hpp"

namespace plumbline::app {
namespace {

std::uint64_t counted_launches(const KernelProfile& profile) {
  std::uint64_t sum = 0;
  for (const auto& kernel : profile.kernels) sum += kernel.counted;
  return sum;
}

/// The GPUs in words: "GH100 by CUPTI 13.0 (...): 2 passes, so that each counted launch ran 2 times".
std::set<std::string> gpus_in_words(const KernelResult& result) {
  std::set<std::string> all;
  for (const auto& one : result.runs.counted)
    for (const auto& gpu : one.report.counts.gpus)
      if (gpu.passes > 0)
        all.insert(fmt::format("{} by {}: {}, so that each counted launch ran {}", gpu.chip, one.report.cupti,
                               number_of(gpu.passes, "pass", "passes"), gpu.passes == 1 ? "once" : fmt::format("{} times", gpu.passes)));
  return all;
}

/// Kernels of a kind in words: ": 3 kernels, 12 launches, 5.0 % of the time of all kernels".
std::string sums_in_words(const KernelSums& some, const KernelSums& all) {
  std::string text = fmt::format("{}, {}", number_of(some.kernels, "kernel", "kernels"), number_of(some.launches, "launch", "launches"));
  if (some.seconds && all.seconds) text += fmt::format(", {} of the time of all kernels", share_or_dash(some.seconds, all.seconds));
  return text;
}

std::string ranks_in_words(const ProfileWords& words) {
  if (words.ranks == 1) return "";
  return fmt::format("{} ranks{}, ", words.ranks, words.nodes > 1 ? fmt::format(" on {} nodes", words.nodes) : "");
}

std::string kernels_head(const ShownKernels& shown) {
  const auto& [words, profile] = std::tie(shown.words, shown.profile);
  const KernelSums all = all_kernels(profile);
  std::string text = fmt::format("{} on GPUs: {}\n{}  {}{}, {} of {} launches of {} counted\n",
                                 !profile.is_timed              ? "Counted"
                                 : words.why_not_joined.empty() ? "Timed and counted"
                                                                : "Timed",
                                 command_line(words.command), minus_in_words(words), ranks_in_words(words),
                                 number_of(static_cast<std::uint64_t>(words.processes), "process", "processes"), counted_launches(profile),
                                 all.launches, number_of(all.kernels, "kernel", "kernels"));
  if (profile.is_timed && profile.total.seconds)
    text += fmt::format("  timed by CUPTI's activities in a run of its own, {} from start to end; kernels {}{}\n",
                        duration(words.wall_seconds), duration(*profile.total.seconds), words.ranks > 1 ? " on the longest rank" : "");
  for (const auto& gpu : words.gpus) text += "  " + printable(gpu) + "\n";
  return text;
}

/// The total as a row of the table: its launches are the counted ones of all.
KernelRow total_row(const KernelProfile& profile) {
  const KernelSums all = all_kernels(profile);
  KernelRow row{.name = "in total",
                .launches = all.launches,
                .counted = counted_launches(profile),
                .measures = profile.total,
                .summed_seconds = all.seconds};
  bool is_known = !profile.kernels.empty();
  double overhead = 0;
  for (const auto& kernel : profile.kernels)
    is_known = is_known && kernel.overhead_seconds, overhead += kernel.overhead_seconds.value_or(0);
  if (is_known) row.overhead_seconds = overhead;
  return row;
}

std::string kernels_table(const ShownKernels& shown) {
  const auto& kernels = shown.profile.kernels;
  const bool is_placed = std::any_of(kernels.begin(), kernels.end(),
                                     [](const auto& one) { return one.overhead_seconds || one.time_place || !one.place.bound.empty(); });
  const bool of_ranks = std::any_of(kernels.begin(), kernels.end(), [](const auto& one) { return one.imbalance.has_value(); });
  const auto columns = kernel_columns(all_kernels(shown.profile).seconds, is_placed, of_ranks);
  Table table = first_rows(columns, kernels, shown.words.functions, "kernels");
  table.add(cells(columns, total_row(shown.profile)));
  return table.text();
}

/// The ranks, of many the first ones.
std::string ranks_text(const std::vector<KernelRank>& ranks) {
  return ranks.empty() ? "" : "\n" + first_rows(kernel_rank_columns(), ranks, most_ranks_shown, "ranks").text();
}

std::string remainders(const KernelProfile& profile) {
  const KernelSums all = all_kernels(profile), none = kernels_without_flops(profile), uncounted = kernels_without_counts(profile);
  std::string text;
  if (none.kernels > 0) text += fmt::format("without FLOPs: {}\n", sums_in_words(none, all));
  if (uncounted.kernels > 0) text += fmt::format("without counts: {}\n", sums_in_words(uncounted, all));
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

ShownKernels shown_kernels(const KernelResult& result) {
  const auto& profile = result.profile;
  std::set<std::string> hosts;
  for (const auto& ending : result.endings) hosts.insert(ending.host);
  const auto gpus = gpus_in_words(result);
  ShownKernels shown{.words = {.command = result.command}, .profile = profile, .regions = result.regions, .copies = result.copies};
  ProfileWords& words = shown.words;
  words.why_not_joined = profile.is_timed && result.runs.counted.empty() ? "--time-only: nothing was counted" : "";
  words.wall_seconds = std::isfinite(result.timed_seconds) ? result.timed_seconds : 0;
  words.processes = static_cast<int>(profile.is_timed ? result.runs.timed.size() : result.runs.counted.size());
  words.ranks = result.launched, words.nodes = std::max(1, static_cast<int>(hosts.size()));
  words.functions = result.kernels, words.notes = result.notes;
  words.gpu_time_by = profile.is_timed ? "activities" : "counters";
  words.gpus.assign(gpus.begin(), gpus.end());
  words.most_launches = result.most_launches;
  words.minus = result.minus, words.minus_command = result.minus_command;
  shown.ranks = result.ranks;
  return shown;
}

std::string kernels_text(const ShownKernels& shown) {
  const auto& profile = shown.profile;
  std::string text = kernels_head(shown);
  if (!profile.kernels.empty()) text += "\n" + kernels_table(shown) + remainders(profile);
  if (!shown.regions.empty()) text += "\n" + aligned(kernel_region_columns(all_kernels(profile).seconds), shown.regions);
  if (!shown.copies.empty()) text += "\n" + aligned(kernel_copies_columns(), shown.copies);
  text += ranks_text(shown.ranks);
  for (const auto& note : shown.words.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

Json kernel_rows(const KernelResult& result) {
  const Amount all_seconds = all_kernels(result.profile).seconds;
  Json rows = Json::array();
  const auto add = [&rows](const auto& columns, const auto& some) {
    for (auto& row : rows_json(columns, some)) rows.push_back(std::move(row));
  };
  rows.push_back(row_json(kernel_total_columns(), result));
  add(kernel_columns(all_seconds, false), result.profile.kernels);
  add(kernel_region_columns(all_seconds), result.regions);
  add(kernel_copies_columns(), result.copies);
  add(kernel_rank_columns(), result.ranks);
  add(kernel_process_columns(), result.runs.timed);
  add(kernel_process_columns(), result.runs.counted);
  return rows;
}

std::string kernels_json(const KernelResult& result, const std::string& file) {
  return profile_document(file, kernel_rows(result), result.notes, result.command, "");
}

Json kernel_row_schemas() {
  return {row_schema(kernel_total_columns()),  row_schema(kernel_columns({}, false)), row_schema(kernel_region_columns({})),
          row_schema(kernel_copies_columns()), row_schema(kernel_rank_columns()),     row_schema(kernel_process_columns())};
}

}  // namespace plumbline::app
