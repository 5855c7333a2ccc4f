// How far a CPU is from a GPU.
#pragma once
#include <set>

#include "machine/topology.hpp"

namespace plumbline {

/// Beside it, in a NUMA domain or package where some CPU is beside it, elsewhere. A second thread of a core counts as farther than any
/// first thread beside the GPU, but nearer than another domain's.
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
