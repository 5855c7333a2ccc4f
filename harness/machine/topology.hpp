// A node's parts and how they lie to each other, by hwloc: cores, caches, NUMA domains, GPUs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/flows.hpp"

namespace plumbline {

/// One level of data cache as one CPU sees it.
struct CacheFacts {
  int level = 0;
  std::uint64_t bytes = 0;
  std::uint32_t ways = 0;  // 0: unknown; a fully associative cache has bytes / line_bytes
  std::uint32_t line_bytes = 0;
  int shared_by_cpus = 0;
};

/// A logical CPU (hwloc's processing unit).
struct CpuFacts {
  int cpu = 0;      // the operating system's number, as for affinity
  int core = 0;     // index of its core
  int sibling = 0;  // 0 for the first CPU of its core
  int numa = 0;     // index of its NUMA domain
  int package = 0;
  bool allowed = true;  // by affinity and control group
};

/// A GPU as the bus shows it, and the CPUs beside it.
struct GpuFacts {
  std::string pci;             // "0000:17:00.0"
  std::string vendor, name;    // as far as hwloc knows
  std::vector<int> near_cpus;  // CPUs beside it; all when nothing says
  int numa = -1;               // index of its NUMA domain, -1: several
};

/// A node's parts as hwloc finds them.
struct Topology {
  int packages = 0, numa_nodes = 0, cores = 0, pus = 0;
  std::vector<int> numa_memories;  // of each NUMA domain, the operating system's number of its memory
  std::vector<CpuFacts> cpus;      // neighbours beside each other: by package, NUMA domain, core, sibling
  std::vector<CacheFacts> caches;  // data caches of the first CPU, from the core outwards
  std::vector<GpuFacts> gpus;      // by PCI address
  std::uint64_t memory_bytes = 0;

  /// The numbers of the CPUs that this process may use, in the order of `cpus`.
  std::vector<int> allowed_cpus() const;
};

/// The CPUs' numbers as ranges: "0-3,8".
std::string cpu_ranges(std::vector<int> cpus);

/// The caches as models take them. A team's threads share those from L3 on.
std::vector<CacheLevel> cache_levels(const Topology& topology);

/// The topology of this machine, with what the calling thread may use (call before anything is bound). Throws Error (I/O) when hwloc fails.
Topology this_topology();
/// The topology of a machine stored by lstopo; everything that the document allows is allowed. Throws Error (user) when the file is none.
Topology topology_from_xml(const std::string& path);

}  // namespace plumbline
