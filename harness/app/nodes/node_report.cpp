#include "app/nodes/node_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/nodes/node_evidence.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/columns.hpp"

namespace plumbline::app {

namespace {

/// Whether the report has a line for the node: it is not like its peers, or has peers but nothing to hold against them.
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

namespace {

Columns<RemeasuredCase> again_columns() {
  using Row = RemeasuredCase;
  return {{"what", "what was measured again; null: the median over all of it",
           [](const Row& row) { return row.all_together ? std::nullopt : std::optional(row.what); }},
          {"turns", "turns in which node and peers measured it", &Row::turns},
          {"time_seconds", "median of its times on the node", &Row::seconds},
          {"peers_time_seconds", "median of its times on the peers", &Row::peers_seconds},
          {"slowdown", "how many times as long the node takes", [](const Row& row) { return row.judged.slowdown; }},
          {"slowdown_lo", "lower end of the interval of slowdown, which holds for all that was measured again together",
           [](const Row& row) { return row.judged.lo; }},
          {"slowdown_hi", "upper end of the interval of slowdown", [](const Row& row) { return row.judged.hi; }},
          {"confirmed", "whether the whole interval lies beyond the threshold", &Row::confirmed},
          {"clock_hz", "median of the clock observed on the node", &Row::clock_hz},
          {"peers_clock_hz", "median of the clock observed on its peers", &Row::peers_clock_hz}};
}

Columns<NodeRow> suspicious_columns() {
  using Row = NodeRow;
  const auto unit = [](const Row& row) { return unit_suffix(row.unit); };
  return {{"what", "case or ceiling that is slower", [](const Row& row) { return row.key.what; }},
          {"point", "which samples of a ceiling these are; null: all, or of a case", [](const Row& row) { return OrNull{row.point}; }},
          {"class", "kind of case or ceiling", &Row::row_class},
          Column<Row>("value_{}", "median on the node", &Row::value).in_unit(unit),
          Column<Row>("peers_{}", "median on its peers", &Row::peers_value).in_unit(unit),
          {"slowdown", "how many times as long the node takes", [](const Row& row) { return row.judged.slowdown; }},
          {"slowdown_lo", "lower end of the interval of slowdown", [](const Row& row) { return row.judged.lo; }},
          {"slowdown_hi", "upper end of the interval of slowdown", [](const Row& row) { return row.judged.hi; }},
          {"clock_hz", "median of the clock observed on the node", &Row::clock_hz},
          {"peers_clock_hz", "median of the clock observed on its peers", &Row::peers_clock_hz}};
}

/// A node with the report that it is of.
struct ToldNode {
  const NodeReport* report;
  const JudgedNode* node;
};

std::vector<ToldNode> told_nodes(const NodeReport& report) {
  std::vector<ToldNode> nodes;
  for (const auto& node : report.comparison.nodes) nodes.push_back({&report, &node});
  return nodes;
}

std::vector<NodeRow> suspicious_rows(const ToldNode& told) {
  std::vector<NodeRow> rows;
  for (const std::size_t index : told.node->suspicious) rows.push_back(told.report->comparison.rows[index]);
  return rows;
}

Json conditions_json(const ToldNode& told) {
  Json conditions = Json::object();
  if (const auto found = told.report->conditions.find(told.node->node); found != told.report->conditions.end())
    for (const auto& [name, value] : found->second) conditions[name] = value;
  return conditions;
}

/// The cell of a number that was measured again, as people see it: of the strongest case, or else of the last.
auto again_cell(double Judged::*number) {
  return [number](const ToldNode& told) -> std::string {
    if (told.node->again.empty()) return "-";
    const RemeasuredCase* strong = strongest(*told.node);
    return change_text((strong != nullptr ? *strong : told.node->again.back()).judged.*number);
  };
}

bool is_held(const ToldNode& told) { return told.node->finding != NodeFinding::alone; }

Columns<ToldNode> node_columns() {
  using Row = ToldNode;
  const Json any_object{{"type", "object"}};
  return {
      Column<Row>("node", "name of the node", [](const Row& row) { return row.node->node; }).in_row("node", Align::left),
      {"kind", "what kind of machine it is: equal words, like nodes", [](const Row& row) { return row.node->kind; }},
      Column<Row>("verdict", "what the node is beside its peers", [](const Row& row) { return row.node->finding; })
          .in_row("verdict", Align::left),
      {"gpus", "GPUs that the verdict is of, where it is of nothing else in the node",
       [](const Row& row) { return gpus_of_finding(*row.report, *row.node); }},
      Column<Row>("peers", "number of like nodes that it is held against", [](const Row& row) { return row.node->peers; }).in_row("peers"),
      Column<Row>("rows", "number of cases and ceilings that were compared", [](const Row& row) { return row.node->rows; }).in_row("rows"),
      Column<Row>(Heading{"suspicious"}, [](const Row& row) { return std::to_string(row.node->suspicious.size()); }),
      Column<Row>("slowdown", "how many times as long the whole node takes",
                  [](const Row& row) { return row.node->all_rows.judged.slowdown; })
          .in_row("time", Align::right, [](const Row& row) { return change_text(row.node->all_rows.judged.slowdown); }),
      Column<Row>(Heading{"measured again"}, again_cell(&Judged::slowdown)),
      Column<Row>(Heading{"from"}, again_cell(&Judged::lo)),
      Column<Row>(Heading{"to"}, again_cell(&Judged::hi)),
      list_column<Row>("suspicious", "what is slower than on its peers, the worst first", suspicious_columns(), suspicious_rows),
      list_column<Row>("again", "what was measured again beside its peers", again_columns(),
                       [](const Row& row) { return row.node->again; }),
      {"again_peers", "peers that measured it too", [](const Row& row) { return row.node->again_peers; }},
      {"conditions", "what was seen of the node while it measured", any_object, conditions_json},
      {"status", "ok, or unavailable: there was no node to hold it against",
       [](const Row& row) { return is_held(row) ? Status::ok : Status::unavailable; }},
      {"reason", "why there was no node to hold it against",
       [](const Row& row) { return is_held(row) ? std::nullopt : std::optional(row.node->reason); }}};
}

Columns<WrongOnNode> wrong_columns() {
  using Row = WrongOnNode;
  return {{"what", "case or ceiling that was computed wrongly", [](const Row& row) { return row.wrong.key.what; }},
          {"node", "node that computed it", [](const Row& row) { return row.wrong.key.node; }},
          {"reason", "how the result is wrong", [](const Row& row) { return row.wrong.reason; }},
          {"peers_right", "like nodes on which the same check passed", &Row::peers_right},
          {"peers_wrong", "like nodes on which it failed too", &Row::peers_wrong}};
}

Json smallest_suspected(const NodeReport& report) {
  Json smallest = Json::object();
  for (const auto& [row_class, part] : report.comparison.summary.smallest_detectable) smallest[row_class] = number(100 * part);
  return smallest;
}

Columns<NodeReport> nodes_members() {
  using Row = NodeReport;
  return {{"cluster", "cluster that it was measured on", [](const Row& row) { return OrNull{row.cluster}; }},
          list_column<Row>("wrong_results", "wrong results of all nodes", wrong_columns(), &Row::wrong),
          {"threshold_percent", "the least slowdown that matters", [](const Row& row) { return 100 * row.options.threshold; }},
          {"false_alarms", "nodes wrongly named that are expected in a job", [](const Row& row) { return row.options.false_alarms; }},
          {"smallest_suspected_percent", "smallest slowdown that is suspected 8 times of 10, by class", by_name(type_schema<double>()),
           smallest_suspected},
          {"smallest_confirmed_percent", "smallest slowdown that is confirmed 8 times of 10",
           [](const Row& row) { return 100 * row.comparison.again_smallest; }}};
}

}  // namespace

std::string nodes_text(const NodeReport& report) {
  std::string text = aligned(node_columns(), told_nodes(report));
  if (text.empty()) text = "no node has measured anything that can be compared\n";
  std::string findings;
  for (const auto& one : report.wrong) findings += wrapped(wrong_text(one), 118, "    ").substr(2) + "\n";
  for (const auto& node : report.comparison.nodes) {
    if (!is_told(node)) continue;
    findings += wrapped(headline(report, node), 118, "    ").substr(2) + "\n";
    for (const auto& line : evidence_of(report, node)) findings += wrapped(line, 118, "      ") + "\n";
  }
  return text + (findings.empty() ? "" : "\n" + findings) + note_lines(report.notes);
}

std::string nodes_markdown(const NodeReport& report) { return markdown(node_columns(), told_nodes(report)) + markdown_notes(report.notes); }

Json nodes_json_rows(const NodeReport& report) { return rows_json(node_columns(), told_nodes(report)); }

std::string nodes_document(const NodeReport& report) {
  return document("nodes", report.file, nodes_json_rows(report), report.notes, row_json(nodes_members(), report));
}

Json nodes_schema() {
  return document_schema("nodes", "Like nodes beside each other", row_schema(node_columns()), row_schema(nodes_members()));
}

}  // namespace plumbline::app
