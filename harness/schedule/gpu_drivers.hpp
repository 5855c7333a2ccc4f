// Each GPU of a node is driven by one rank, on one CPU, and some GPUs at the same time; these are pure functions that choose.
#pragma once
#include <string>
#include <vector>

#include "machine/topology.hpp"

namespace plumbline {

/// A GPU as one rank sees it: CUDA_VISIBLE_DEVICES, or what the launcher gave it, may hide others.
struct SeenGpu {
  std::string pci;   // "0000:17:00.0", which parts of one GPU (MIG) share
  std::string uuid;  // that tells them apart; may be empty
};

/// A GPU of a node, or a part of one.
struct GpuOfNode {
  std::string pci, uuid;
  std::vector<int> seen_as;  // [rank of the node]: its place in that rank's list; -1: the rank does not see it
};

/// The GPUs that all ranks together see, by PCI address and then UUID. Where a rank was told no UUIDs, GPUs of one address are the same in
/// the order of its list.
std::vector<GpuOfNode> gpus_of_node(const std::vector<std::vector<SeenGpu>>& ranks);

/// The GPUs of a team's ranks, of which each drives one that it sees: of each rank the place in `gpus`, the first rank's as far as can be
/// the first that it sees. Empty where not every one of so many ranks can have one of its own.
std::vector<int> gpus_of_team(const std::vector<GpuOfNode>& gpus, int ranks);

/// The rank and the CPU that drive a GPU, and the turn in which they do.
struct GpuDriver {
  int rank = -1, cpu = -1;
  int turn = 0;         // GPUs of one turn are driven at the same time, by different ranks on different CPUs
  std::string refusal;  // why nobody can; else empty
};

/// Chooses one driver for each GPU: a rank that sees it. The GPUs are spread evenly over the ranks, and then as near to the ranks' CPUs as
/// can be. `allowed`: the CPUs that the launcher left to each rank.
std::vector<GpuDriver> drivers_of(const std::vector<GpuOfNode>& gpus, const std::vector<std::vector<int>>& allowed, const Topology& node);

}  // namespace plumbline
