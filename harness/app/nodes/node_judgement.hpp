// The judgement of a file's like nodes: which is worse than its peers, and which computed wrong; node_report.hpp tells of it.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "app/nodes/seen_nodes.hpp"
#include "model/comparing/node_comparison.hpp"

namespace plumbline::app {

/// A result check that failed on a node, once or in several rounds.
struct WrongOnNode {
  WrongResult wrong = {};
  std::size_t peers_right = 0, peers_wrong = 0;  // like nodes on which the same check passed, or failed
};

struct NodeReport {
  std::string file = {}, cluster = {};  // cluster empty: unknown
  NodeOptions options = {};
  NodeComparison comparison = {};
  std::vector<WrongOnNode> wrong = {};
  std::map<std::string, SeenConditions> conditions = {};  // [node]
  FailedGpus failed_gpus = {};
  std::vector<std::string> notes = {};
};

NodeReport judge_nodes(const SeenNodes& seen, const std::string& file, const NodeOptions& options);
NodeReport judge_nodes(const Results& results, const std::string& file, const NodeOptions& options);

}  // namespace plumbline::app
