#include "app/nodes/node_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/nodes/node_evidence.hpp"
#include "app/results/result_file.hpp"

namespace plumbline::app {
namespace {

/// The nodes of each thing that was measured.
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

/// Whether a node is told of: it is not like its peers, or has peers but nothing to hold against them.
bool is_told(const JudgedNode& node) {
  return node.finding != NodeFinding::alike && (node.finding != NodeFinding::alone || node.peers > 0);
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
      smallest += fmt::format("{}{} {:.1f} %", smallest.empty() ? "" : ", ", row_class == "node" ? "a whole node" : row_class, 100 * part);
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

Exit exit_of(const NodeReport& report) {
  if (!report.wrong.empty()) return Exit::wrong_result;
  return slower_nodes(report).empty() ? Exit::ok : Exit::regression;
}

std::vector<std::string> slower_nodes(const NodeReport& report) {
  std::vector<std::string> lines;
  for (const auto& node : report.comparison.nodes)
    if (node.finding == NodeFinding::slower) lines.push_back(headline(report, node));
  return lines;
}

std::vector<std::string> wrong_on_nodes(const NodeReport& report) {
  std::vector<std::string> lines;
  for (const auto& one : report.wrong) lines.push_back(wrong_text(one));
  return lines;
}

std::vector<std::string> summary_lines(const NodeReport& report) {
  std::vector<std::string> lines;
  std::size_t alike = 0;
  for (const auto& one : report.wrong) lines.push_back("nodes: " + wrong_text(one));
  for (const auto& node : report.comparison.nodes) {
    alike += node.finding == NodeFinding::alike;
    if (!is_told(node)) continue;
    lines.push_back("nodes: " + headline(report, node));
    if (node.finding == NodeFinding::unconfirmed) continue;
    for (const auto& line : evidence_of(report, node)) lines.push_back("    " + line);
  }
  if (alike > 0) lines.push_back(fmt::format("nodes: {} of {} are like their peers", alike, report.comparison.nodes.size()));
  return lines;
}

// ----------------------------------------------------------------------------------------------------------------------- forms

std::string nodes_text(const NodeReport& report) {
  Table table({{"node", Align::left},
               {"verdict", Align::left},
               {"peers"},
               {"rows"},
               {"suspicious"},
               {"time"},
               {"measured again"},
               {"from"},
               {"to"}});
  for (const auto& node : report.comparison.nodes) {
    const RemeasuredCase* again = node.again.empty() ? nullptr : strongest(node) != nullptr ? strongest(node) : &node.again.back();
    table.add({node.node, std::string(to_string(node.finding)), std::to_string(node.peers), std::to_string(node.rows),
               std::to_string(node.suspicious.size()), change_text(node.all_rows.judged.slowdown),
               again == nullptr ? "-" : change_text(again->judged.slowdown), again == nullptr ? "-" : change_text(again->judged.lo),
               again == nullptr ? "-" : change_text(again->judged.hi)});
  }
  std::string text = table.empty() ? "no node has measured anything that can be compared\n" : table.text();
  std::string findings;
  for (const auto& one : report.wrong) findings += wrapped(wrong_text(one), 118, "    ").substr(2) + "\n";
  for (const auto& node : report.comparison.nodes) {
    if (!is_told(node)) continue;
    findings += wrapped(headline(report, node), 118, "    ").substr(2) + "\n";
    for (const auto& line : evidence_of(report, node)) findings += wrapped(line, 118, "      ") + "\n";
  }
  return text + (findings.empty() ? "" : "\n" + findings) + note_lines(report.notes);
}

Json nodes_json_rows(const NodeReport& report) {
  Json rows = Json::array();
  for (const auto& node : report.comparison.nodes) {
    const bool held = node.finding != NodeFinding::alone;
    Json again = Json::array(), suspicious = Json::array(), conditions = Json::object();
    for (const auto& one : node.again)
      again.push_back({{"what", one.all_together ? Json() : Json(one.what)},
                       {"turns", one.turns},
                       {"time_seconds", number(one.seconds)},
                       {"peers_time_seconds", number(one.peers_seconds)},
                       {"slowdown", number(one.judged.slowdown)},
                       {"slowdown_lo", number(one.judged.lo)},
                       {"slowdown_hi", number(one.judged.hi)},
                       {"confirmed", one.confirmed},
                       {"clock_hz", number(one.clock_hz)},
                       {"peers_clock_hz", number(one.peers_clock_hz)}});
    for (const std::size_t index : node.suspicious) {
      const NodeRow& row = report.comparison.rows[index];
      suspicious.push_back({{"what", row.key.what},
                            {"point", text_or_null(row.point)},
                            {"class", row.row_class},
                            {"value_" + unit_suffix(row.unit), number(row.value)},
                            {"peers_" + unit_suffix(row.unit), number(row.peers_value)},
                            {"slowdown", number(row.judged.slowdown)},
                            {"slowdown_lo", number(row.judged.lo)},
                            {"slowdown_hi", number(row.judged.hi)},
                            {"clock_hz", number(row.clock_hz)},
                            {"peers_clock_hz", number(row.peers_clock_hz)}});
    }
    if (const auto found = report.conditions.find(node.node); found != report.conditions.end())
      for (const auto& [name, value] : found->second) conditions[name] = value;
    rows.push_back({{"node", node.node},
                    {"kind", node.kind},
                    {"verdict", std::string(to_string(node.finding))},
                    {"gpus", gpus_of_finding(report, node)},
                    {"peers", node.peers},
                    {"rows", node.rows},
                    {"slowdown", number(node.all_rows.judged.slowdown)},
                    {"suspicious", suspicious},
                    {"again", again},
                    {"again_peers", node.again_peers},
                    {"conditions", conditions},
                    {"status", std::string(to_string(held ? Status::ok : Status::unavailable))},
                    {"reason", held ? Json() : Json(node.reason)}});
  }
  return rows;
}

std::string nodes_document(const NodeReport& report) {
  Json wrong = Json::array(), smallest = Json::object();
  for (const auto& one : report.wrong)
    wrong.push_back({{"what", one.wrong.key.what},
                     {"node", one.wrong.key.node},
                     {"reason", one.wrong.reason},
                     {"peers_right", one.peers_right},
                     {"peers_wrong", one.peers_wrong}});
  for (const auto& [row_class, part] : report.comparison.summary.smallest_detectable) smallest[row_class] = number(100 * part);
  return document("nodes", report.file, nodes_json_rows(report), report.notes,
                  {{"cluster", text_or_null(report.cluster)},
                   {"wrong_results", wrong},
                   {"threshold_percent", number(100 * report.options.threshold)},
                   {"false_alarms", number(report.options.false_alarms)},
                   {"smallest_suspected_percent", smallest},
                   {"smallest_confirmed_percent", number(100 * report.comparison.again_smallest)}});
}

}  // namespace plumbline::app
