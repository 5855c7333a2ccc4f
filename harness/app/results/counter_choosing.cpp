#include "app/results/counter_choosing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/results/result_file.hpp"
#include "model/placement/chosen_counts.hpp"
#include "model/scoring/diagnosis.hpp"

namespace plumbline::app {
namespace {

std::string machines_of(const Results& results) {
  std::vector<std::string> names, notes;
  for (const auto& node : node_facts(results, notes))
    names.push_back(node.core.name.empty() ? node.node : node.node + ": " + node.core.name);
  return names.empty() ? "unknown" : fmt::format("{}", fmt::join(names, "; "));
}

/// A factor or an offset that one kernel alone showed is not taken to others.
bool is_of_one_kernel(const CounterScore& score) {
  if (!score.calibration) return false;
  if (score.calibration->offset != 0) return !score.is_calibration_confirmed;
  const bool is_by_factor = find(score.findings, FindingKind::strays) == nullptr && find(score.findings, FindingKind::factor) != nullptr;
  return is_by_factor && score.coverage.tried[static_cast<std::size_t>(Factor::kernel)].size() < 2;
}

/// Says why a counter is not chosen in spite of its grade; empty where nothing speaks against it.
std::string why_not(const CounterScore& score) {
  if (is_of_one_kernel(score)) return "no second kernel confirms what it is off by; ";
  if (score.amounts && score.amounts->from > 0) return "of what is less a chosen set would give wrong numbers; ";
  return {};
}

/// Adds the evidence to a counter. For a calibrated one the ratios are those that remain; for one that is good up to some amount those of
/// the cases up to there.
ChosenCounter with_evidence(const Counter& counter, const CounterScore& score) {
  const Interval possible = score.amounts ? Interval{score.amounts->ratio_lo, score.amounts->ratio_hi} : score.possible;
  const Calibration by = score.calibration.value_or(Calibration{.ratio_lo = possible.lo, .ratio_hi = possible.hi});
  const std::string against = why_not(score);
  return {.counter = counter,
          .grade = against.empty() ? score.grade : '-',
          .factor = by.factor,
          .offset = by.offset,
          .offset_lo = by.offset_lo,
          .offset_hi = by.offset_hi,
          .offset_per = by.per,
          .good_up_to = score.amounts ? score.amounts->up_to : GoodAmounts().up_to,
          .ratio_lo = by.ratio_lo,
          .ratio_hi = by.ratio_hi,
          .cases = score.n,
          .evidence = against + score.reason};
}

}  // namespace

CounterSet choose_from(const Accuracy& accuracy, std::span<const Counter> table, const Results& results, const Measurements& measurements,
                       const SlotLimits& limits, const std::string& file) {
  std::vector<Candidate> candidates;
  for (const auto& score : accuracy.counters) {
    if (score.convention != Convention::flow || score.of_code) continue;
    const auto counter = std::find_if(table.begin(), table.end(), [&](const Counter& c) {
      return c.name == score.counter && c.convention == score.convention && c.claim() == score.quantity;
    });
    if (counter != table.end()) candidates.push_back({with_evidence(*counter, score), is_simulated(*counter)});
  }
  CounterSet set = choose_counters(candidates, wanted_quantities(measurements), limits);
  set.machine = machines_of(results);
  set.file = file;
  return set;
}

}  // namespace plumbline::app
