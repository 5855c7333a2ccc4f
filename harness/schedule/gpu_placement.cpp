#include "schedule/gpu_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace plumbline {
namespace {

// How far a CPU is from a GPU: beside it, in a NUMA domain or package where some CPU is beside it, elsewhere. A second thread of a
// core counts as farther than any first thread beside the GPU, but nearer than another domain's.
class Distance {
 public:
  Distance(const Topology& node, const GpuFacts& gpu) : near_(gpu.near_cpus.begin(), gpu.near_cpus.end()) {
    for (const auto& cpu : node.cpus)
      if (near_.contains(cpu.cpu)) {
        domains_.insert(cpu.numa);
        packages_.insert(cpu.package);
      }
  }
  int operator()(const CpuFacts& cpu) const {
    const int away = near_.contains(cpu.cpu) ? 0 : domains_.contains(cpu.numa) ? 1 : packages_.contains(cpu.package) ? 2 : 3;
    return 2 * away + (cpu.sibling > 0 ? 1 : 0);
  }

 private:
  std::set<int> near_, domains_, packages_;
};

}  // namespace

TeamPlacement place_on_gpus(const Topology& node, Team team) {
  TeamPlacement placement;
  if (node.gpus.size() < static_cast<std::size_t>(team.ranks)) {
    placement.refusal = fmt::format("team {} needs {} GPUs, one a rank; this node has {}", team.name(), team.ranks, node.gpus.size());
    return placement;
  }
  std::set<int> taken;
  for (int rank = 0; rank < team.ranks; ++rank) {
    const Distance distance(node, node.gpus[static_cast<std::size_t>(rank)]);
    std::vector<CpuFacts> free;
    for (const auto& cpu : node.cpus)
      if (cpu.allowed && !taken.contains(cpu.cpu)) free.push_back(cpu);
    if (free.size() < static_cast<std::size_t>(team.threads)) {
      placement.cpus.clear();
      placement.gpus.clear();
      placement.refusal =
          fmt::format("team {} needs {} CPUs, this node allows {}", team.name(), team.ranks * team.threads, node.allowed_cpus().size());
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
