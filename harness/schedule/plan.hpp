// Which node measures which case in which round. Pure: all ranks compute the same plan from the same facts.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/case.hpp"

namespace plumbline {

/// What planning needs to know of a node.
struct PlanNode {
  std::string name;  // host
  std::string kind;  // equal for nodes whose results may stand for each other: CPU name, caches, cores
  int ranks = 1;
  std::vector<std::string> isas = {};
};

struct PlanRequest {
  std::vector<PlanNode> nodes = {};
  bool distribute = false;  // else every node measures every case
  std::uint64_t seed = 1;
  std::vector<double> seconds = {};     // estimate of each case
  std::vector<std::string> needs = {};  // ISA that each case's flavor needs, empty for any; an empty list: all run everywhere
  /// Whether nothing of a case is left to do on a node; under distribute a case that any node of a kind has finished is finished for
  /// that kind. Empty: nothing is finished.
  std::function<bool(std::size_t which, std::size_t node)> finished = {};
  /// Why a case cannot run on a node beyond team size and ISA (its placement); empty: it can. Empty function: it always can.
  std::function<std::string(std::size_t which, std::size_t node)> refusal = {};
};

struct Plan {
  /// rounds[r][node]: the case that this node measures in round r, if any. Every rank goes through all rounds.
  std::vector<std::vector<std::optional<std::size_t>>> rounds;
  /// Cases that a node does not measure, and why; finished ones are not among them.
  struct Skip {
    std::size_t which, node;
    std::string reason;
  };
  std::vector<Skip> skipped;
  double seconds = 0;  // estimate: the sum over rounds of the slowest node
};

Plan make_plan(const std::vector<Case>& cases, const PlanRequest& request);

}  // namespace plumbline
