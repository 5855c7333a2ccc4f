#include "model/scoring/grading.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/placement/chosen_counts.hpp"
#include "model/scoring/amounts.hpp"
#include "model/scoring/bias_interval.hpp"
#include "model/scoring/decision.hpp"
#include "model/scoring/diagnosis.hpp"
#include "model/scoring/reason.hpp"
#include "model/scoring/strays.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

std::vector<std::string> names_of(const std::vector<std::uint32_t>& cases, const FactorTable& factors) {
  std::vector<std::string> names;
  for (const std::uint32_t at : cases) names.push_back(factors.name(at));
  return names;
}

std::vector<Linearity> linearity_of(const std::vector<Evidence>& evidence, const FactorTable& factors) {
  std::vector<Point> all;
  std::map<std::string, std::vector<Point>> regimes;
  for (const auto& one : evidence) {
    if (!one.is_sharp()) continue;
    all.push_back(point_of(one));
    regimes[factors.word(Factor::regime, factors.value(one.at, Factor::regime))].push_back(all.back());
  }
  std::vector<Linearity> lines{fit_line(std::move(all), "")};
  for (auto& [regime, points] : regimes)
    if (regimes.size() > 1 && points.size() >= 4) lines.push_back(fit_line(std::move(points), regime));
  return lines;
}

Joint joint_of(const std::vector<Evidence>& evidence, const Limits& limits) {
  std::vector<double> ratios, disturbed;
  std::size_t sharp = 0;
  for (const auto& one : evidence) {
    if (!std::isfinite(one.joint) || one.zero != ZeroTest::no) continue;
    ratios.push_back(one.joint);
    if (!one.is_sharp()) continue;  // next to nothing always differs
    ++sharp;
    if (std::abs(one.joint - 1) > limits.worst) disturbed.push_back(one.joint);
  }
  Joint joint{.cases = ratios.size(), .sharp = sharp, .disturbed = disturbed.size()};
  joint.median = quantile(ratios, 0.5);
  joint.median_of_disturbed = quantile(disturbed, 0.5);
  return joint;
}

void fill_numbers(const Counter& counter, const std::vector<Evidence>& evidence, const Grading& grading, const Summary& summary,
                  CounterScore& score) {
  const Limits limits = limits_of(counter.kind);
  score.n = summary.cases();
  score.narrow = summary.narrow();
  score.unsteady = summary.unsteady();
  score.sharp = summary.sharp();
  score.bias = summary.bias();
  score.min = summary.min();
  score.max = summary.max();
  score.cv = summary.cv();
  score.zero_tests = summary.zero_tests();
  score.zero_failures = summary.zero_failures();
  const CaseVerdict by_cases = summary.verdict(limits);
  score.strays = names_of(by_cases.strays, grading.factors);
  score.bias_interval = bias_interval(evidence, grading.factors, score.bias);
  score.steady_interval = by_cases.is_good() ? steady_interval(evidence, grading.factors, by_cases.factor, by_cases.strays) : Interval();
  score.possible = possible_of(evidence, limits);
  score.repeatability = repeatability_of(evidence);
  if (is_simulated(counter) || counter.of_code) score.repeatability.most = 0;
  std::vector<const Evidence*> by_case(grading.factors.cases());
  for (const auto& one : evidence) by_case[one.at] = &one;
  score.invariance = invariance_of(by_case, grading.factors);
  score.linearity = linearity_of(evidence, grading.factors);
  score.cross_talk = grading.flows.fit(counter, evidence);
  score.joint = joint_of(evidence, limits);
  score.coverage = coverage_of(counter, evidence, grading.factors, grading.counted_nodes);
  if (grading.confirming) score.confirmation = confirm(evidence, grading.factors, limits);
}

/// Whether all sharp cases of a single kernel that is an exception have more than those of the good ones.
bool is_exception_largest(const CounterScore& score, const std::vector<Evidence>& evidence, const FactorTable& factors) {
  if (!score.regimes || score.regimes->factor != Factor::kernel || score.regimes->others.size() != 1) return false;
  double least = HUGE_VAL, most_good = 0;
  for (const auto& one : evidence) {
    if (!one.is_sharp()) continue;
    const bool is_good = factors.word(Factor::kernel, factors.value(one.at, Factor::kernel)) != score.regimes->others.front();
    if (is_good)
      most_good = std::max(most_good, one.exact_hi);
    else
      least = std::min(least, one.exact_lo);
  }
  return least < HUGE_VAL && least > most_good;
}

/// The sharp cases are of one work alone: what its count is off by may be a factor as well as a count that is not exceeded.
bool is_of_one_work(const std::vector<Evidence>& evidence, const FactorTable& factors) {
  std::vector<bool> works(factors.works());
  for (const auto& one : evidence)
    if (one.is_sharp()) works[factors.work(one.at)] = true;
  return std::count(works.begin(), works.end(), true) == 1;
}

// ------------------------------------------------------------------------------------------------------------------ verdict

