#include "app/counter_choosing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/result_file.hpp"
#include "model/chosen_counts.hpp"
#include "model/diagnosis.hpp"

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
  const bool is_calibrated = score.grade == 'B' && find(score.findings, FindingKind::strays) == nullptr && score.calibration &&
                             (score.calibration->offset != 0 || find(score.findings, FindingKind::factor) != nullptr);
  return is_calibrated && score.coverage.tried[static_cast<std::size_t>(Factor::kernel)].size() < 2;
}

/// Of a calibrated counter the ratios are those that remain.
ChosenCounter with_evidence(const Counter& counter, const CounterScore& score) {
  const Calibration as_counted{.ratio_lo = score.possible.lo, .ratio_hi = score.possible.hi};
  const Calibration& by = score.grade == 'B' && score.calibration ? *score.calibration : as_counted;
  const bool is_unconfirmed = is_of_one_kernel(score);
  return {.counter = counter,
          .grade = is_unconfirmed ? '-' : score.grade,
          .factor = by.factor,
          .offset = by.offset,
          .offset_lo = by.offset_lo,
          .offset_hi = by.offset_hi,
          .ratio_lo = by.ratio_lo,
          .ratio_hi = by.ratio_hi,
          .cases = score.n,
          .evidence = (is_unconfirmed ? "no second kernel confirms what it is off by; " : "") + score.reason};
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
