// Findings are told to a monitoring system as metrics: the text format of Prometheus 0.0.4, which is OpenMetrics 1.0 too (gauges, a final
// "# EOF"). Written into the folder of node_exporter's textfile collector, they are scraped from there.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "app/nights/check_report.hpp"
#include "app/nights/history_report.hpp"
#include "app/nodes/health_report.hpp"
#include "app/nodes/node_report.hpp"

namespace CLI {
class App;
}

namespace plumbline::app {

/// Adds the option --openmetrics FILE.
void add_open_metrics_option(CLI::App& command, std::string& file);

/// The metrics are gauges, grouped by name in the order in which names come.
class OpenMetrics {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  /// Describes a metric, which is told without a value too: that nothing was found is a finding. `name` ends with its unit, in base units.
  void describe(const std::string& name, const std::string& help);
  /// Adds a value to a metric that has been described. A value that is absent (NaN) is left out.
  void add(const std::string& name, const Labels& labels, double value);
  std::string text() const;

 private:
  struct Family {
    std::string name, help;
    std::vector<std::string> samples;
  };
  std::vector<Family> families_;
};

/// The metrics of `plumbline check`: how many rows have which finding, on each node; and how much slower what is slower or suspect is.
std::string open_metrics(const CheckReport& report);
/// The metrics of `plumbline nodes`: what each node is found to be, its wrong results, and how it does as a whole.
std::string open_metrics(const NodeReport& report);
/// The metrics of `plumbline health`: what each node is found to be, and what both of these say.
std::string open_metrics(const HealthReport& report);
/// The metrics of `plumbline history`: the level of each thing, when it began, and how the last night stands to it; how many things are in
/// which state.
std::string open_metrics(const HistoryReport& report);

}  // namespace plumbline::app
