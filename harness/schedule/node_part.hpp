// The ranks of a node may use all of it, or the part that a launcher, a batch system or a control group left them.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "machine/topology.hpp"

namespace plumbline {

/// The part of a node that its ranks may use.
struct NodePart {
  int cores = 0, of_cores = 0;                                 // with a CPU that a rank may use; all of the node's
  int numa_domains = 0, packages = 0;                          // those in which `cores` lie
  double cpu_quota = std::numeric_limits<double>::infinity();  // CPUs that may work at a time

  /// The number of cores that work at a time without waiting for the quota; at least 1.
  int cores_at_once() const;
  bool is_whole() const { return cores_at_once() == of_cores; }
  /// The part in words: "64 of 128 cores", "1 of 2 cores (a CPU quota of 1.5)".
  std::string in_words() const;
  /// Advice for a user who wants the whole node.
  std::string advice() const;
};

/// The node as these ranks together may use it; `allowed` holds each rank's CPUs.
Topology with_allowed(Topology node, const std::vector<std::vector<int>>& allowed);

/// The part that CpuFacts::allowed and the quota leave. `cpu_quota`: infinite where none is set.
NodePart part_of(const Topology& node, double cpu_quota);

}  // namespace plumbline
