#include "app/nodes/node_judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/terminal/table.hpp"
#include "model/statistics/row_class.hpp"

namespace plumbline::app {
namespace {

/// The nodes of which something is said: [what]: nodes.
using NodesOf = std::map<std::string, std::set<std::string>>;

NodesOf nodes_with_it_right(const SeenNodes& seen, const NodesOf& wrong) {
  NodesOf right;
  for (const auto& observation : seen.side.observations)
    if (observation.status == Status::ok && wrong.contains(observation.key.what)) right[observation.key.what].insert(observation.key.node);
  for (const auto& [what, nodes] : wrong)
    if (const auto found = seen.right.find(what); found != seen.right.end()) right[what].insert(found->second.begin(), found->second.end());
  for (const auto& [what, nodes] : wrong)
    for (const auto& node : nodes) right[what].erase(node);  // right in another round only
  return right;
}

std::vector<WrongOnNode> beside_peers(const SeenNodes& seen) {
  const auto kind = [&](const std::string& node) {
    const auto found = seen.side.machines.find(node);
    return found == seen.side.machines.end() ? std::string() : found->second;
  };
  NodesOf wrong;
  std::map<SeriesKey, std::size_t> times;
  for (const auto& one : seen.wrong) {
    wrong[one.key.what].insert(one.key.node);
    ++times[one.key];
  }
  const NodesOf right = nodes_with_it_right(seen, wrong);
  std::vector<WrongOnNode> findings;
  std::set<SeriesKey> told;
  for (const auto& one : seen.wrong) {
    if (!told.insert(one.key).second) continue;
    const auto count_peers = [&](const std::set<std::string>& nodes) {
      return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [&](const std::string& node) {
        return node != one.key.node && !kind(node).empty() && kind(node) == kind(one.key.node);
      }));
    };
    findings.push_back({one, count_peers(right.at(one.key.what)), count_peers(wrong.at(one.key.what))});
    if (times[one.key] > 1) findings.back().wrong.reason += fmt::format("; {} wrong results of it are kept", times[one.key]);
  }
  return findings;
}

/// Nodes of a run choose together; of several runs, or by an older program, each chose for itself.
std::string unlike_loops(const NodeComparison& comparison) {
  std::map<std::string, std::string> kinds;
  for (const auto& node : comparison.nodes) kinds[node.node] = node.kind;
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>> loops;  // [kind, ceiling][form]: a node
  for (const auto& row : comparison.rows)
    if (row.status == Status::ok && !row.form.empty()) loops[{kinds[row.key.node], row.key.what}].try_emplace(row.form, row.key.node);
  std::erase_if(loops, [](const auto& one) { return one.second.size() < 2; });
  if (loops.empty()) return {};
  const auto& [what, forms] = *loops.begin();
  std::string told;
  for (const auto& [form, node] : forms) told += fmt::format("{}{} on {}", told.empty() ? "" : ", ", form, node);
  return fmt::format(
      "{} ceilings are of unlike loops on like nodes (as {}: {}): each is what its node attains at best, so they are compared all the same",
      loops.size(), what.second, told);
}

void add_notes(NodeReport& report) {
  const auto& comparison = report.comparison;
  if (comparison.nodes.size() < 2) report.notes.emplace_back("nothing can be said of a node that has no like node: measure on two or more");
  if (comparison.rows.empty()) report.notes.emplace_back("the file has no timed case and no ceiling");
  if (auto note = unlike_loops(comparison); !note.empty()) report.notes.push_back(std::move(note));
  report.notes.push_back(
      fmt::format("a node is named only where its second measurement, beside like nodes, is slower by more than {} % with its whole "
                  "interval; {} nodes wrongly named are expected in a job, over all nodes and rows together",
                  plain(100 * report.options.threshold), plain(report.options.false_alarms)));
  std::string smallest;
  for (const auto& [row_class, part] : comparison.summary.smallest_detectable)
    if (std::isfinite(part))
      smallest += fmt::format("{}{} {:.1f} %", smallest.empty() ? "" : ", ",
                              row_kind_of(row_class) == RowKind::node ? "a whole node" : row_class, 100 * part);
  if (!smallest.empty()) report.notes.push_back("smallest slowdown that is suspected 8 times of 10: " + smallest);
  if (std::isfinite(comparison.again_smallest))
    report.notes.push_back(fmt::format("smallest slowdown that is confirmed 8 times of 10: {:.1f} %", 100 * comparison.again_smallest));
}

}  // namespace

NodeReport judge_nodes(const SeenNodes& seen, const std::string& file, const NodeOptions& options) {
  NodeReport report{.file = file, .cluster = seen.cluster, .options = options};
  report.comparison = compare_nodes(seen.side, seen.remeasured, options);
  report.wrong = beside_peers(seen);
  report.conditions = seen.conditions;
  report.failed_gpus = seen.failed_gpus;
  report.notes = seen.notes;
  add_notes(report);
  return report;
}

NodeReport judge_nodes(const Results& results, const std::string& file, const NodeOptions& options) {
  SeenNodes seen;
  seen.add(results);
  return judge_nodes(seen, file, options);
}

}  // namespace plumbline::app
