#include "adversary_use.hpp"

#include <algorithm>
#include <cmath>

#include "model/cases/factors.hpp"
#include "model/placement/chosen_counts.hpp"

namespace plumbline::test {
namespace {

double allowed_beside(Kind kind, const CaseRow& row) {
  const auto workers = static_cast<double>(row.ranks * row.threads);
  return workers * (kind == Kind::flops ? 400 : 1 << 16);
}

double truth_of(const MadeCounter& made, const TrueCase& one) {
  return one.of(made.counter.quantities) * static_cast<double>(one.row.ranks);
}

/// The factor by which a score says to multiply, in its regimes if it has them.
Calibration calibration_of(const CounterScore& score) {
  if (score.calibration) return *score.calibration;
  if (score.grade == 'C' && score.regimes && score.regimes->grade == 'B') return {.factor = 1 / score.regimes->bias};
  return {};
}

bool has(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

/// Whether the score says that it is good in this case, by its data and not by what its sentence happens to name: by C where its regimes
/// or amounts are; by A and B, and C without either, everywhere but in strays, and in cases and kernels that the model leaves open.
bool claims_to_hold(const CounterScore& score, const std::string& case_id, double amount, const CaseWords& words) {
  if (score.grade != 'A' && score.grade != 'B' && score.grade != 'C') return false;
  if (score.grade == 'C' && score.amounts) return score.amounts->from <= amount && amount <= score.amounts->up_to;
  if (score.grade == 'C' && score.regimes) return has(score.regimes->good, words.word(case_id, score.regimes->factor));
  const Coverage& coverage = score.coverage;
  return !has(score.strays, case_id) && !has(coverage.open_cases, case_id) && !has(coverage.open, words.word(case_id, Factor::kernel));
}

/// The factor or offset that a score says all cases share in which it is good: measured over exact, or what is added to every sweep by
/// whoever adds it.
struct Stated {
  Interval bias = {}, offset = {};
};

Stated stated_by(const CounterScore& score) {
  if (score.grade == 'A') return {.bias = score.bias_interval};
  if (score.grade == 'C' && score.regimes && score.regimes->grade == 'B') return {.bias = score.regimes->steady_interval};
  if (score.grade != 'B' || !score.calibration) return {};
  if (score.calibration->offset != 0) return {.offset = {score.calibration->offset_lo, score.calibration->offset_hi}};
  return {.bias = score.steady_interval};
}

/// The one value that all have, absent where they differ.
double shared(const std::vector<double>& values) {
  if (values.empty()) return absent;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least <= 1e-9 * std::abs(*most) ? *least : absent;
}

/// Whether neither is absent, and the value lies outside.
bool is_outside(double value, const Interval& interval) { return value < interval.lo || value > interval.hi; }

}  // namespace

CaseWords::CaseWords(const Bases& bases) {
  Results results;
  for (const auto* cases : {&bases.scored, &bases.held_out})
    for (const auto& one : *cases) {
      results.cases.push_back(one.row);
      results.outcomes.push_back({one.row.id, "count", Status::ok, "", "node0", "", 0, "s"});
      for (const auto& [quantity, bounds] : one.model) results.model.push_back({one.row.id, quantity, bounds.first, bounds.second});
    }
  const Measurements measurements = measurements_of(results);
  const FactorTable factors(measurements);
  for (std::size_t at = 0; at < factors.cases(); ++at)
    for (std::size_t f = 0; f < factor_count; ++f) {
      const auto factor = static_cast<Factor>(f);
      words_[factors.name(at)][f] = factors.word(factor, factors.value(at, factor));
    }
}

bool is_off(const MadeCounter& made, const Count& count, double amount) {
  const double truth = truth_of(made, *count.of), off = std::abs(amount - truth);
  return off > limits_of(made.counter.kind).worst * truth && off > allowed_beside(made.counter.kind, count.of->row);
}

Use used_as_it_says(const MadeCounter& made, const CounterScore& score, const ChosenCounter* chosen, const std::vector<Count>& counts,
                    const CaseWords& words) {
  const Calibration by = calibration_of(score);
  Use use;
  for (const Count& count : counts) {
    const CaseRow& row = count.of->row;
    if (!claims_to_hold(score, row.id, truth_of(made, *count.of), words)) continue;
    if (is_off(made, count, (count.measured - by.offset * offsets_in(by.per, row.ranks, row.threads)) * by.factor)) {
      use.is_off = true;
      use.is_off_by_factor = use.is_off_by_factor || by.factor != 1 || by.offset != 0;
      if (use.example.empty()) use.example = row.id;
    }
    if (chosen == nullptr) continue;
    const auto estimate = estimate_of(*chosen, count.measured, offsets_in(chosen->offset_per, row.ranks, row.threads));
    const double nearest = estimate ? std::clamp(truth_of(made, *count.of), estimate->lo, estimate->hi) : 0;  // no number, as if nothing
    use.is_off_as_chosen = use.is_off_as_chosen || is_off(made, count, nearest);
  }
  return use;
}

bool is_stated_wrongly(const MadeCounter& made, const CounterScore& score, const std::vector<TrueCase>& cases, const CaseWords& words,
                       std::uint64_t seed) {
  Random random(seed);
  const Stated stated = stated_by(score);
  const Calibration by = calibration_of(score);
  std::vector<double> biases, offsets;
  for (const auto& one : cases) {
    const double truth = truth_of(made, one), count = made.count(one, random) * static_cast<double>(one.row.ranks);
    if (!claims_to_hold(score, one.row.id, truth, words) || truth <= allowed_beside(made.counter.kind, one.row)) continue;
    biases.push_back(count / truth);
    offsets.push_back((count - truth) / offsets_in(by.per, one.row.ranks, one.row.threads));
  }
  return is_outside(shared(biases), stated.bias) || is_outside(shared(offsets), stated.offset);
}

}  // namespace plumbline::test
