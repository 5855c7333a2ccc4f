#include "app/open_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace plumbline::app {
namespace {

/// Any UTF-8 may stand between the quotes, but for these three.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\\\" : c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

constexpr std::array all_findings{NightFinding::ok, NightFinding::slower, NightFinding::faster, NightFinding::suspect,
                                  NightFinding::no_baseline};
constexpr std::array all_node_findings{NodeFinding::alone,       NodeFinding::alike,   NodeFinding::suspect,
                                       NodeFinding::unconfirmed, NodeFinding::differs, NodeFinding::slower};

double seconds_of(std::int64_t unix_ns) { return static_cast<double>(unix_ns) * 1e-9; }

}  // namespace

void OpenMetrics::describe(const std::string& name, const std::string& help) { families_.push_back({name, help, {}}); }

void OpenMetrics::add(const std::string& name, const Labels& labels, double value) {
  const auto family = std::find_if(families_.begin(), families_.end(), [&](const Family& one) { return one.name == name; });
  if (family == families_.end() || std::isnan(value)) return;
  std::string inside;
  for (const auto& [label, text] : labels) inside += fmt::format("{}{}=\"{}\"", inside.empty() ? "" : ",", label, escaped(text));
  const std::string number = std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf") : fmt::format("{}", value);
  family->samples.push_back(name + (inside.empty() ? "" : "{" + inside + "}") + " " + number);
}

std::string OpenMetrics::text() const {
  std::string text;
  for (const auto& family : families_) {
    text += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", family.name, family.help, family.name);
    for (const auto& sample : family.samples) text += sample + "\n";
  }
  return text + "# EOF\n";
}

std::string open_metrics(const CheckReport& report) {
  OpenMetrics metrics;
  metrics.describe("plumbline_check_night_timestamp_seconds", "When the night that was checked began.");
  metrics.add("plumbline_check_night_timestamp_seconds", {}, seconds_of(report.started_unix_ns));
  metrics.describe("plumbline_check_nights", "Earlier nights that it was held against.");
  metrics.add("plumbline_check_nights", {}, static_cast<double>(report.nights));
  metrics.describe("plumbline_check_rows", "Cases, ceilings and links of a node by what the check found of them.");
  std::map<std::string, std::map<NightFinding, std::size_t>> nodes;
  std::map<std::string, std::pair<std::size_t, std::size_t>> bad;  // wrong, missing
  for (const auto& row : report.rows) ++nodes[row.key.node][row.night.finding];
  for (const auto& one : report.wrong) ++bad[one.key.node].first;
  for (const auto& one : report.missing) ++bad[one.key.node].second;
  for (const auto& [node, counts] : nodes) bad.try_emplace(node);
  for (const auto& [node, counts] : nodes)
    for (const NightFinding finding : all_findings) {
      const auto found = counts.find(finding);
      metrics.add("plumbline_check_rows", {{"node", node}, {"finding", std::string(to_string(finding))}},
                  found == counts.end() ? 0 : static_cast<double>(found->second));
    }
  metrics.describe("plumbline_check_wrong_results", "Results of a node that were wrong in this night.");
  metrics.describe("plumbline_check_missing_rows", "What earlier nights measured on a node and this one did not.");
  for (const auto& [node, counts] : bad) {
    metrics.add("plumbline_check_wrong_results", {{"node", node}}, static_cast<double>(counts.first));
    metrics.add("plumbline_check_missing_rows", {{"node", node}}, static_cast<double>(counts.second));
  }
  metrics.describe("plumbline_check_slowdown_ratio", "Time of what is slower or suspect, as a multiple of the earlier nights' median.");
  for (const auto& row : report.rows)
    if (row.night.finding == NightFinding::slower || row.night.finding == NightFinding::suspect)
      metrics.add("plumbline_check_slowdown_ratio",
                  {{"node", row.key.node},
                   {"what", row.key.what},
                   {"class", row.row_class},
                   {"finding", std::string(to_string(row.night.finding))}},
                  row.night.slowdown);
  return metrics.text();
}

std::string open_metrics(const NodeReport& report) {
  OpenMetrics metrics;
  metrics.describe("plumbline_nodes_finding",
                   "What a node was found to be beside its like ones: 1 for one of the findings, 0 for the others.");
  metrics.describe("plumbline_nodes_compared_rows", "Things of a node that were compared with those of like nodes.");
  metrics.describe("plumbline_nodes_wrong_results", "Results of a node that were wrong.");
  metrics.describe("plumbline_nodes_slowdown_ratio",
                   "Time of a whole node, as a multiple of its like nodes' median: the median over all things compared.");
  std::map<std::string, std::size_t> wrong;
  for (const auto& one : report.wrong) ++wrong[one.wrong.key.node];
  for (const auto& node : report.comparison.nodes) {
    for (const NodeFinding finding : all_node_findings)
      metrics.add("plumbline_nodes_finding", {{"node", node.node}, {"finding", std::string(to_string(finding))}},
                  node.finding == finding ? 1 : 0);
    metrics.add("plumbline_nodes_compared_rows", {{"node", node.node}}, static_cast<double>(node.rows));
    metrics.add("plumbline_nodes_slowdown_ratio", {{"node", node.node}}, node.all_rows.judged.slowdown);
    wrong.try_emplace(node.node);
  }
  for (const auto& [node, count] : wrong) metrics.add("plumbline_nodes_wrong_results", {{"node", node}}, static_cast<double>(count));
  return metrics.text();
}

}  // namespace plumbline::app
