// The document of a node in /machine holds all that is known about it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/cpu.hpp"
#include "machine/fact.hpp"
#include "machine/gpu_facts.hpp"
#include "machine/topology.hpp"

namespace plumbline {

/// The state of a node besides topology and CPU; nullopt (null in JSON): the system does not say.
struct NodeState {
  std::uint64_t memory_available_bytes = 0;
  std::optional<std::string> thp;       // transparent huge pages: always, madvise, never
  std::optional<std::string> governor;  // frequency governor of CPU 0
  std::optional<bool> smt;              // more than one thread a core is active
  std::optional<std::string> valgrind;  // "valgrind-3.19.0"; nullopt: none on PATH
  std::optional<int> perf_event_paranoid;
  Facts system, mitigations;
  NvidiaGpus nvidia;
  std::vector<std::string> libraries;  // file names of the shared libraries that this program runs with
};
/// Asks this node for its state. It runs `valgrind --version` and asks the GPU driver: once a node is enough.
NodeState this_node_state();

/// The document, one JSON object: node, cpu, caches, cores, pus, packages, numa_nodes, gpus, memory_bytes, memory_available_bytes, thp,
/// ..., "system" and "mitigations" (the names in system_facts.hpp), "gpu_driver" and, for each GPU that NVIDIA's driver shows, "driver" and
/// "now" (gpu_facts.hpp), "libraries". A value that is null has its reason in the "absent" beside it.
std::string machine_json(const std::string& node, const Topology& topology, const Cpu& cpu, const NodeState& state);

}  // namespace plumbline
