#include "app/commands/open_metrics.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace plumbline::app {
namespace {

/// Escapes a label's value: any UTF-8 may stand between the quotes, but for these three.
std::string label_value(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\\\" : c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

constexpr std::array all_findings{NightFinding::ok,      NightFinding::slower,    NightFinding::faster,
                                  NightFinding::suspect, NightFinding::disturbed, NightFinding::no_baseline};
constexpr std::array all_node_findings{NodeFinding::alone,       NodeFinding::alike,   NodeFinding::suspect,
                                       NodeFinding::unconfirmed, NodeFinding::differs, NodeFinding::slower};

double unix_seconds(std::int64_t unix_ns) { return static_cast<double>(unix_ns) * 1e-9; }

/// The labels with the cluster before them, where its name is known.
OpenMetrics::Labels on(const std::string& cluster, OpenMetrics::Labels labels) {
  if (!cluster.empty()) labels.insert(labels.begin(), {"cluster", cluster});
  return labels;
}

/// A rate or time in base units, and what its metric's name ends with.
struct BaseUnit {
  std::string_view unit, ending;
  double factor;
};
constexpr std::array base_units{BaseUnit{"seconds", "seconds", 1}, BaseUnit{"GFLOP/s", "flops_per_second", 1e9},
                                BaseUnit{"GB/s", "bytes_per_second", 1e9}};

}  // namespace

void add_open_metrics_option(CLI::App& command, std::string& file) {
  command.add_option("--openmetrics", file, "also write gauges for Prometheus there (NAME.prom of a textfile collector)")
      ->type_name("FILE");
}

void OpenMetrics::describe(const std::string& name, const std::string& help) { families_.push_back({name, help, {}}); }

void OpenMetrics::add(const std::string& name, const Labels& labels, double value) {
  const auto family = std::find_if(families_.begin(), families_.end(), [&](const Family& one) { return one.name == name; });
  if (family == families_.end() || std::isnan(value)) return;
  std::string inside;
  for (const auto& [label, text] : labels) inside += fmt::format("{}{}=\"{}\"", inside.empty() ? "" : ",", label, label_value(text));
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

namespace {

void add_findings(OpenMetrics& metrics, const CheckReport& report) {
  metrics.describe("plumbline_check_night_timestamp_seconds", "When the night that was checked began.");
  metrics.add("plumbline_check_night_timestamp_seconds", on(report.cluster, {}), unix_seconds(report.started_unix_ns));
  metrics.describe("plumbline_check_nights", "Earlier nights that it was held against.");
  metrics.add("plumbline_check_nights", on(report.cluster, {}), static_cast<double>(report.nights));
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
      metrics.add("plumbline_check_rows", on(report.cluster, {{"node", node}, {"finding", std::string(to_string(finding))}}),
                  found == counts.end() ? 0 : static_cast<double>(found->second));
    }
  metrics.describe("plumbline_check_wrong_results", "Results of a node that were wrong in this night.");
  metrics.describe("plumbline_check_missing_rows", "What earlier nights measured on a node and this one did not.");
  for (const auto& [node, counts] : bad) {
    metrics.add("plumbline_check_wrong_results", on(report.cluster, {{"node", node}}), static_cast<double>(counts.first));
    metrics.add("plumbline_check_missing_rows", on(report.cluster, {{"node", node}}), static_cast<double>(counts.second));
  }
  metrics.describe("plumbline_check_slowdown_ratio", "Time of what is slower or suspect, as a multiple of the earlier nights' median.");
  for (const auto& row : report.rows)
    if (row.night.finding == NightFinding::slower || row.night.finding == NightFinding::suspect)
      metrics.add("plumbline_check_slowdown_ratio",
                  on(report.cluster, {{"node", row.key.node},
                                      {"what", row.key.what},
                                      {"class", row.row_class},
                                      {"finding", std::string(to_string(row.night.finding))}}),
                  row.night.slowdown);
}

void add_findings(OpenMetrics& metrics, const NodeReport& report) {
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
      metrics.add("plumbline_nodes_finding", on(report.cluster, {{"node", node.node}, {"finding", std::string(to_string(finding))}}),
                  node.finding == finding ? 1 : 0);
    metrics.add("plumbline_nodes_compared_rows", on(report.cluster, {{"node", node.node}}), static_cast<double>(node.rows));
    metrics.add("plumbline_nodes_slowdown_ratio", on(report.cluster, {{"node", node.node}}), node.all_rows.judged.slowdown);
    wrong.try_emplace(node.node);
  }
  for (const auto& [node, count] : wrong)
    metrics.add("plumbline_nodes_wrong_results", on(report.cluster, {{"node", node}}), static_cast<double>(count));
}

void add_level(OpenMetrics& metrics, const Charted& charted) {
  const Series& series = *charted.of;
  const auto labels = on(series.cluster, {{"node", series.key.node}, {"what", series.key.what}, {"class", series.row_class}});
  for (const auto& [unit, ending, factor] : base_units)
    if (unit == series.unit)
      metrics.add(fmt::format("plumbline_history_level_{}", ending), labels, factor * value_of(charted.chart.center, series.unit));
  metrics.add("plumbline_history_level_begin_timestamp_seconds", labels,
              unix_seconds(series.points[charted.points[charted.level_begins]].night->started_unix_ns));
  metrics.add("plumbline_history_last_slowdown_ratio", labels, std::exp(charted.costs.back() - charted.chart.center));
}

void add_findings(OpenMetrics& metrics, const HealthReport& report) {
  metrics.describe("plumbline_health_finding", "What a node was found to be: 1 for the worst of the findings, 0 for the others.");
  metrics.describe("plumbline_health_slowdown_ratio",
                   "Time of what is slower on a node, as a multiple of that of like nodes or earlier nights.");
  metrics.describe("plumbline_health_whole", "Whether everything was measured in the time that there was.");
  const std::string& cluster = report.beside.cluster;
  for (const auto& node : report.nodes) {
    for (const HealthKind kind : {HealthKind::wrong_result, HealthKind::slower, HealthKind::failed, HealthKind::missing})
      metrics.add("plumbline_health_finding", on(cluster, {{"node", node.node}, {"finding", std::string(to_string(kind))}}),
                  !node.findings.empty() && node.findings.front().kind == kind ? 1 : 0);
    metrics.add("plumbline_health_finding", on(cluster, {{"node", node.node}, {"finding", "OK"}}), node.findings.empty() ? 1 : 0);
    for (const auto& finding : node.findings)
      metrics.add("plumbline_health_slowdown_ratio",
                  on(cluster, {{"node", node.node}, {"what", finding.what}, {"against", finding.against}}), finding.judged.slowdown);
  }
  metrics.add("plumbline_health_whole", on(cluster, {}), report.stopped.empty() ? 1 : 0);
}

}  // namespace

