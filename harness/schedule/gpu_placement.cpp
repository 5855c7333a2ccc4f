#include "schedule/gpu_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "schedule/gpu_distance.hpp"

namespace plumbline {

TeamPlacement place_on_gpus(const Topology& node, const std::vector<std::vector<int>>& allowed, Team team) {
  TeamPlacement placement;
  if (node.gpus.size() < static_cast<std::size_t>(team.ranks)) {
    placement.refusal = fmt::format("team {} needs {} GPUs, one a rank; this node has {}", team.name(), team.ranks, node.gpus.size());
    return placement;
  }
  std::set<int> taken;
  for (int rank = 0; rank < team.ranks; ++rank) {
    const GpuDistance distance(node, node.gpus[static_cast<std::size_t>(rank)]);
    const auto& own_cpus = allowed[static_cast<std::size_t>(rank)];
    std::vector<CpuFacts> free;
    for (const auto& cpu : node.cpus)
      if (std::ranges::find(own_cpus, cpu.cpu) != own_cpus.end() && !taken.contains(cpu.cpu)) free.push_back(cpu);
    if (free.size() < static_cast<std::size_t>(team.threads)) {
      placement.cpus.clear();
      placement.gpus.clear();
      placement.refusal = fmt::format("team {} needs {} CPUs, {} for each rank: for rank {} {} are left of the {} that it may use{}",
                                      team.name(), team.ranks * team.threads, team.threads, rank, free.size(), own_cpus.size(),
                                      team.threads > 1 ? "; use fewer threads" : "");
      return placement;
    }
    std::stable_sort(free.begin(), free.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    auto& own = placement.cpus.emplace_back();
    for (int thread = 0; thread < team.threads; ++thread) own.push_back(free[static_cast<std::size_t>(thread)].cpu);
    taken.insert(own.begin(), own.end());
    placement.gpus.push_back(rank);
  }
  return placement;
}

}  // namespace plumbline
