// Each thread of a team gets its CPUs on a node. Pure: from the topology alone.
#pragma once
#include <string>
#include <vector>

#include "core/case.hpp"
#include "machine/topology.hpp"

namespace plumbline {

/// The CPUs of each thread of a team, or why there is no such placement.
struct TeamPlacement {
  std::vector<std::vector<int>> cpus;  // [rank][thread], the system's CPU numbers; empty when refused
  std::vector<int> gpus;               // [rank], index in Topology::gpus; empty for teams without GPUs
  bool oversubscribed = false;         // some CPU is given twice
  std::string refusal;                 // why there is no placement; empty when there is one
};

/// Ranks are spread evenly over the NUMA domains, the threads of a rank stay together inside one where they fit, and cores are used
/// before the second threads of cores. Only allowed CPUs are used. A team that is larger than the node is refused, unless
/// `oversubscribe`: then CPUs are given in turn.
TeamPlacement place_team(const Topology& node, Team team, bool oversubscribe);

/// Places a team where the launcher bound the ranks: `allowed` holds each rank's own CPUs, in rank order (only those that are also in the
/// topology count). Equal sets of all ranks are one set for all.
TeamPlacement place_team(const Topology& node, const std::vector<std::vector<int>>& allowed, Team team, bool oversubscribe);

/// The part of a node that a team's CPUs fill: "core", "NUMA domain", "socket", "node" (the widest of them that has no other core, whether
/// the team may use it or not), else "64 of 128 cores"; empty for no CPUs.
std::string scope_of(const Topology& node, const std::vector<std::vector<int>>& cpus);

/// Whether all of a team's CPUs are of one NUMA domain.
bool is_in_one_domain(const Topology& node, const std::vector<std::vector<int>>& cpus);

/// The most ranks of a team that lie on one L3, where each has but a part of it; 1 where no L3 is known.
int ranks_on_one_l3(const Topology& node, const std::vector<std::vector<int>>& cpus);

/// The CPUs that occur more than once.
std::vector<int> shared_cpus(const std::vector<std::vector<int>>& cpus);

}  // namespace plumbline
