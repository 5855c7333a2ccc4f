#include "app/gpu_kernels/kernel_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace plumbline::app {
namespace {

/// Adds the marks of a process.
void add_marks(const ProgramPhases& phases, bool is_timed, std::map<std::string, KernelRegion>& regions) {
  for (const auto& marked : phases.regions) {
    KernelRegion& region = regions[marked.name];
    region.name = marked.name;
    region.entries += marked.entries;
    ++region.processes;
    region.open = region.open || marked.open;
    if (is_timed) region.seconds = std::max(region.seconds.value_or(0), marked.seconds);
  }
}

/// Adds the kernels that were launched in it.
void add_kernels(const KernelProfile& profile, KernelRegion& region) {
  std::uint64_t without = 0;
  bool any = false;
  RankSeconds by_rank;
  for (const auto& kernel : profile.kernels) {
    bool is_in = false;
    for (const auto& part : kernel.parts) {
      const std::uint64_t launches = profile.is_timed ? part.all.launches : part.counted_run;
      if (launches == 0 || std::find(part.regions.begin(), part.regions.end(), region.name) == part.regions.end()) continue;
      region.launches += launches;
      region.of_graphs += part.of_graphs;
      by_rank.add(part.rank, part.measures.seconds);
      if (any)
        add(region.measures, part.measures);
      else
        region.measures = part.measures;
      is_in = any = true;
    }
    if (is_in) ++region.kernels;
    if (is_in && !kernel.why_no_counts.empty()) ++without;
  }
  region.measures.seconds = by_rank.longest(), region.summed_seconds = by_rank.sum();
  if (region.launches == 0) region.why_no_counts = "no kernel was launched in it";
  if (without == 0) return;
  region.why_no_counts = fmt::format("{} of its {} kernels have no counts", without, region.kernels);
  region.measures = {.seconds = region.measures.seconds};
}

}  // namespace

std::vector<KernelRegion> kernel_regions(const KernelProfile& profile, const KernelRuns& runs) {
  std::map<std::string, KernelRegion> by_name;
  for (const auto& one : profile.is_timed ? runs.timed : runs.counted) add_marks(one.report.phases, profile.is_timed, by_name);
  std::vector<KernelRegion> regions;
  for (auto& [name, region] : by_name) {
    add_kernels(profile, region);
    regions.push_back(std::move(region));
  }
  std::stable_sort(regions.begin(), regions.end(),
                   [](const auto& a, const auto& b) { return a.measures.seconds.value_or(0) > b.measures.seconds.value_or(0); });
  return regions;
}

std::vector<TimedCopies> kernel_copies(const std::vector<RankReport>& timed) {
  std::map<std::string, TimedCopies> by_name;
  for (const auto& one : timed)
    for (const auto& copies : one.report.times.copies) {
      TimedCopies& sum = by_name[copies.what];
      sum.what = copies.what;
      sum.number += copies.number;
      sum.bytes += copies.bytes;
      sum.seconds += copies.seconds;
    }
  std::vector<TimedCopies> all;
  for (auto& [what, copies] : by_name) all.push_back(std::move(copies));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return all;
}

}  // namespace plumbline::app
