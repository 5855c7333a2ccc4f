#include "app/programs/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

std::string kernels_head(const KernelResult& result) {
  const auto& profile = result.profile;
  const KernelSums all = all_kernels(profile);
  const auto processes = profile.is_timed ? result.runs.timed.size() : result.runs.counted.size();
  std::string text =
      fmt::format("{} on GPUs: {}\n  ", profile.is_timed ? result.runs.counted.empty() ? "Timed" : "Timed and counted" : "Counted",
                  command_line(result.command));
  if (result.launched > 1) text += fmt::format("{} ranks, ", result.launched);
  text += fmt::format("{}, {} of {} launches of {} counted\n", number_of(processes, "process", "processes"), counted_launches(profile),
                      all.launches, number_of(all.kernels, "kernel", "kernels"));
  if (profile.is_timed && all.seconds)
    text += fmt::format("  timed by CUPTI's activities in a run of its own, {} from start to end; kernels {}\n",
                        duration(result.timed_seconds), duration(*all.seconds));
  for (const auto& gpu : gpus_in_words(result)) text += "  " + gpu + "\n";
  return text;
}

/// The total as a row of the table: its launches are the counted ones of all.
KernelRow total_row(const KernelProfile& profile) {
  const KernelSums all = all_kernels(profile);
  KernelRow row{.name = "in total", .launches = all.launches, .counted = counted_launches(profile), .measures = profile.total};
  row.measures.seconds = all.seconds;
  bool is_known = !profile.kernels.empty();
  double overhead = 0;
  for (const auto& kernel : profile.kernels)
    is_known = is_known && kernel.overhead_seconds, overhead += kernel.overhead_seconds.value_or(0);
  if (is_known) row.overhead_seconds = overhead;
  return row;
}

std::string kernels_table(const KernelResult& result) {
  const auto& kernels = result.profile.kernels;
  const bool is_placed =
      std::any_of(kernels.begin(), kernels.end(), [](const auto& one) { return one.overhead_seconds || one.time_place; });
  const auto columns = kernel_columns(all_kernels(result.profile).seconds, is_placed);
  Table table(headings(columns));
  for (std::size_t i = 0; i < std::min(kernels.size(), result.kernels); ++i) table.add(cells(columns, kernels[i]));
  if (kernels.size() > result.kernels)
    table.add_line(fmt::format("({} more kernels: -o FILE.json has them all)", kernels.size() - result.kernels));
  table.add(cells(columns, total_row(result.profile)));
  return table.text();
}

template <class Row>
std::string rows_text(const Columns<Row>& columns, const std::vector<Row>& rows) {
  Table table(headings(columns));
  for (const auto& row : rows) table.add(cells(columns, row));
  return table.text();
}

std::string remainders(const KernelProfile& profile) {
  const KernelSums all = all_kernels(profile), none = kernels_without_flops(profile), uncounted = kernels_without_counts(profile);
  std::string text;
  if (none.kernels > 0) text += fmt::format("without FLOPs: {}\n", sums_in_words(none, all));
  if (uncounted.kernels > 0) text += fmt::format("without counts: {}\n", sums_in_words(uncounted, all));
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string kernels_text(const KernelResult& result) {
  std::string text = "\n" + kernels_head(result);
  if (!result.profile.kernels.empty()) text += "\n" + kernels_table(result) + remainders(result.profile);
  if (!result.regions.empty()) text += "\n" + rows_text(kernel_region_columns(all_kernels(result.profile).seconds), result.regions);
  if (!result.copies.empty()) text += "\n" + rows_text(kernel_copies_columns(), result.copies);
  for (const auto& note : result.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string kernels_json(const KernelResult& result, const std::string& file) {
  const Amount all_seconds = all_kernels(result.profile).seconds;
  Json rows = Json::array();
  const auto add = [&rows](const auto& columns, const auto& some) {
    for (auto& row : rows_json(columns, some)) rows.push_back(std::move(row));
  };
  rows.push_back(row_json(kernel_total_columns(), result));
  add(kernel_columns(all_seconds, false), result.profile.kernels);
  add(kernel_region_columns(all_seconds), result.regions);
  add(kernel_copies_columns(), result.copies);
  add(kernel_process_columns(), result.runs.timed);
  add(kernel_process_columns(), result.runs.counted);
  return profile_document(file, rows, result.notes, result.command, "");
}

Json kernel_row_schemas() {
  return {row_schema(kernel_total_columns()), row_schema(kernel_columns({}, false)), row_schema(kernel_region_columns({})),
          row_schema(kernel_copies_columns()), row_schema(kernel_process_columns())};
}

}  // namespace plumbline::app
