#include "model/accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/grading.hpp"

namespace plumbline {
namespace {

/// Counts are integers kept as doubles, divided by the number of sweeps: this is far below one operation in any of them.
constexpr double rounding = 1e-12;

Reported value_of(const Counter& counter, const Measured& measured) {
  const auto backend = measured.counts.find(counter.backend);
  if (backend == measured.counts.end()) {
    if (measured.counting != Status::ok) return {absent, measured.counting, measured.counting_reason};
    return {absent, Status::unavailable, "not counted by " + counter.backend};
  }
  double value = 0;
  for (const auto& term : counter.terms) {
    const auto event = backend->second.find(term.event);
    if (event == backend->second.end()) return {absent, Status::unavailable, counter.backend + " did not count '" + term.event + "'"};
    if (!event->second.ok()) return {absent, event->second.status, term.event + ": " + event->second.reason};
    value += term.weight * event->second.value;
  }
  return {value, Status::ok, {}};
}

Bounds expected_of(const Counter& counter, const Measured& measured) {
  Bounds sum{0, 0};
  for (const auto& quantity : counter.quantities) {
    const Bounds part = measured.expected(quantity);
    sum = {sum.lo + part.lo, sum.hi + part.hi};
  }
  return sum;
}

/// Fills ratio (and status and reason where there can be none) from measured and exact.
void judge(CaseScore& row) {
  const double margin = rounding * row.exact_hi;
  if (row.measured >= row.exact_lo - margin && row.measured <= row.exact_hi + margin) {
    row.ratio = 1;
  } else if (row.measured == 0 || row.exact_hi == 0) {
    row.status = Status::failed;
    row.reason = row.measured == 0 ? "counted nothing where there is something" : "counted something where there is nothing";
  } else {
    row.ratio = row.measured / (row.measured < row.exact_lo ? row.exact_lo : row.exact_hi);
    if (row.exact) row.reason = "differs from the arithmetic, which is exact";
  }
}

CaseScore score_case(const Counter& counter, const Measured& measured, Bounds exact) {
  CaseScore row{.case_id = measured.of->id,
                .node = measured.node,
                .counter = counter.name,
                .quantity = counter.claim(),
                .convention = counter.convention,
                .exact_lo = exact.lo,
                .exact_hi = exact.hi,
                .exact = counter.exact};
  const Reported value = value_of(counter, measured);
  row.measured = value.value;
  row.status = value.status;
  row.reason = value.reason;
  if (value.ok()) judge(row);
  return row;
}

}  // namespace

Accuracy score(const Measurements& measurements, std::span<const Counter> counters) {
  Accuracy accuracy;
  for (const auto& counter : counters) {
    std::vector<Evidence> evidence;
    bool scored = false;
    for (const auto& measured : measurements.cases) {
      const Bounds exact = expected_of(counter, measured);
      if (!std::isfinite(exact.lo) || !std::isfinite(exact.hi)) continue;  // the model does not speak of it
      accuracy.rows.push_back(score_case(counter, measured, exact));
      const CaseScore& row = accuracy.rows.back();
      if (row.was_measured()) evidence.push_back({measured.of, row.ratio, row.status, row.exact_lo, row.exact_hi});
      scored = true;
      accuracy.failed_exactness += row.fails_exactness();
    }
    if (scored) accuracy.counters.push_back(grade(counter, evidence));
  }
  return accuracy;
}

}  // namespace plumbline
