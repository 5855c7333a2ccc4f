// The stored topologies, and a look at where CPUs lie in them.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "machine/topology.hpp"

namespace plumbline {

inline Topology stored(const std::string& name) { return topology_from_xml(std::string(TOPOLOGIES) + "/" + name + ".xml"); }

inline const CpuFacts& facts_of(const Topology& node, int cpu) {
  return *std::find_if(node.cpus.begin(), node.cpus.end(), [&](const auto& facts) { return facts.cpu == cpu; });
}

inline std::set<int> domains_of(const Topology& node, const std::vector<int>& cpus) {
  std::set<int> domains;
  for (const int cpu : cpus) domains.insert(facts_of(node, cpu).numa);
  return domains;
}

inline std::set<int> cores_of(const Topology& node, const std::vector<std::vector<int>>& cpus) {
  std::set<int> cores;
  for (const auto& rank : cpus)
    for (const int cpu : rank) cores.insert(facts_of(node, cpu).core);
  return cores;
}

}  // namespace plumbline