Facts facts_of(const CounterScore& score, const CaseVerdict& verdict, const std::optional<Offset>& offset,
               const std::vector<Evidence>& evidence, const FactorTable& factors) {
  Facts facts{.by_cases = verdict.grade,
              .regimes = score.regimes,
              .has_look_up = score.look_up.has_value(),
              .offset = offset ? offset->by.verdict : OffsetVerdict::not_enough,
              .is_good_from = offset && offset->from,
              .is_good_up_to = score.amounts.has_value(),
              .confirmation = score.confirmation,
              .hangs_on = score.hangs_on,
              .is_of_one_work = is_of_one_work(evidence, factors),
              .is_exception_largest = is_exception_largest(score, evidence, factors),
              .leaves_open = !score.coverage.open.empty(),
              .has_one_level = score.coverage.tried[static_cast<std::size_t>(Factor::level)].size() == 1,
              .misses_nodes = !score.coverage.untried_nodes.empty(),
              .is_of_code = score.of_code};
  for (const auto& finding : score.findings) facts.found.push_back(finding.kind);
  return facts;
}

/// The grade, and what goes with it.
void take(const Decision& decision, const CaseVerdict& by_cases, const std::optional<Offset>& offset, CounterScore& score) {
  score.grade = decision.grade;
  if (decision.is_by_offset) {
    score.calibration = offset->by.calibration;
    score.is_calibration_confirmed = offset->is_confirmed;
  } else if (score.grade == 'B') {
    score.calibration = by_factor(by_cases.factor, score.possible);
  }
  if (decision.tells(FindingKind::calibrated_from))
    score.amounts = offset->from;
  else if (!decision.tells(FindingKind::up_to))
    score.amounts.reset();
  if (score.amounts || find(score.findings, FindingKind::by_flows) != nullptr) score.regimes.reset();
}

/// Adds findings for what was decided beyond what the diagnosis had found.
void add_findings(const Decided& decided, std::vector<Finding>& findings) {
  for (const FindingKind kind : {FindingKind::look_up, FindingKind::unconfirmed_regimes, FindingKind::regimes, FindingKind::up_to,
                                 FindingKind::unconfirmed, FindingKind::hinges, FindingKind::hangs_on})
    for (const Told& told : decided.decision.reason)
      if (told.kind == kind) findings.push_back({kind, words_of(told, decided), absent});
}

/// A counter with its grade, as if no part of its evidence could be left out.
struct Judged {
  CounterScore score = {};
  Summary summary = {};
  CaseVerdict by_cases = {};
  std::optional<Offset> offset = {};
  Facts facts = {};
  Decision decision = {};
};

Judged judge(const Counter& counter, const std::vector<Evidence>& evidence, const Attempts& attempts, const Grading& grading) {
  Judged judged{.score = {.counter = counter.name,
                          .quantity = counter.claim(),
                          .convention = counter.convention,
                          .attempts = attempts,
                          .of_code = counter.of_code}};
  CounterScore& score = judged.score;
  const Limits limits = limits_of(counter.kind);
  judged.summary = summarize(evidence, limits);
  judged.by_cases = judged.summary.verdict(limits);
  if (have_a_cause(judged.by_cases.strays, evidence, grading.factors)) judged.by_cases = {.grade = 'D'};
  fill_numbers(counter, evidence, grading, judged.summary, score);
  double cap = absent;
  if (judged.by_cases.grade == 'D') {
    cap = cap_of(evidence, grading.factors, limits);
    if (!std::isfinite(cap)) judged.offset = offset_of(evidence, grading.factors, limits);
    score.regimes = good_regimes(evidence, grading.factors, limits);
    score.look_up = plumbline::look_up(evidence, grading.factors, limits);
    if (std::isfinite(cap)) score.amounts = good_below(cap, evidence, grading.factors, limits);
  }
  score.findings = findings_of({counter, score, evidence, grading.factors, judged.summary, judged.by_cases, judged.offset, cap, limits});
  judged.facts = facts_of(score, judged.by_cases, judged.offset, evidence, grading.factors);
  judged.decision = decide(judged.facts);
  return judged;
}

/// Ratios alone tell what a grade may hang on; what does not lower it is kept where all rules together make another grade without it.
std::vector<HangsOn> really_hanging(const Counter& counter, const std::vector<Evidence>& evidence, const Attempts& attempts,
                                    const Grading& grading, char grade) {
  std::vector<HangsOn> kept;
  for (HangsOn one : leave_one_out(evidence, grading.factors, limits_of(counter.kind))) {
    if (!is_worse_without(one, grade)) {
      std::vector<Evidence> others;
      for (const auto& other : evidence)
        if (grading.factors.word(one.factor, grading.factors.value(other.at, one.factor)) != one.value) others.push_back(other);
      one.grade_without = judge(counter, others, attempts, grading).decision.grade;
      if (one.grade_without == grade || is_worse_without(one, grade)) continue;
    }
    kept.push_back(std::move(one));
  }
  return kept;
}

}  // namespace

CounterScore grade(const Counter& counter, const std::vector<Evidence>& evidence, const Attempts& attempts, const Grading& grading) {
  Judged judged = judge(counter, evidence, attempts, grading);
  CounterScore score = std::move(judged.score);
  score.hangs_on = really_hanging(counter, evidence, attempts, grading, judged.decision.grade);
  judged.facts.hangs_on = score.hangs_on;
  const Decision decision = decide(judged.facts);
  take(decision, judged.by_cases, judged.offset, score);
  const Decided decided{counter, score, judged.summary, judged.offset, decision};
  add_findings(decided, score.findings);
  score.reason = reason_of(decided);
  return score;
}

}  // namespace plumbline
