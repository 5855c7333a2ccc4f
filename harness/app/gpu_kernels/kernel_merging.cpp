// The reports of processes become a row for each kernel: what one run counted is scaled to what the other one timed.
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "app/gpu_kernels/kernel_profile.hpp"

namespace plumbline::app {
namespace {

using Key = std::pair<std::string, std::string>;  // of a kernel: symbol and chip

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "a" would be a type: signed char
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name ? name.get() : symbol;
}

/// The GPUs that the counting run told of, by rank and number. A run that times knows the numbers alone.
class KnownGpus {
 public:
  explicit KnownGpus(const std::vector<RankReport>& counted) {
    for (const auto& [rank, report] : counted)
      for (const auto& gpu : report.counts.gpus)
        if (auto& known = gpus_[{rank, gpu.ordinal}]; known.chip.empty()) known = gpu;
  }
  CountedGpu of(int rank, int ordinal) const {
    const auto found = gpus_.find({rank, ordinal});
    return found == gpus_.end() ? CountedGpu{} : found->second;
  }

 private:
  std::map<std::pair<int, int>, CountedGpu> gpus_;
};

std::vector<std::string> regions_of(const ProgramPhases& phases, std::uint32_t phase) {
  std::vector<std::string> names;
  for (const std::uint32_t region : phases.phases.at(phase)) names.push_back(phases.regions.at(region).name);
  return names;
}

void add(LaunchSums& to, const LaunchSums& more) {
  to.launches += more.launches;
  to.seconds += more.seconds;
  to.threads += more.threads;
}

/// The rows while reports are read.
class GatheredRows {
 public:
  explicit GatheredRows(const KernelRuns& runs) : runs_(runs), gpus_(runs.counted) {
    for (const auto& one : runs.counted) add_counted(one);
    for (const auto& one : runs.timed) add_timed(one);
  }

  std::map<Key, KernelRow> take() { return std::move(rows_); }

 private:
  void add_counted(const RankReport& one) {
    std::set<Key> met;
    for (const auto& kernel : one.report.counts.kernels) {
      if (kernel.launches == 0) continue;  // each failed
      const CountedGpu gpu = find(one.report.counts.gpus, kernel.gpu);
      KernelRow& row = row_of(kernel.name, gpu, one, kernel.gpu);
      if (met.insert({kernel.name, gpu.chip}).second) ++row.processes;
      counted_.insert({kernel.name, gpu.chip});
      KernelPart& part = part_of(row, one.rank, regions_of(one.report.phases, kernel.phase));
      part.counted_run += kernel.launches;
      part.counted += kernel.counted;
      for (std::size_t i = 0; i < std::min(gpu.metrics.size(), kernel.sums.size()); ++i) part.sums[gpu.metrics[i]] += kernel.sums[i];
    }
  }

  void add_timed(const RankReport& one) {
    std::set<Key> met;
    for (const auto& kernel : one.report.times.kernels) {
      const CountedGpu gpu = gpus_.of(one.rank, kernel.gpu);
      KernelRow& row = row_of(kernel.name, gpu, one, kernel.gpu);
      if (met.insert({kernel.name, gpu.chip}).second && !counted_.contains({kernel.name, gpu.chip})) ++row.processes;
      KernelPart& part = part_of(row, one.rank, regions_of(one.report.phases, kernel.phase));
      add(part.all, kernel.all);
      add(part.first, kernel.first);
      part.of_graphs += kernel.of_graphs;
      part.longest_seconds = std::max(part.longest_seconds, kernel.longest_seconds);
    }
  }

