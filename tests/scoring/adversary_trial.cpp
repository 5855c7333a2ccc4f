#include "adversary_trial.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "app/counter_choosing.hpp"
#include "model/accuracy.hpp"
#include "model/bootstrap.hpp"
#include "model/chosen_counts.hpp"
#include "model/factors.hpp"

namespace plumbline::test {
namespace {

/// What a count may be off by beside the limits of its kind: interrupts, stack, the harness's own.
double allowed_beside(Kind kind, const CaseRow& row) {
  const auto workers = static_cast<double>(row.ranks * row.threads);
  return workers * (kind == Kind::flops ? 400 : 1 << 16);
}

std::string short_name(const std::string& kernel) { return kernel.substr(kernel.find('/') + 1); }

/// One counter's score with what is needed to use it as it says.
struct Judged {
  const Attack& attack;
  const CounterScore& score;
  const std::vector<const CaseScore*>& rows;  // one a case, in the order of `cases`
  const std::vector<TrueCase>& cases;
  const Measurements& measurements;
  const FactorTable& factors;

  double truth(std::size_t i) const { return cases[i].of(attack.made.counter.quantities) * static_cast<double>(cases[i].row.ranks); }
  bool is_off(std::size_t i, double amount) const {
    const double off = std::abs(amount - truth(i));
    return off > limits_of(attack.made.counter.kind).worst * truth(i) && off > allowed_beside(attack.made.counter.kind, cases[i].row);
  }
};

/// The factor by which a score says to multiply, in its regimes if it has them.
Calibration calibration_of(const CounterScore& score) {
  if (score.grade == 'B' && score.calibration) return *score.calibration;
  if (score.grade == 'C' && score.regimes && score.regimes->grade == 'B') return {.factor = 1 / score.regimes->bias};
  return {};
}

/// Whether the score says that it is good in this case: everywhere by A and B but in cases and kernels that the reason names as exceptions,
/// by C where its regimes are, or, of a C without regimes, where the reason does not name the case, its kernel or its team.
bool claims_to_hold(const Judged& judged, std::size_t i) {
  const CounterScore& score = judged.score;
  const CaseRow& row = judged.cases[i].row;
  if (score.grade != 'A' && score.grade != 'B' && score.grade != 'C') return false;
  if (score.grade == 'C' && score.regimes) {
    for (std::size_t at = 0; at < judged.measurements.cases.size(); ++at)
      if (judged.measurements.cases[at].of->id == row.id) {
        const auto& good = score.regimes->good;
        const Factor factor = score.regimes->factor;
        return std::find(good.begin(), good.end(), judged.factors.word(factor, judged.factors.value(at, factor))) != good.end();
      }
  }
  const auto says = [&](const std::string& word) { return score.reason.find(word) != std::string::npos; };
  return !says(row.id) && !says(short_name(row.kernel));
}

void use_as_it_says(const Judged& judged, Verdict& verdict) {
  const Calibration by = calibration_of(judged.score);
  const bool calibrates = by.factor != 1 || by.offset != 0;
  for (std::size_t i = 0; i < judged.cases.size(); ++i) {
    if (judged.rows[i] == nullptr || !judged.rows[i]->was_measured() || !claims_to_hold(judged, i)) continue;
    if (!judged.is_off(i, (judged.rows[i]->measured - by.offset) * by.factor)) continue;
    verdict.is_trusted_wrongly = true;
    verdict.has_wrong_factor = verdict.has_wrong_factor || calibrates;
    if (verdict.example.empty()) verdict.example = judged.cases[i].row.id;
  }
}

bool is_harmless(const Judged& judged) {
  for (std::size_t i = 0; i < judged.cases.size(); ++i)
    if (judged.rows[i] != nullptr && judged.rows[i]->was_measured() && judged.is_off(i, judged.rows[i]->measured)) return false;
  return true;
}

bool says_any(const std::string& reason, const std::vector<std::string>& words) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const auto& word) { return reason.find(word) != std::string::npos; });
}

/// What --choose makes of the counter beside right ones for what it does not claim.
const ChosenCounter* chosen(const CounterSet& set, const std::string& counter) {
  for (const auto& one : set.counters)
    if (one.counter.name == counter) return &one;
  return nullptr;
}

void use_as_chosen(const Judged& judged, const ChosenCounter& by, Verdict& verdict) {
  verdict.is_chosen = true;
  for (std::size_t i = 0; i < judged.cases.size(); ++i) {
    if (judged.rows[i] == nullptr || !judged.rows[i]->was_measured() || !claims_to_hold(judged, i)) continue;
    const auto estimate = estimate_of(by, judged.rows[i]->measured);
    if (!estimate || !judged.is_off(i, std::clamp(judged.truth(i), estimate->lo, estimate->hi))) continue;
    verdict.is_chosen_wrongly = true;
  }
}

