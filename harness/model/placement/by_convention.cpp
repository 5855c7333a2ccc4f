#include "model/placement/by_convention.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/quantity_parts.hpp"
#include "model/placement/profiled.hpp"

namespace plumbline {
namespace {

/// The model's total: its own, else the sum of its flows; of a precision that it does not name none.
Bounds exact_total(const Measured& measured, const std::string& quantity) {
  if (measured.model == nullptr) return {};
  if (const Bounds own = measured.expected(quantity); std::isfinite(own.lo)) return own;
  if (is_flops_total(quantity)) return {0, 0};
  Bounds sum{0, 0};
  bool any = false;
  for (const auto& [part, bounds] : *measured.model) {
    if (!part.starts_with(quantity + ".")) continue;
    any = true;
    sum = {sum.lo + bounds.lo, sum.hi + bounds.hi};
  }
  return any ? sum : Bounds{};
}

double ratio_of(double value, const Bounds& exact) {
  if (value >= exact.lo && value <= exact.hi) return exact.hi > 0 ? 1 : absent;
  const double edge = value < exact.lo ? exact.lo : exact.hi;
  return edge > 0 ? value / edge : absent;
}

ConventionRow row_of(const Measured& measured, const ProfilerMetrics& table, const std::string& quantity, const MetricValues& values) {
  ConventionRow row{
      .case_id = measured.of->id, .node = measured.node, .convention = table.convention, .backend = table.tool, .quantity = quantity};
  const Profiled found =
      profiled(table, quantity, values, measured.seconds.ok() ? measured.seconds.value : absent, chip_of(measured.of->flavor));
  const Bounds exact = exact_total(measured, quantity);
  row.exact_lo = exact.lo;
  row.exact_hi = exact.hi;
  row.status = found.status;
  row.reason = found.reason;
  if (!found.ok()) return row;
  row.formula = found.by->formula();
  row.value = found.value;
  row.ratio = ratio_of(row.value, exact);
  return row;
}

}  // namespace

std::vector<ConventionRow> by_convention(const Measurements& measurements, std::span<const ProfilerMetrics> tables) {
  std::vector<ConventionRow> rows;
  for (const auto& measured : measurements.cases)
    for (const auto& table : tables) {
      const auto values = measured.counts.find(table.tool);
      if (values == measured.counts.end()) continue;
      std::vector<std::string> remarks;
      const ProfilerMetrics own = metrics_of_gpu(table, measured.node, chip_of(measured.of->flavor), remarks);
      std::set<std::string> quantities;
      for (const auto& row : table.rows)
        if (row.quantity != launch_seconds && quantities.insert(row.quantity).second)
          rows.push_back(row_of(measured, own, row.quantity, values->second));
    }
  return rows;
}

std::vector<ConventionSummary> summarize(std::span<const ConventionRow> rows) {
  std::vector<ConventionSummary> all;
  for (const auto& row : rows) {
    if (!std::isfinite(row.ratio)) continue;
    auto found = std::find_if(all.begin(), all.end(), [&](const ConventionSummary& one) {
      return one.backend == row.backend && one.quantity == row.quantity && one.formula == row.formula;
    });
    if (found == all.end()) found = all.insert(found, {row.convention, row.backend, row.quantity, row.formula, 0, row.ratio, row.ratio});
    ++found->n;
    found->min = std::min(found->min, row.ratio);
    found->max = std::max(found->max, row.ratio);
  }
  return all;
}

}  // namespace plumbline
