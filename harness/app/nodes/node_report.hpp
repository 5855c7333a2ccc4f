// The report says which of a file's like nodes is worse than its peers, with the evidence: for the end of a run, and for `plumbline nodes`.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/nodes/seen_nodes.hpp"
#include "core/error.hpp"
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

/// The exit code: 4: a wrong result, 3: a node is named, else 0.
Exit exit_of(const NodeReport& report);

/// The nodes that are slower, one line each, as an error tells it.
std::vector<std::string> slower_nodes(const NodeReport& report);
/// The wrong results, one line each.
std::vector<std::string> wrong_on_nodes(const NodeReport& report);
/// The lines that a run says of its nodes at the end; each finding with its evidence.
std::vector<std::string> summary_lines(const NodeReport& report);

std::string nodes_text(const NodeReport& report);
Json nodes_json_rows(const NodeReport& report);
std::string nodes_document(const NodeReport& report);

}  // namespace plumbline::app
