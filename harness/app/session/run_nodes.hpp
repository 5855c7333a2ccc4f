// The nodes of a run, as all its ranks know them before they plan.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/here/gpus.hpp"
#include "app/session/run_input.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "campaign/expand.hpp"
#include "comm/communicator.hpp"
#include "schedule/node_part.hpp"
#include "schedule/plan.hpp"

namespace plumbline::app {

/// The nodes of a run, the same on every rank, in the order of Communicator::node().
struct RunNodes {
  std::vector<PlanNode> facts;
  std::vector<std::vector<std::string>> counting;  // keys of the event groups that each node counts with
  int fewest_ranks = 1, fewest_cores = 1, most_ranks = 0;
  int gpus_of_a_team = 1;                                                         // the most that ranks of any node can have one each
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> parts;  // {"64 of 128 cores", advice}: nodes with no more
  double memory_bytes = 0;                                                        // the least available of any node
  std::vector<NodeGpus> gpus;                       // of each, as its first rank sees them: cases of one GPU run there
  std::vector<std::string> flavors;                 // of all GPUs of all nodes, whoever sees them
  std::vector<std::size_t> gpu_counts;              // of each node, all ranks together
  std::vector<int> devices;                         // of each, the GPU of those cases
  std::vector<std::vector<std::string>> gpu_uuids;  // of each node's GPUs, all ranks together; those that have one
  std::uint64_t gpu_memory_bytes = 0;               // the least of any GPU
};

/// Brings the nodes together, collectively. The leaders tell each other and then their nodes: what is told grows with the nodes, not with
/// the ranks. `part`: of this node, that its ranks may use; `driven`: its GPUs whose ceilings are measured.
RunNodes meet_nodes(const RunInput& input, const NodePart& part, const DrivenGpus& driven, Communicator& ranks);

/// The traits that make nodes alike: CPU, cores, caches, and GPUs where the campaign asks for them. Found by a node's leader alone.
std::string kind_of(const RunInput& input, const NodePart& part);

/// The target that cases can run on, for their expansion.
Target target_of(const RunNodes& nodes);
/// The reason why this CPU's AMX cannot be used, in words; of a CPU that has it.
std::string no_tiles();

/// Notes on what is measured where a launcher, a batch system or a control group gave less than a node.
std::vector<std::string> notes_of_parts(const RunNodes& nodes);
/// Notes on what becomes of further GPUs.
std::vector<std::string> notes_of_gpus(const RunNodes& nodes, const Campaign& campaign);

}  // namespace plumbline::app