  static CountedGpu find(const std::vector<CountedGpu>& gpus, int ordinal) {
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const auto& one) { return one.ordinal == ordinal; });
    return gpu == gpus.end() ? CountedGpu{} : *gpu;
  }

  KernelRow& row_of(const std::string& symbol, const CountedGpu& gpu, const RankReport& one, int ordinal) {
    KernelRow& row = rows_[{symbol, gpu.chip}];
    if (row.symbol.empty()) row.symbol = symbol, row.name = demangled(symbol);
    row.chip = gpu.chip, row.compute_capability = gpu.compute_capability;
    row.ranks.insert(one.rank);
    row.devices.insert(runs_.gpu_of(one, ordinal));
    return row;
  }

  /// The parts of a rank come one after the other, so that the last ones are looked at first.
  static KernelPart& part_of(KernelRow& row, int rank, std::vector<std::string> regions) {
    const auto found =
        std::find_if(row.parts.rbegin(), row.parts.rend(), [&](const auto& part) { return part.rank == rank && part.regions == regions; });
    if (found != row.parts.rend()) return *found;
    return row.parts.emplace_back(KernelPart{.rank = rank, .regions = std::move(regions)});
  }

  const KernelRuns& runs_;
  const KnownGpus gpus_;
  std::map<Key, KernelRow> rows_;
  std::set<Key> counted_;  // kernels of the run that counts
};

/// Whether some record of the timed run is missing, so that its launches are more than it tells.
bool a_record_is_missing(const std::vector<RankReport>& timed) {
  return std::any_of(timed.begin(), timed.end(), [](const auto& one) {
    const KernelTimes& times = one.report.times;
    return !one.report.ended || times.dropped + times.crowded + times.untimed + times.unplaced + times.unreadable > 0;
  });
}

std::string so_often(std::uint64_t number) { return number == 1 ? "once" : fmt::format("{} times", number); }

/// Says where a part of a kernel's launches is, where it is not all there is: " in solve > step on rank 3".
std::string in_phase(const KernelPart& part, bool of_ranks) {
  std::string names;
  for (const auto& region : part.regions) names += (names.empty() ? "" : " > ") + region;
  return (names.empty() ? "" : " in " + names) + (of_ranks ? fmt::format(" on rank {}", part.rank) : "");
}

/// Says why a kernel that was timed has no counts, or none that are of the same work; empty where it has.
std::string why_no_counts(const KernelRow& row, const KernelRuns& runs, bool is_timed, bool lacks) {
  constexpr const char* missing = "records of the timed run are missing, so that nobody knows whether both runs did the same";
  if (row.launches == 0) return lacks ? missing : "the timed run did not launch it";
  if (is_timed && runs.counted.empty()) return "nothing was counted: --time-only";
  if (row.counted == 0 && row.of_graphs == row.launches)
    return "it ran as a node of CUDA graphs alone, whose kernels CUPTI's kernel replay does not count";
  if (is_timed && row.counted_run == 0) return "the counted run did not launch it";
  if (row.counted == 0) return "no launch of it was counted: see the notes";
  const bool of_ranks = row.ranks.size() > 1;
  for (const auto& part : row.parts) {
    const std::uint64_t own = is_timed ? part.all.launches - part.of_graphs : part.counted_run;
    if (is_timed && lacks && own < part.counted_run) return missing;
    if (own != part.counted_run)
      return fmt::format("it was launched{} {} in the timed run and {} in the counted one: they did not do the same",
                         in_phase(part, of_ranks), so_often(own), so_often(part.counted_run));
    if (part.counted == 0)
      return fmt::format("no launch of it was counted{}{}", part.regions.empty() ? " outside of regions" : "", in_phase(part, of_ranks));
  }
  return "";
}

/// Scales the counts of some launches to all.
std::map<std::string, double> scaled(const KernelPart& part, std::uint64_t launches) {
  std::map<std::string, double> sums = part.sums;
  const double factor = static_cast<double>(launches) / static_cast<double>(part.counted);
  for (auto& [metric, sum] : sums) sum *= factor;
  return sums;
}

Amount ratio_of(const LaunchSums& some, const LaunchSums& all, double LaunchSums::*what) {
  if (some.launches == 0 || all.*what <= 0) return std::nullopt;
  return some.*what / static_cast<double>(some.launches) / (all.*what / static_cast<double>(all.launches));
}

