// A CPU has a distance from a GPU by where the topology places both.
#pragma once
#include <algorithm>
#include <set>
#include <string>

#include "machine/topology.hpp"

namespace plumbline {

/// The topology's facts of the GPU with that PCI address; one that it does not know is as near to every CPU.
inline GpuFacts gpu_at(const Topology& node, const std::string& pci) {
  const auto found = std::find_if(node.gpus.begin(), node.gpus.end(), [&](const GpuFacts& one) { return one.pci == pci; });
  if (found != node.gpus.end()) return *found;
  GpuFacts facts{.pci = pci, .vendor = {}, .name = {}, .near_cpus = {}};
  for (const auto& cpu : node.cpus) facts.near_cpus.push_back(cpu.cpu);
  return facts;
}

/// The distance of a CPU from a GPU: beside it, in a NUMA domain or package where some CPU is beside it, elsewhere. A second thread of a
/// core counts as farther than any first thread beside the GPU, but nearer than another domain's.
class GpuDistance {
 public:
  GpuDistance(const Topology& node, const GpuFacts& gpu) : near_(gpu.near_cpus.begin(), gpu.near_cpus.end()) {
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
  static constexpr int farthest = 7;

 private:
  std::set<int> near_, domains_, packages_;
};

}  // namespace plumbline
