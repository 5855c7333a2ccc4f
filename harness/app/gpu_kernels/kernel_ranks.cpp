#include "app/gpu_kernels/kernel_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace plumbline::app {
namespace {

/// The numbers of the GPUs that a process used.
std::set<int> ordinals_of(const KernelReport& report) {
  std::set<int> ordinals;
  for (const auto& gpu : report.times.gpus) ordinals.insert(gpu.ordinal);
  for (const auto& gpu : report.counts.gpus) ordinals.insert(gpu.ordinal);
  return ordinals;
}

/// A GPU in words: "0: NVIDIA H200 (GPU-1f0c...)", of a process whose end was not seen "0".
std::string in_words(const KernelReport& report, int ordinal) {
  for (const auto& gpu : report.devices)
    if (gpu.ordinal == ordinal && !gpu.name.empty())
      return fmt::format("{}: {}{}", ordinal, gpu.name, gpu.uuid.empty() ? "" : " (" + gpu.uuid + ")");
  return std::to_string(ordinal);
}

/// Calls take() for each process of either run.
template <class Take>
void for_each_process(const KernelRuns& runs, Take take) {
  for (const auto* reports : {&runs.timed, &runs.counted})
    for (const auto& one : *reports) take(one);
}

std::string devices_of(const KernelRuns& runs, int rank) {
  std::map<std::string, std::string> words;  // by the GPU's own name: the longest that either run has
  for_each_process(runs, [&](const RankReport& one) {
    if (one.rank != rank) return;
    for (const int ordinal : ordinals_of(one.report)) {
      auto& known = words[runs.gpu_of(one, ordinal)];
      if (auto said = in_words(one.report, ordinal); said.size() > known.size()) known = std::move(said);
    }
  });
  std::vector<std::string> all;
  for (auto& [gpu, said] : words) all.push_back(std::move(said));
  return fmt::format("{}", fmt::join(all, ", "));
}

/// Adds what the kernels were on a rank.
void add_kernels(const KernelProfile& profile, KernelRank& rank) {
  for (const auto& kernel : profile.kernels)
    for (const auto& part : kernel.parts) {
      if (part.rank != rank.rank) continue;
      rank.launches += profile.is_timed ? part.all.launches : part.counted_run;
      rank.counted += part.counted;
      if (part.measures.seconds) rank.seconds = rank.seconds.value_or(0) + *part.measures.seconds;
      if (kernel.why_no_counts.empty() && part.measures.flops) rank.flops = rank.flops.value_or(0) + *part.measures.flops;
    }
}

}  // namespace

std::vector<KernelRank> kernel_ranks(const KernelProfile& profile, const KernelRuns& runs, const std::vector<RankEnding>& endings) {
  std::vector<KernelRank> ranks;
  if (endings.size() < 2) return ranks;
  for (const auto& ending : endings) {
    KernelRank rank{.rank = ending.rank, .host = ending.host, .device = devices_of(runs, ending.rank), .exit = ending.code};
    if (ending.wall_seconds > 0) rank.wall_seconds = ending.wall_seconds;
    add_kernels(profile, rank);
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

std::string shared_gpus(const KernelRuns& runs) {
  std::map<std::string, std::set<int>> ranks;  // by GPU
  for_each_process(runs, [&](const RankReport& one) {
    for (const int ordinal : ordinals_of(one.report)) ranks[runs.gpu_of(one, ordinal)].insert(one.rank);
  });
  std::vector<std::string> shared;
  for (const auto& [gpu, its] : ranks)
    if (its.size() > 1) shared.push_back(fmt::format("{} by ranks {}", gpu, fmt::join(its, ", ")));
  constexpr std::size_t most = 4;
  const std::size_t all = shared.size();
  if (all > most) shared.resize(most), shared.push_back(fmt::format("and {} more", all - most));
  return fmt::format("{}", fmt::join(shared, "; "));
}

}  // namespace plumbline::app