Verdict verdict_of(const AttackKind& kind, std::uint64_t seed, const Judged& judged, const CounterSet& set) {
  const CounterScore& score = judged.score;
  const Wanted& wanted = judged.attack.wanted;
  Verdict verdict{.kind = kind.name, .is_right = kind.is_right, .seed = seed, .grade = score.grade, .reason = score.reason};
  verdict.says_why = says_any(score.reason, wanted.says);
  verdict.is_as_wanted = verdict.says_why && wanted.grades.find(score.grade) != std::string::npos;
  verdict.is_harmless = !kind.is_right && !wanted.never_trusted && is_harmless(judged);
  use_as_it_says(judged, verdict);
  if (!kind.is_right && wanted.never_trusted && score.grade == 'A') verdict.is_trusted_wrongly = true;
  verdict.is_accused = kind.is_right && (wanted.grades.find(score.grade) == std::string::npos || verdict.is_trusted_wrongly);
  if (const ChosenCounter* by = chosen(set, score.counter)) use_as_chosen(judged, *by, verdict);
  return verdict;
}

/// Right counters of the flows of L1-L2 and L2-L3 one by one, so that --choose can put a boundary together.
std::vector<MadeCounter> beside() {
  std::vector<MadeCounter> all;
  for (const char* flow :
       {"bytes.L1-L2.write_back", "bytes.L1-L2.nt_store", "bytes.L2-L3.rfo", "bytes.L2-L3.write_back", "bytes.L2-L3.nt_store"}) {
    MadeCounter made{.counter = claiming(std::string("beside ") + flow, {flow}), .kind = "beside", .noise_free = true, .times = 3};
    made.count = [flow](const TrueCase& one, Random&) { return one.of({flow}); };
    all.push_back(std::move(made));
  }
  return all;
}

/// `plumbline score --choose` of this counter and of those beside it.
CounterSet choice_of(const Accuracy& accuracy, const CounterScore& score, const std::vector<Counter>& table, const Results& results,
                     const Measurements& measurements, const SlotLimits& limits) {
  Accuracy alone;
  for (const auto& one : accuracy.counters)
    if (one.counter == score.counter || one.counter.starts_with("beside ")) alone.counters.push_back(one);
  return app::choose_from(alone, table, results, measurements, limits, "adversary");
}

/// Rows of each counter by the number of the case.
std::map<std::string, std::vector<const CaseScore*>> rows_by_counter(const Accuracy& accuracy, const std::vector<TrueCase>& cases) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < cases.size(); ++i) numbers[cases[i].row.id] = i;
  std::map<std::string, std::vector<const CaseScore*>> rows;
  for (const auto& row : accuracy.rows) {
    auto& own = rows[row.counter];
    own.resize(cases.size());
    own[numbers.at(row.case_id)] = &row;
  }
  return rows;
}

}  // namespace

AttackedResult attacked_result(std::uint64_t seed, const std::vector<TrueCase>& cases, const std::vector<AttackKind>& kinds) {
  AttackedResult all;
  std::vector<MadeCounter> made = beside();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    Random random(stable_hash(kinds[k].name) ^ Random(seed).next());  // a kind's counter does not depend on which other kinds there are
    all.attacks.push_back(kinds[k].make(cases, random));
    all.attacks.back().made.counter.name = "counter" + std::to_string(k);
    all.attacks.back().made.counter.terms = {{all.attacks.back().made.counter.name, 1}};
    made.push_back(all.attacks.back().made);
  }
  all.results = results_of(cases, made, seed);
  return all;
}

std::vector<Verdict> verdicts(std::uint64_t seed, const std::vector<TrueCase>& cases, const std::vector<AttackKind>& kinds) {
  constexpr std::size_t at_a_time = 20;  // as many as a run counts; many more are judged more strictly (stability.hpp)
  std::vector<Verdict> all;
  for (std::size_t first = 0; first < kinds.size(); first += at_a_time) {
    const std::vector some(kinds.begin() + static_cast<std::ptrdiff_t>(first),
                           kinds.begin() + static_cast<std::ptrdiff_t>(std::min(first + at_a_time, kinds.size())));
    const AttackedResult attacked = attacked_result(seed, cases, some);
    const Measurements measurements = measurements_of(attacked.results);
    std::vector<Counter> table;
    for (const auto& made : beside()) table.push_back(made.counter);
    for (const auto& attack : attacked.attacks) table.push_back(attack.made.counter);
    const Accuracy accuracy = score(measurements, table);
    const FactorTable factors(measurements);
    const SlotLimits limits = limits_shown_by(attacked.results, measurements, {});
    auto rows = rows_by_counter(accuracy, cases);
    for (std::size_t k = 0; k < some.size(); ++k)
      for (const auto& one : accuracy.counters) {
        if (one.counter != attacked.attacks[k].made.counter.name) continue;
        const CounterSet set = choice_of(accuracy, one, table, attacked.results, measurements, limits);
        all.push_back(verdict_of(some[k], seed, {attacked.attacks[k], one, rows[one.counter], cases, measurements, factors}, set));
      }
  }
  return all;
}

}  // namespace plumbline::test
