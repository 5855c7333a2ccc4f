#include "adversary_trial.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "app/results/counter_choosing.hpp"
#include "core/fnv.hpp"

namespace plumbline::test {
namespace {

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

/// The choice that `plumbline score --choose` makes of this counter and of those beside it: absent where it is not chosen.
std::optional<ChosenCounter> choice_of(const Accuracy& accuracy, const CounterScore& score, const std::vector<Counter>& table,
                                       const Results& results, const Measurements& measurements, const SlotLimits& limits) {
  Accuracy alone;
  for (const auto& one : accuracy.counters)
    if (one.counter == score.counter || one.counter.starts_with("beside ")) alone.counters.push_back(one);
  for (const auto& one : app::choose_from(alone, table, results, measurements, limits, "adversary").counters)
    if (one.counter.name == score.counter) return one;
  return std::nullopt;
}

/// The counter's counts of the scored cases, as the score has them.
std::vector<Count> scored_counts(const std::string& counter, const Accuracy& accuracy, const std::vector<TrueCase>& cases) {
  std::vector<Count> counts;
  for (const auto& row : accuracy.rows) {
    if (row.counter != counter || !row.was_measured()) continue;
    const auto of = std::find_if(cases.begin(), cases.end(), [&](const TrueCase& one) { return one.row.id == row.case_id; });
    counts.push_back({&*of, row.measured});
  }
  return counts;
}

/// The counts of cases that were not scored, where it counts once.
std::vector<Count> held_out_counts(const MadeCounter& made, const std::vector<TrueCase>& cases, std::uint64_t seed) {
  Random random(seed);
  std::vector<Count> counts;
  for (const auto& one : cases) {
    double team = 0;
    for (std::int64_t rank = 0; rank < one.row.ranks; ++rank) team += made.count(one, random);
    counts.push_back({&one, team});
  }
  return counts;
}

bool says_any(const std::string& reason, const std::vector<std::string>& words) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const auto& word) { return reason.find(word) != std::string::npos; });
}

struct Judged {
  const Attack& attack;
  const CounterScore& score;
  std::vector<Count> scored = {}, held_out = {};
};

/// Whether a counter is harmless by what it counts without noise: off by no more than a trusted counter may be, or than a few operations or
/// lines.
bool is_harmless(const MadeCounter& made, const std::vector<TrueCase>& cases, std::uint64_t seed) {
  Random random(seed);
  const double a_few = made.counter.kind == Kind::flops ? 50 : 1 << 14, worst = limits_of(made.counter.kind).worst;
  return std::none_of(cases.begin(), cases.end(), [&](const TrueCase& one) {
    const double truth = one.of(made.counter.quantities), off = std::abs(made.count(one, random) - truth);
    return off > worst * truth && off > a_few;
  });
}

Verdict verdict_of(const AttackKind& kind, std::uint64_t seed, const Judged& judged, const ChosenCounter* chosen,
                   const std::vector<TrueCase>& cases, const CaseWords& words) {
  const CounterScore& score = judged.score;
  const Wanted& wanted = judged.attack.wanted;
  Verdict verdict{.kind = kind.name, .is_right = kind.is_right, .seed = seed, .grade = score.grade, .reason = score.reason};
  verdict.says_why = says_any(score.reason, wanted.says);
  verdict.is_as_wanted = verdict.says_why && wanted.grades.find(score.grade) != std::string::npos;
  verdict.is_harmless =
      !kind.is_right && !wanted.never_trusted && !judged.attack.made.joint && is_harmless(judged.attack.made, cases, seed);
  verdict.is_chosen = chosen != nullptr;
  for (const auto* counts : {&judged.scored, &judged.held_out}) {
    if (counts == &judged.held_out && wanted.never_trusted) continue;  // what comes by chance comes to single counts
    const Use use = used_as_it_says(judged.attack.made, score, chosen, *counts, words);
    verdict.is_trusted_wrongly = verdict.is_trusted_wrongly || use.is_off;
    verdict.has_wrong_factor = verdict.has_wrong_factor || use.is_off_by_factor;
    verdict.is_chosen_wrongly = verdict.is_chosen_wrongly || use.is_off_as_chosen;
    if (verdict.example.empty()) verdict.example = use.example;
  }
  verdict.has_wrong_factor = verdict.has_wrong_factor || is_stated_wrongly(judged.attack.made, score, cases, words, seed);
  if (!kind.is_right && wanted.never_trusted && score.grade == 'A') verdict.is_trusted_wrongly = true;
  verdict.is_accused = kind.is_right && (wanted.grades.find(score.grade) == std::string::npos || verdict.is_trusted_wrongly);
  return verdict;
}

}  // namespace

AttackedResult attacked_result(std::uint64_t seed, const std::vector<TrueCase>& cases, std::span<const AttackKind> kinds) {
  AttackedResult all;
  std::vector<MadeCounter> made = beside();
  for (const auto& kind : kinds) {
    Random random(fnv1a(kind.name) ^ Random(seed).next());  // a kind's fault does not hang on which other kinds there are
    Attack attack = kind.make(cases, random);
    attack.made.counter.name = "counter" + std::to_string(all.attacks.size());
    attack.made.counter.terms = {{attack.made.counter.name, 1}};
    made.push_back(attack.made);
    all.attacks.push_back(std::move(attack));
  }
  for (const auto& one : made) all.table.push_back(one.counter);
  all.results = results_of(cases, made, Random(seed).next());  // streams of seeds that follow each other are the same but for one number
  return all;
}

std::vector<Verdict> verdicts(std::uint64_t seed, const Bases& bases, const CaseWords& words, std::span<const AttackKind> kinds) {
  constexpr std::size_t at_a_time = 20;  // as many as a run counts; very many are judged more strictly (stability.hpp)
  std::vector<Verdict> all;
  for (; !kinds.empty(); kinds = kinds.subspan(std::min(at_a_time, kinds.size()))) {
    const auto some = kinds.first(std::min(at_a_time, kinds.size()));
    const AttackedResult attacked = attacked_result(seed, bases.scored, some);
    const Measurements measurements = measurements_of(attacked.results);
    const Accuracy accuracy = score(measurements, attacked.table);
    const SlotLimits limits = limits_shown_by(attacked.results, measurements, {});
    for (std::size_t k = 0; k < some.size(); ++k) {
      const Attack& attack = attacked.attacks[k];
      const auto own = std::find_if(accuracy.counters.begin(), accuracy.counters.end(),
                                    [&](const CounterScore& one) { return one.counter == attack.made.counter.name; });
      if (own == accuracy.counters.end()) throw std::logic_error(some[k].name + ": no model speaks of what it claims");
      const auto chosen = choice_of(accuracy, *own, attacked.table, attacked.results, measurements, limits);
      const Judged judged{attack, *own, scored_counts(own->counter, accuracy, bases.scored),
                          held_out_counts(attack.made, bases.held_out, seed)};
      all.push_back(verdict_of(some[k], seed, judged, chosen ? &*chosen : nullptr, bases.scored, words));
    }
  }
  return all;
}

}  // namespace plumbline::test
