#include "app/nodes/node_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/nodes/node_evidence.hpp"
#include "app/results/result_file.hpp"

namespace plumbline::app {
namespace {

/// Of what is not like its peers, or has peers but nothing to hold against them.
bool is_told(const JudgedNode& node) {
  return node.finding != NodeFinding::alike && (node.finding != NodeFinding::alone || node.peers > 0);
}

}  // namespace

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
