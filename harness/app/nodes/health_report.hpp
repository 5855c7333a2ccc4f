// A node's health is what was found of it, beside like nodes and against earlier nights, in a line a node.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/nights/check_report.hpp"
#include "app/nodes/node_report.hpp"
#include "core/error.hpp"

namespace plumbline::app {

enum class HealthKind { wrong_result, slower, failed, missing };
/// The word for a kind: "WRONG RESULT", "SLOWER", ...
std::string_view to_string(HealthKind kind);

struct HealthFinding {
  HealthKind kind = HealthKind::slower;
  std::string what = {};     // the case or ceiling; empty: the node as a whole
  std::string against = {};  // "like nodes", "earlier nights"; empty where it is held against nothing
  Judged judged = {.slowdown = absent, .lo = absent, .hi = absent};
  std::string text = {};  // a clause that names the node, what, and how much worse than what
};

struct NodeHealth {
  std::string node = {};                     // of a link: "nodeA with nodeB"
  std::size_t peers = 0, held = 0;           // like nodes; rows held against earlier nights
  std::vector<HealthFinding> findings = {};  // the worst kind first; none: nothing is wrong with it
};

struct HealthReport {
  std::string file = {};
  std::vector<NodeHealth> nodes = {};  // by name
  NodeReport beside = {};
  std::optional<CheckReport> earlier = {};
  std::string stopped = {};                    // why not everything was measured; empty: it was
  std::vector<std::string> without_work = {};  // nodes that the campaign gave nothing to measure, while others had work
  std::vector<std::string> notes = {};
};

/// Judges nodes. What is missing of nodes that took no part says nothing of these: it is left out of `earlier`. `stopped`: why not
/// everything was measured; where it was, a node on which nothing was measured is not in health.
HealthReport judge_health(const Results& results, NodeReport beside, std::optional<CheckReport> earlier, const std::string& stopped = {});

/// The exit code: 4: a wrong result, 3: a node is slower, 1: something failed or is missing, 75: nothing of that, but not everything was
/// measured; else 0.
Exit exit_of(const HealthReport& report);

/// The findings, as "NODE: is slower than like nodes: ...", a line for each node that something was found of. Empty: all are in health.
std::string health_findings(const HealthReport& report);
/// The remarks for who reads along: what the other nodes were held against, and notes.
std::string health_remarks(const HealthReport& report);
/// The report as JSON, with the documents of `nodes` and `check` in it.
std::string health_document(const HealthReport& report);
/// The JSON Schema of that document.
Json health_schema();

}  // namespace plumbline::app