void add_sums(const std::map<std::string, double>& more, std::map<std::string, double>& to) {
  for (const auto& [metric, sum] : more) to[metric] += sum;
}

/// Sums the parts' launches.
void finish_launches(KernelRow& row, bool is_timed) {
  LaunchSums all, first;
  double longest = 0;
  for (const auto& part : row.parts) {
    row.launches += is_timed ? part.all.launches : part.counted_run;
    row.of_graphs += part.of_graphs;
    row.counted += part.counted;
    row.counted_run += part.counted_run;
    add_sums(part.sums, row.sums);
    add(all, part.all);
    add(first, part.first);
    longest = std::max(longest, part.longest_seconds);
  }
  if (is_timed && row.launches > 0) row.longest_seconds = longest;
  row.first_seconds_ratio = ratio_of(first, all, &LaunchSums::seconds);
  row.first_threads_ratio = ratio_of(first, all, &LaunchSums::threads);
}

/// Scales the counts of each part, and sums them.
void finish_measures(KernelRow& row, bool is_timed, const std::vector<KernelCounter>& counters) {
  row.counted_seconds = row.counted > 0 ? measures_of(row.sums, counters).seconds : std::nullopt;
  bool any = false;
  RankSeconds by_rank;
  for (auto& part : row.parts) {
    const std::uint64_t launches = is_timed ? part.all.launches : part.counted_run;
    if (row.why_no_counts.empty()) {
      const auto sums = scaled(part, launches);
      part.measures = measures_of(sums, counters);
      add_sums(sums, row.scaled);
    }
    if (is_timed) part.measures.seconds = launches > 0 ? Amount(part.all.seconds) : std::nullopt;
    if (is_timed && launches == 0) continue;
    by_rank.add(part.rank, part.measures.seconds);
    if (any)
      add(row.measures, part.measures);
    else
      row.measures = part.measures;
    any = true;
  }
  row.measures.seconds = by_rank.longest(), row.summed_seconds = by_rank.sum();
  if (row.ranks.size() > 1) row.imbalance = by_rank.imbalance();
}

KernelMeasures total_of(const std::vector<KernelRow>& kernels, bool is_timed) {
  KernelMeasures total;
  bool any = false;
  RankSeconds all, counted;
  for (const auto& kernel : kernels) {
    for (const auto& part : kernel.parts) {
      if (part.measures.seconds) all.add(part.rank, part.measures.seconds);
      if (kernel.why_no_counts.empty()) counted.add(part.rank, part.measures.seconds);
    }
    if (!kernel.why_no_counts.empty()) continue;
    if (any)
      add(total, kernel.measures);
    else
      total = kernel.measures;
    any = true;
  }
  total.seconds = is_timed ? all.longest() : counted.longest();
  return total;
}

}  // namespace

KernelProfile merge_kernels(const KernelRuns& runs) {
  KernelProfile profile;
  profile.is_timed = std::any_of(runs.timed.begin(), runs.timed.end(), [](const auto& one) { return !one.report.times.kernels.empty(); });
  const bool lacks = a_record_is_missing(runs.timed);
  for (auto& [key, row] : GatheredRows(runs).take()) {
    finish_launches(row, profile.is_timed);
    row.why_no_counts = why_no_counts(row, runs, profile.is_timed, lacks);
    const auto known = runs.counters.find(row.chip);
    finish_measures(row, profile.is_timed, known == runs.counters.end() ? std::vector<KernelCounter>{} : known->second);
    profile.kernels.push_back(std::move(row));
  }
  std::stable_sort(profile.kernels.begin(), profile.kernels.end(),
                   [](const auto& a, const auto& b) { return a.measures.seconds.value_or(0) > b.measures.seconds.value_or(0); });
  profile.total = total_of(profile.kernels, profile.is_timed);
  return profile;
}

}  // namespace plumbline::app
