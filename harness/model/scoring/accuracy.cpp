#include "model/scoring/accuracy.hpp"

#include <algorithm>
#include <cmath>

#include "model/cases/columns.hpp"
#include "model/placement/chosen_counts.hpp"
#include "model/scoring/counted_case.hpp"
#include "model/scoring/counter_conditions.hpp"
#include "model/scoring/grading.hpp"

namespace plumbline {
namespace {

struct Candidate {
  const Counter* counter = nullptr;
  std::vector<Evidence> evidence = {};
  Attempts attempts = {};
};

/// Appends the counter's rows; nothing where no model speaks of what it claims.
std::optional<Candidate> score_cases(const Counter& counter, const Measurements& measurements, const Columns& columns, Accuracy& accuracy) {
  Candidate candidate{.counter = &counter};
  const Formula formula(counter, columns);
  const std::string claim = counter.claim();
  bool scored = false;
  for (std::size_t at = 0; at < measurements.cases.size(); ++at) {
    const Bounds exact = formula.expected(at);
    if (!std::isfinite(exact.lo) || !std::isfinite(exact.hi)) {
      candidate.attempts.without_truth += formula.lacks_truth(at) && formula.was_tried(at);
      continue;
    }
    Evidence evidence;
    accuracy.rows.push_back(formula.score(measurements.cases[at], at, exact, evidence));
    CaseScore& row = accuracy.rows.back();
    row.quantity = claim;
    const bool counted = std::isfinite(evidence.measured);
    if (counted) candidate.evidence.push_back(evidence);
    if (formula.was_tried(at)) {
      ++candidate.attempts.tried;
      counted ? ++candidate.attempts.counted : ++candidate.attempts.lost[row.status];
    }
    accuracy.failed_exactness += row.fails_exactness();
    scored = true;
  }
  return scored ? std::optional(std::move(candidate)) : std::nullopt;
}

bool was_counted(const Counter& counter, const Columns& columns) {
  const auto events = events_of(counter);
  return std::all_of(events.begin(), events.end(),
                     [&](const std::string& event) { return columns.event(counter.backend, event) != Columns::none; });
}

std::string why_unscored(const Counter& counter) {
  if (counter.kind == Kind::time)
    return "seconds are held against the times of the same case, for which both its clock when timed and its clock when counted must be "
           "known";
  if (claims_references(counter))
    return "no exact truth in this file: its model has the references as written, which compiled code does not execute, and not the "
           "executed ones (executed.bytes.reg-L1; this version's runs store them)";
  const std::string why = "no case's model speaks of " + counter.claim();
  const bool is_condition = counter.claim() == "cycles" || counter.claim() == "hertz" || counter.claim() == "occupancy";
  return is_condition ? why + ": 'plumbline show' tells the clock and the occupancy of counted cases" : why;
}

}  // namespace

Accuracy score(const Measurements& measurements, std::span<const Counter> counters) {
  Accuracy accuracy;
  const auto seconds = seconds_allowed(measurements, counters);
  const Columns columns(measurements, seconds);
  std::vector<Candidate> candidates;
  std::size_t counted = 0;
  for (const auto& counter : counters)
    if (auto candidate = score_cases(counter, measurements, columns, accuracy)) {
      counted += !candidate->evidence.empty();
      candidates.push_back(std::move(*candidate));
    } else if ((!is_simulated(counter) || claims_references(counter)) && was_counted(counter, columns)) {
      accuracy.unscored.push_back({counter.name, why_unscored(counter)});
    }
  Grading grading{FactorTable(measurements), FlowFamilies(columns), counted >= many_candidates};
  grading.counted_nodes.resize(grading.factors.values(Factor::node));
  for (const auto& candidate : candidates)
    for (const auto& one : candidate.evidence) grading.counted_nodes[grading.factors.value(one.at, Factor::node)] = true;
  for (const auto& candidate : candidates)
    accuracy.counters.push_back(grade(*candidate.counter, candidate.evidence, candidate.attempts, grading));
  return accuracy;
}

}  // namespace plumbline