std::string open_metrics(const CheckReport& report) {
  OpenMetrics metrics;
  add_findings(metrics, report);
  return metrics.text();
}

std::string open_metrics(const NodeReport& report) {
  OpenMetrics metrics;
  add_findings(metrics, report);
  return metrics.text();
}

std::string open_metrics(const HealthReport& report) {
  OpenMetrics metrics;
  add_findings(metrics, report);
  add_findings(metrics, report.beside);
  if (report.earlier) add_findings(metrics, *report.earlier);
  return metrics.text();
}

std::string open_metrics(const HistoryReport& report) {
  OpenMetrics metrics;
  metrics.describe("plumbline_history_nights", "Nights of a cluster that the folder holds.");
  metrics.describe("plumbline_history_last_night_timestamp_seconds", "When a cluster's last night began.");
  for (const auto& [name, cluster] : report.clusters) {
    metrics.add("plumbline_history_nights", on(name, {}), static_cast<double>(cluster.nights.size()));
    metrics.add("plumbline_history_last_night_timestamp_seconds", on(name, {}), unix_seconds(cluster.nights.back().started_unix_ns));
  }
  metrics.describe("plumbline_history_series", "Cases, ceilings and links of a node by the state of their level.");
  std::map<std::array<std::string, 3>, std::size_t> states;  // [cluster, node, state]
  for (const auto& one : report.charted) ++states[{one.of->cluster, one.of->key.node, one.state()}];
  for (const auto& [about, count] : states)
    metrics.add("plumbline_history_series", on(about[0], {{"node", about[1]}, {"state", about[2]}}), static_cast<double>(count));
  metrics.describe("plumbline_history_level_seconds", "Present level of a thing that takes time: the median of its nights.");
  metrics.describe("plumbline_history_level_flops_per_second",
                   "Present level of a thing that is a rate of FLOPs: the median of its nights.");
  metrics.describe("plumbline_history_level_bytes_per_second",
                   "Present level of a thing that is a rate of bytes: the median of its nights.");
  metrics.describe("plumbline_history_level_begin_timestamp_seconds", "When the first night of the present level began.");
  metrics.describe("plumbline_history_last_slowdown_ratio", "Time of a thing in its last night, as a multiple of its present level.");
  for (const auto& one : report.charted) add_level(metrics, one);
  return metrics.text();
}

}  // namespace plumbline::app
