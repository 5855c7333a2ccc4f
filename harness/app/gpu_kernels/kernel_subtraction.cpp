#include "app/gpu_kernels/kernel_subtraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "app/gpu_kernels/stored_kernels.hpp"
#include "app/here/profiler_metrics.hpp"
#include "app/terminal/table.hpp"

namespace plumbline::app {
namespace {

constexpr double least_seconds = 1e-5;  // that matter

/// The earlier kernels by symbol and chip, each with the counts of all its launches.
struct EarlierKernel {
  KernelRow row = {};
  std::map<std::string, double> counts = {};
};
using EarlierKernels = std::map<std::pair<std::string, std::string>, EarlierKernel>;

/// `now`: of a run that timed alone, whose chips nobody told, so that the earlier run's one chip is none either.
EarlierKernels kernels_of(const Subtrahend& earlier, const ShownKernels& shown, const KernelProfile& now) {
  const auto has_no_chip = [](const KernelRow& row) { return row.chip.empty(); };
  const auto& rows = shown.profile.kernels;
  const bool is_of_one = std::ranges::all_of(rows, [&](const KernelRow& row) { return row.chip == rows.front().chip; });
  const bool is_any_chip = is_of_one && std::ranges::all_of(now.kernels, has_no_chip);
  std::map<std::string, std::map<std::string, double>> by_case;
  for (const auto& count : earlier.counts)
    if (count.backend == own_profiler) by_case[count.case_id][count.event] += count.net * std::max(1, earlier.words.nodes);
  EarlierKernels kernels;
  for (const auto& row : rows) {
    auto& kernel = kernels[{row.symbol, is_any_chip ? "" : row.chip}];
    kernel.row = row;
    if (const auto found = by_case.find(row.place.case_id); found != by_case.end()) kernel.counts = found->second;
  }
  return kernels;
}

using app::less;
std::uint64_t less(std::uint64_t now, std::uint64_t before) { return now > before ? now - before : 0; }
Amount less(const Amount& now, const Amount& before) { return now ? Amount(less(*now, before.value_or(0))) : std::nullopt; }

bool is_more_time(const Amount& now, const Amount& before) {
  return now && before && *before - *now > std::max(much_time * *before, least_seconds);
}

KernelMeasures less(const KernelMeasures& now, const KernelMeasures& before) {
  KernelMeasures left{.seconds = less(now.seconds, before.seconds), .flops = {}};
  if (before.flops) left.flops = less(now.flops, before.flops);
  for (const auto& [level, bytes] : now.bytes_by_level) {
    const auto found = std::ranges::find(before.bytes_by_level, level, &std::pair<std::string, Amount>::first);
    const bool is_known = found != before.bytes_by_level.end() && found->second;
    left.bytes_by_level.emplace_back(level, is_known ? less(bytes, found->second) : std::nullopt);
  }
  return left;
}

// ------------------------------------------------------------------------------------------------------- what cannot be

std::string of_other_gpus(const Subtrahend& earlier, const EarlierKernels& before, const KernelProfile& now) {
  std::set<std::string> chips, own;
  for (const auto& [key, kernel] : before) chips.insert(key.second);
  for (const auto& kernel : now.kernels) own.insert(kernel.chip);
  for (const auto& chip : chips)
    if (!own.contains(chip))
      return fmt::format("{} has kernels on {}, and this run none: it was on another GPU", earlier.file,
                         chip.empty() ? "a GPU whose chip is not known (--time-only)" : chip);
  return "";
}

/// Says in what the earlier run did more of a kernel than this one.
std::string more_of_kernel(const Subtrahend& earlier, const EarlierKernel& before, const KernelRow& now) {
  const std::string& name = before.row.name;
  if (before.row.launches > now.launches)
    return too_much(earlier, "launches", name, std::to_string(before.row.launches), std::to_string(now.launches));
  if (is_more_time(now.measures.seconds, before.row.measures.seconds))
    return too_much(earlier, "time", name, duration(*before.row.measures.seconds), duration(*now.measures.seconds));
  if (!now.why_no_counts.empty() || !before.row.why_no_counts.empty()) return "";
  for (const auto& [metric, count] : before.counts) {
    const auto found = now.scaled.find(metric);
    if (found == now.scaled.end())
      return fmt::format("{} was counted by other counters: {} has {}, which this run did not count", earlier.file, name, metric);
    if (count - found->second > much_of_counts * count)
      return too_much(earlier, metric, name, fmt::format("{:.0f}", count), fmt::format("{:.0f}", found->second));
  }
  for (const auto& [metric, count] : now.scaled)
    if (!before.counts.contains(metric))
      return fmt::format("{} was counted by other counters: {} lacks {}, which this run counted", earlier.file, name, metric);
  return "";
}

std::string why_not(const Subtrahend& earlier, const EarlierKernels& before, const KernelResult& result) {
  const std::string by = result.profile.is_timed ? "activities" : "counters";
  if (earlier.words.gpu_time_by != by)
    return fmt::format("the times of {} are by {}, and this run's by {}: those under a profiler are others", earlier.file,
                       earlier.words.gpu_time_by, by);
  if (earlier.words.ranks != result.launched)
    return fmt::format("{} is of {} ranks, and this run of {}", earlier.file, earlier.words.ranks, result.launched);
  if (auto other = of_other_gpus(earlier, before, result.profile); !other.empty()) return other;
  for (const auto& [key, kernel] : before) {
    const auto now =
        std::ranges::find_if(result.profile.kernels, [&](const auto& row) { return row.symbol == key.first && row.chip == key.second; });
    if (auto more = more_of_kernel(earlier, kernel, now == result.profile.kernels.end() ? KernelRow{} : *now); !more.empty()) return more;
  }
  return "";
}

// ------------------------------------------------------------------------------------------------------------ taken away

/// Takes an earlier run's launches of a kernel away. `counters`: of its chip.
void take_away(const EarlierKernel& before, const std::vector<KernelCounter>& counters, KernelRow& row) {
  row.launches = less(row.launches, before.row.launches);
  row.of_graphs = std::min(less(row.of_graphs, before.row.of_graphs), row.launches);
  row.counted_run = row.launches - row.of_graphs;
  row.counted = std::min(row.counted, row.launches);
  const Amount seconds = less(row.measures.seconds, before.row.measures.seconds);
  if (row.why_no_counts.empty() && !before.row.why_no_counts.empty())
    row.why_no_counts = "the earlier run that was taken away has no counts of it: " + before.row.why_no_counts;
  row.measures = {};
  if (row.why_no_counts.empty()) {
    for (auto& [metric, count] : row.scaled) count = less(count, before.counts.at(metric));
    row.measures = measures_of(row.scaled, counters);
  } else {
    row.scaled.clear();
  }
  row.measures.seconds = seconds;
}

/// Takes a row of each name away from one of the same name.
template <class Row, class Name, class Take>
void take_each(std::vector<Row>& rows, const std::vector<Row>& before, Name Row::*name, Take take) {
  for (auto& row : rows)
    if (const auto found = std::ranges::find(before, row.*name, name); found != before.end()) take(*found, row);
}

void take_from_regions(const std::vector<KernelRegion>& before, std::vector<KernelRegion>& regions) {
  take_each(regions, before, &KernelRegion::name, [](const KernelRegion& earlier, KernelRegion& region) {
    region.entries = less(region.entries, earlier.entries), region.launches = less(region.launches, earlier.launches);
    region.of_graphs = less(region.of_graphs, earlier.of_graphs);
    region.seconds = less(region.seconds, earlier.seconds);
    if (region.why_no_counts.empty()) region.why_no_counts = earlier.why_no_counts;
    region.measures = less(region.measures, earlier.measures);
    region.summed_seconds = region.measures.seconds;
  });
  std::erase_if(regions, [](const KernelRegion& region) { return region.entries == 0 && region.launches == 0; });
}

void take_from_others(const ShownKernels& before, KernelResult& result) {
  take_from_regions(before.regions, result.regions);
  take_each(result.copies, before.copies, &TimedCopies::what, [](const TimedCopies& earlier, TimedCopies& copies) {
    copies.number = less(copies.number, earlier.number), copies.bytes = less(copies.bytes, earlier.bytes);
    copies.seconds = less(copies.seconds, earlier.seconds);
  });
  std::erase_if(result.copies, [](const TimedCopies& copies) { return copies.number == 0; });
  take_each(result.ranks, before.ranks, &KernelRank::rank, [](const KernelRank& earlier, KernelRank& rank) {
    rank.launches = less(rank.launches, earlier.launches), rank.counted = std::min(rank.counted, rank.launches);
    rank.seconds = less(rank.seconds, earlier.seconds), rank.wall_seconds = less(rank.wall_seconds, earlier.wall_seconds);
    rank.flops = less(rank.flops, earlier.flops);
  });
  if (std::isfinite(result.timed_seconds)) result.timed_seconds = less(result.timed_seconds, before.words.wall_seconds);
}

/// Sums what is left.
void sum_up(const Amount& seconds, KernelProfile& profile) {
  profile.total = {};
  bool any = false;
  for (auto& kernel : profile.kernels) {
    kernel.parts.clear();
    kernel.first_seconds_ratio = kernel.first_threads_ratio = kernel.imbalance = std::nullopt;
    kernel.summed_seconds = kernel.measures.seconds;
    if (!kernel.why_no_counts.empty()) continue;
    if (any)
      add(profile.total, kernel.measures);
    else
      profile.total = kernel.measures;
    any = true;
  }
  profile.total.seconds = seconds;
  std::ranges::stable_sort(profile.kernels,
                           [](const auto& a, const auto& b) { return a.measures.seconds.value_or(0) > b.measures.seconds.value_or(0); });
}

}  // namespace

std::string subtract(const Subtrahend& earlier, KernelResult& result) {
  const auto shown = stored_kernels(earlier.words, earlier.rows);
  if (!shown) return earlier.file + " is not of GPU kernels";
  const EarlierKernels before = kernels_of(earlier, *shown, result.profile);
  if (std::string why = why_not(earlier, before, result); !why.empty()) return why;
  KernelProfile& profile = result.profile;
  const std::size_t all = profile.kernels.size();
  const Amount seconds = less(profile.total.seconds, shown->profile.total.seconds);
  for (auto& row : profile.kernels)
    if (const auto found = before.find({row.symbol, row.chip}); found != before.end())
      take_away(found->second, result.runs.counters[row.chip], row);
  std::erase_if(profile.kernels, [](const KernelRow& row) { return row.launches == 0; });
  take_from_others(*shown, result);
  sum_up(seconds, profile);
  result.minus = earlier.file, result.minus_command = earlier.words.command;
  result.notes.insert(
      result.notes.begin(),
      fmt::format(
          "--subtract: launches, times, FLOPs and bytes are this run's less those of an earlier one ({}), kernel by kernel; of {} of "
          "{} it had as many launches as this run, and nothing is left of them; how runs of the same differ by themselves is "
          "in no number",
          earlier.file, all - profile.kernels.size(), number_of(all, "kernel", "kernels")));
  return "";
}

}  // namespace plumbline::app
