// A plan says which node measures which case in which round. Pure: all ranks compute the same rounds from the same facts, each for its own
// node, so that none holds nodes x cases.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/case.hpp"

namespace plumbline {

/// The facts about a node that planning needs.
struct PlanNode {
  std::string name;  // host
  std::string kind;  // equal for nodes whose results may stand for each other: CPU name, caches, cores
  int ranks = 1;
  std::vector<std::string> isas = {};
  std::vector<std::string> gpu_flavors = {};  // that its GPUs run
  std::string gpus = "no GPU";                // in words: which it has, or why none
};

/// A request for a plan: the nodes, and what is finished or cannot run on them.
struct PlanRequest {
  std::vector<PlanNode> nodes = {};
  std::size_t here = 0;     // the node that the plan is for
  bool distribute = false;  // else every node measures every case
  bool turns = false;       // every node measures every case, one node after the other
  std::uint64_t seed = 1;
  bool in_written_order = false;        // the cases come as they are, not in random order
  std::vector<double> seconds = {};     // estimate of each case
  std::vector<std::string> needs = {};  // ISA (a team with GPUs: flavor) that each case needs, empty for any (a team with GPUs: any GPU);
                                        // an empty list: all run everywhere
  /// Whether nothing of a case is left to do on a node; under distribute it is asked of one node of each kind, and means the
  /// kind. Empty: nothing is finished.
  std::function<bool(std::size_t which, std::size_t node)> finished = {};
  /// The reason why a case cannot run on a node beyond team size and ISA (its placement); empty: it can. An empty function: it always can.
  std::function<std::string(std::size_t which, std::size_t node)> refusal = {};
};

/// The rounds of a run as one node goes through them.
struct Plan {
  struct Round {
    std::vector<std::size_t> cases;   // that any node measures, each once
    std::optional<std::size_t> here;  // that this node does
  };
  /// The rounds of the run, through all of which every rank goes.
  std::vector<Round> rounds;
  /// Cases that this node does not measure, and why; finished ones are not among them. Under distribute the first node of a kind says so
  /// for all.
  struct Skip {
    std::size_t which, node;
    std::string reason;
  };
  std::vector<Skip> skipped;
  double seconds = 0;  // estimate: the sum over rounds of the slowest node
};

/// Makes the plan in O((nodes + cases) log(nodes + cases)) where nodes of a kind run the same and nothing is finished; else finished() is
/// asked up to nodes x cases times under every_node, cases times for each kind under distribute.
Plan make_plan(const std::vector<Case>& cases, const PlanRequest& request);

}  // namespace plumbline
