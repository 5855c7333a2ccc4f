#include "app/here/metric_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "counters/cupti/cupti_host.hpp"

namespace plumbline::app {
namespace {

std::vector<std::string> metrics_of(const TableCounter& row) {
  std::vector<std::string> metrics;
  for (const auto& event : row.events) metrics.push_back(event.name);
  return metrics;
}

}  // namespace

MetricCheck check_metrics(const KnownCounters& known) {
  const CuptiHost cupti;
  MetricCheck check;
  if (!cupti.availability().ok()) {
    check.note = "not held against CUPTI here: " + cupti.availability().reason;
    return check;
  }
  const std::string& chip = known.chips.front();
  if (const auto chips = cupti.chips(); std::find(chips.begin(), chips.end(), chip) == chips.end()) {
    check.note = fmt::format("not held against CUPTI here: {} knows no {}", cupti.version(), chip);
    return check;
  }
  std::vector<std::string> missing;
  for (const auto& row : known.counters) {
    const auto metrics = metrics_of(row);
    const auto unknown = cupti.unknown_metrics(chip, metrics);
    for (const auto& metric : unknown)
      if (std::find(missing.begin(), missing.end(), metric) == missing.end()) missing.push_back(metric);
    check.passes[row.counter.name] = unknown.empty() ? cupti.passes(chip, metrics) : std::nullopt;
  }
  check.note = missing.empty() ? fmt::format("{} has all these metrics for {}", cupti.version(), chip)
                               : fmt::format("{} does not have for {}: {}", cupti.version(), chip, fmt::join(missing, ", "));
  return check;
}

}  // namespace plumbline::app
