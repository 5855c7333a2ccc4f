#include "app/nodes/health_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/nodes/node_evidence.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/columns.hpp"

namespace plumbline::app {

namespace {

using NodesByName = std::map<std::string, NodeHealth>;

void add(NodesByName& nodes, const std::string& node, HealthFinding finding) {
  NodeHealth& health = nodes[node];
  health.node = node;
  health.findings.push_back(std::move(finding));
}

void add_wrong_results(const HealthReport& report, NodesByName& nodes) {
  std::set<SeriesKey> told;
  for (const auto& one : report.beside.wrong) {
    told.insert(one.wrong.key);
    add(nodes, one.wrong.key.node, {.kind = HealthKind::wrong_result, .what = one.wrong.key.what, .text = wrong_text(one)});
  }
}

void add_slower_than_like_nodes(const HealthReport& report, NodesByName& nodes) {
  for (const auto& node : report.beside.comparison.nodes) {
    NodeHealth& health = nodes[node.node];
    health.peers = node.peers;
    if (node.finding != NodeFinding::slower) continue;
    const RemeasuredCase* most = strongest(node);
    std::string text = headline(report.beside, node) + (most->all_together ? "" : "; most of all " + most->what);
    add(nodes, node.node,
        {.kind = HealthKind::slower, .what = most->what, .against = "like nodes", .judged = most->judged, .text = std::move(text)});
  }
}

/// Adds for each node the row that is surely the slowest, and how many more there are.
void add_slower_than_before(const CheckReport& report, NodesByName& nodes) {
  std::map<std::string, std::vector<const CheckRow*>> slower;
  for (const auto& row : report.rows) {
    const bool held = row.night.finding != NightFinding::no_baseline && row.night.finding != NightFinding::disturbed;
    if (held && row.status == Status::ok) ++nodes[row.key.node].held;
    if (row.night.finding == NightFinding::slower) slower[row.key.node].push_back(&row);
  }
  for (const auto& [node, rows] : slower) {
    const CheckRow& most =
        **std::max_element(rows.begin(), rows.end(), [](const CheckRow* a, const CheckRow* b) { return a->night.lo < b->night.lo; });
    add(nodes, node,
        {.kind = HealthKind::slower,
         .what = most.key.what,
         .against = "earlier nights",
         .judged = {most.night.slowdown, most.night.lo, most.night.hi},
         .text = fmt::format("{} is slower than before: {}: {}{}", node, most.key.what, evidence(most),
                             rows.size() == 1 ? "" : fmt::format("; and {} more", rows.size() - 1))});
  }
}

/// The things that each node lacks, and why. A node is told in a line with one of them.
using Lacking = std::map<std::string, std::map<std::string, std::string>>;

void add_lacking(const Lacking& lacking, HealthKind kind, const char* verb, NodesByName& nodes) {
  for (const auto& [node, things] : lacking) {
    const auto& [what, why] = *things.begin();
    add(nodes, node,
        {.kind = kind,
         .what = what,
         .text = fmt::format("{} {} {}: {}{}", node, verb, what, printable(why),
                             things.size() == 1 ? "" : fmt::format("; and {} more", things.size() - 1))});
  }
}

Lacking failed_in(const Results& results) {
  Lacking failed;
  for (const auto& row : results.outcomes)
    if (row.status == Status::failed) failed[row.node][row.case_id] = row.reason;
  for (const auto& row : results.ceilings)
    if (row.status == Status::failed) failed[row.node][series_name(row)] = how_and_why(row);
  return failed;
}

/// The nodes on which nothing was measured, each with why the first of what it was given was skipped; of one that was given nothing the
/// reason is empty.
std::map<std::string, std::string> idle_in(const Results& results) {
  std::map<std::string, std::string> idle;
  for (const auto& machine : results.machines) idle[machine.node];
  for (const auto& row : results.outcomes)
    if (const auto node = idle.find(row.node); node != idle.end() && node->second.empty()) node->second = row.reason;
  for (const auto& row : results.outcomes)
    if (row.status != Status::skipped) idle.erase(row.node);  // what failed is told as that
  for (const auto& row : results.ceilings)
    if (row.status != Status::skipped) idle.erase(row.node), idle.erase(row.peer);
  return idle;
}

/// A check that measured nothing says nothing of a node's health; where others had work, as a campaign spreads cases over like nodes, a
/// node may have had none.
void add_idle(const Results& results, HealthReport& report, NodesByName& nodes) {
  const auto idle = idle_in(results);
  const bool all = idle.size() == results.machines.size();
  Lacking lacking;
  for (const auto& [node, reason] : idle) {
    if (!reason.empty() || all)
      lacking[node]["anything"] = reason.empty() ? "the campaign has no case and no ceiling for it" : reason;
    else
      report.without_work.push_back(node);
  }
  add_lacking(lacking, HealthKind::failed, "did not measure", nodes);
  if (!report.without_work.empty())
    report.notes.push_back(fmt::format("nothing is said of {}, for which the campaign had no work", fmt::join(report.without_work, ", ")));
}

/// The things that are missing, without those that failed tonight, which are told as that.
Lacking missing_in(const CheckReport& report, const Lacking& failed) {
  Lacking missing;
  for (const auto& one : report.missing) {
    const auto known = failed.find(one.key.node);
    if (known == failed.end() || !known->second.contains(one.key.what)) missing[one.key.node][one.key.what] = one.reason;
  }
  return missing;
}

/// The findings as clauses, "is slower than ..., also computed ...": whom they are about stands before them.
std::string clauses(const NodeHealth& health) {
  std::vector<std::string> all;
  for (const auto& finding : health.findings)
    all.push_back(finding.text.starts_with(health.node + " ") ? finding.text.substr(health.node.size() + 1) : finding.text);
  return printable(fmt::format("{}", fmt::join(all, "; also ")));
}

Columns<HealthFinding> finding_columns() {
  using Row = HealthFinding;
  return {{"kind", "WRONG RESULT, SLOWER, FAILED or MISSING", &Row::kind},
          {"what", "case or ceiling that it is of; null: the node as a whole", [](const Row& row) { return OrNull{row.what}; }},
          {"against", "what it is slower than: like nodes, or earlier nights", [](const Row& row) { return OrNull{row.against}; }},
          {"slowdown", "how many times as long it takes", [](const Row& row) { return row.judged.slowdown; }},
          {"slowdown_lo", "lower end of the interval of slowdown", [](const Row& row) { return row.judged.lo; }},
          {"slowdown_hi", "upper end of the interval of slowdown", [](const Row& row) { return row.judged.hi; }},
          {"text", "the finding in a clause", &Row::text}};
}

Columns<NodeHealth> health_columns() {
  using Row = NodeHealth;
  auto verdicts = words_of<HealthKind>();
  verdicts.insert(verdicts.begin(), "OK");
  return {{"node", "name of the node, or of a link both", &Row::node},
          Column<Row>("verdict", "OK, or the worst kind of its findings",
                      [](const Row& row) { return std::string(row.findings.empty() ? "OK" : to_string(row.findings.front().kind)); })
              .one_of(verdicts),
          {"peers", "number of like nodes that it is held against", &Row::peers},
          {"rows_held_against_earlier_nights", "number of rows held against earlier nights", &Row::held},
          list_column<Row>("findings", "what was found, the worst kind first", finding_columns(), &Row::findings),
          {"reason", "the findings in words", [](const Row& row) { return OrNull{clauses(row)}; }}};
}

Columns<HealthReport> health_members() {
  using Row = HealthReport;
  return {
      {"cluster", "cluster that it was measured on", [](const Row& row) { return OrNull{row.beside.cluster}; }},
      {"whole", "whether everything was measured", [](const Row& row) { return row.stopped.empty(); }},
      {"nodes", "the document of plumbline nodes", nodes_schema(), [](const Row& row) { return Json::parse(nodes_document(row.beside)); }},
      {"check", "the document of plumbline check", nullable(check_schema()),
       [](const Row& row) { return row.earlier ? Json::parse(check_document(*row.earlier)) : Json(); }}};
}

/// Says what the sound nodes were held against.
std::string all_well(const HealthReport& report) {
  std::size_t well = 0, peers = 0, held = 0;
  for (const auto& node : report.nodes)
    if (node.findings.empty() && std::ranges::find(report.without_work, node.node) == report.without_work.end())
      ++well, peers = std::max(peers, node.peers), held += node.held;
  if (well == 0) return {};
  std::vector<std::string> against{"results checked"};
  if (peers > 0) against.push_back(fmt::format("beside {} like node{}", peers, peers == 1 ? "" : "s"));
  if (report.earlier && held > 0)
    against.push_back(fmt::format("{} row{} against {} earlier night{}", held, held == 1 ? "" : "s", report.earlier->nights,
                                  report.earlier->nights == 1 ? "" : "s"));
  return fmt::format("{} of {} node{} in health: {}\n", well, report.nodes.size(), report.nodes.size() == 1 ? "" : "s",
                     fmt::join(against, ", "));
}

}  // namespace

std::string_view to_string(HealthKind kind) {
  switch (kind) {
    case HealthKind::wrong_result:
      return "WRONG RESULT";
    case HealthKind::slower:
      return "SLOWER";
    case HealthKind::failed:
      return "FAILED";
    case HealthKind::missing:
      break;
  }
  return "MISSING";
}

HealthReport judge_health(const Results& results, NodeReport beside, std::optional<CheckReport> earlier, const std::string& stopped) {
  HealthReport report{.file = beside.file, .beside = std::move(beside), .earlier = std::move(earlier), .stopped = stopped};
  NodesByName nodes;
  for (const auto& machine : results.machines) nodes[machine.node];
  if (report.earlier) std::erase_if(report.earlier->missing, [&](const MissingRow& row) { return !nodes.contains(row.key.node); });
  add_wrong_results(report, nodes);
  add_slower_than_like_nodes(report, nodes);
  if (report.earlier) add_slower_than_before(*report.earlier, nodes);
  const Lacking failed = failed_in(results);
  add_lacking(failed, HealthKind::failed, "could not measure", nodes);
  if (report.stopped.empty()) add_idle(results, report, nodes);
  if (report.earlier) add_lacking(missing_in(*report.earlier, failed), HealthKind::missing, "did not measure", nodes);
  for (auto& [name, node] : nodes) {
    node.node = name;
    report.nodes.push_back(std::move(node));
  }
  if (const std::size_t disturbed = report.earlier ? count_of(*report.earlier, NightFinding::disturbed) : 0; disturbed > 0)
    report.notes.push_back(
        fmt::format("something else ran beside every sample of {} rows: they were held against no earlier night", disturbed));
  const bool held =
      std::any_of(report.nodes.begin(), report.nodes.end(), [](const NodeHealth& node) { return node.peers + node.held > 0; });
  if (!held)
    report.notes.emplace_back(
        "held against nothing but the checks of results: there is neither a like node nor an earlier night "
        "(--history DIR keeps them, --baseline names others)");
  return report;
}

Exit exit_of(const HealthReport& report) {
  Exit code = report.stopped.empty() ? Exit::ok : Exit::stopped_early;
  const auto rank = [](Exit exit) {
    return exit == Exit::wrong_result ? 3 : exit == Exit::regression ? 2 : exit == Exit::io_or_failed_case ? 1 : 0;
  };
  for (const auto& node : report.nodes)
    for (const auto& finding : node.findings) {
      const Exit of_finding = finding.kind == HealthKind::wrong_result ? Exit::wrong_result
                              : finding.kind == HealthKind::slower     ? Exit::regression
                                                                       : Exit::io_or_failed_case;
      if (rank(of_finding) > rank(code)) code = of_finding;
    }
  return code;
}

std::string health_findings(const HealthReport& report) {
  std::string text;
  for (const auto& node : report.nodes)
    if (!node.findings.empty()) text += fmt::format("{}: {}\n", node.node, clauses(node));
  return text;
}

std::string health_remarks(const HealthReport& report) {
  std::string text = all_well(report);
  for (const auto& note : report.notes) text += "note: " + note + "\n";
  return text + (report.stopped.empty() ? "" : "note: " + report.stopped + "\n");
}

std::string health_document(const HealthReport& report) {
  auto notes = report.notes;
  if (!report.stopped.empty()) notes.push_back(report.stopped);
  return document("health", report.file, rows_json(health_columns(), report.nodes), notes, row_json(health_members(), report));
}

Json health_schema() {
  return document_schema("health", "Whether nodes are in health", row_schema(health_columns()), row_schema(health_members()));
}

}  // namespace plumbline::app
