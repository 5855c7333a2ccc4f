#include "adversary_use.hpp"

#include <algorithm>
#include <cmath>

#include "model/chosen_counts.hpp"
#include "model/factors.hpp"

namespace plumbline::test {
namespace {

double allowed_beside(Kind kind, const CaseRow& row) {
  const auto workers = static_cast<double>(row.ranks * row.threads);
  return workers * (kind == Kind::flops ? 400 : 1 << 16);
}

std::string short_name(const std::string& kernel) { return kernel.substr(kernel.find('/') + 1); }

double truth_of(const MadeCounter& made, const TrueCase& one) {
  return one.of(made.counter.quantities) * static_cast<double>(one.row.ranks);
}

/// The factor by which a score says to multiply, in its regimes if it has them.
Calibration calibration_of(const CounterScore& score) {
  if (score.calibration) return *score.calibration;
  if (score.grade == 'C' && score.regimes && score.regimes->grade == 'B') return {.factor = 1 / score.regimes->bias};
  return {};
}

/// Whether the score says that it is good in this case: everywhere by A and B but in cases and kernels that the reason names as exceptions,
/// by C where its regimes or amounts are, or, of a C without regimes, where the reason does not name the case or its kernel.
bool claims_to_hold(const CounterScore& score, const CaseRow& row, double amount, const CaseWords& words) {
  if (score.grade != 'A' && score.grade != 'B' && score.grade != 'C') return false;
  if (score.grade == 'C' && score.amounts) return score.amounts->from <= amount && amount <= score.amounts->up_to;
  if (score.grade == 'C' && score.regimes) {
    const auto& good = score.regimes->good;
    return std::find(good.begin(), good.end(), words.word(row.id, score.regimes->factor)) != good.end();
  }
  const auto says = [&](const std::string& word) { return score.reason.find(word) != std::string::npos; };
  return !says(row.id) && !says(short_name(row.kernel));
}

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
    if (!claims_to_hold(score, row, truth_of(made, *count.of), words)) continue;
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

}  // namespace plumbline::test
