#include "model/accuracy.hpp"

#include <cmath>

#include "model/columns.hpp"
#include "model/counted_case.hpp"
#include "model/grading.hpp"

namespace plumbline {
namespace {

struct Candidate {
  const Counter* counter = nullptr;
  std::vector<Evidence> evidence = {};
};

/// Appends the counter's rows; nothing where no model speaks of what it claims.
std::optional<Candidate> score_cases(const Counter& counter, const Measurements& measurements, const Columns& columns, Accuracy& accuracy) {
  Candidate candidate{.counter = &counter};
  const Formula formula(counter, columns);
  const std::string claim = counter.claim();
  bool scored = false;
  for (std::size_t at = 0; at < measurements.cases.size(); ++at) {
    const Bounds exact = formula.expected(at);
    if (!std::isfinite(exact.lo) || !std::isfinite(exact.hi)) continue;
    Evidence evidence;
    accuracy.rows.push_back(formula.score(measurements.cases[at], at, exact, evidence));
    CaseScore& row = accuracy.rows.back();
    row.quantity = claim;
    if (row.was_measured()) candidate.evidence.push_back(evidence);
    accuracy.failed_exactness += row.fails_exactness();
    scored = true;
  }
  return scored ? std::optional(std::move(candidate)) : std::nullopt;
}

}  // namespace

Accuracy score(const Measurements& measurements, std::span<const Counter> counters) {
  Accuracy accuracy;
  const Columns columns(measurements);
  std::vector<Candidate> candidates;
  std::size_t counted = 0;
  for (const auto& counter : counters)
    if (auto candidate = score_cases(counter, measurements, columns, accuracy)) {
      counted += !candidate->evidence.empty();
      candidates.push_back(std::move(*candidate));
    }
  const Grading grading{FactorTable(measurements), FlowFamilies(columns), counted >= many_candidates};
  for (const auto& candidate : candidates) accuracy.counters.push_back(grade(*candidate.counter, candidate.evidence, grading));
  return accuracy;
}

}  // namespace plumbline
