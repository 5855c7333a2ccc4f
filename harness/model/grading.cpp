#include "model/grading.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/bias_interval.hpp"
#include "model/diagnosis.hpp"
#include "model/spread.hpp"
#include "model/strays.hpp"
#include "model/words.hpp"

namespace plumbline {
namespace {

std::vector<std::string> names_of(const std::vector<std::uint32_t>& cases, const FactorTable& factors) {
  std::vector<std::string> names;
  for (const std::uint32_t at : cases) names.push_back(factors.name(at));
  return names;
}

/// Intervals that are too wide to tell a counter that jumps within them from a right one count by what is outside of them alone.
Interval possible_of(const std::vector<Evidence>& evidence, const Limits& limits) {
  Interval all;
  for (const auto& one : evidence) {
    if (!one.tells() || !std::isfinite(one.ratio)) continue;
    const bool is_tight = one.exact_lo > 0 && one.exact_hi <= (1 + 2 * limits.worst) * one.exact_lo;
    all.lo = std::fmin(all.lo, is_tight ? one.measured / one.exact_hi : one.ratio);
    all.hi = std::fmax(all.hi, is_tight ? one.measured / one.exact_lo : one.ratio);
  }
  return all;
}

std::vector<Linearity> linearity_of(const std::vector<Evidence>& evidence, const FactorTable& factors) {
  std::map<std::string, std::vector<Point>> regimes;
  for (const auto& one : evidence)
    if (one.is_sharp()) regimes[factors.word(Factor::regime, factors.value(one.at, Factor::regime))].push_back(point_of(one));
  std::vector<Linearity> lines{fit_line(points_of(evidence), "")};
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
  std::vector<const Evidence*> by_case(grading.factors.cases());
  for (const auto& one : evidence) by_case[one.at] = &one;
  score.invariance = invariance_of(by_case, grading.factors);
  score.linearity = linearity_of(evidence, grading.factors);
  score.cross_talk = grading.flows.fit(counter, evidence);
  score.joint = joint_of(evidence, limits);
  score.coverage = coverage_of(counter, evidence, grading.factors);
  score.hangs_on = leave_one_out(evidence, grading.factors, limits);
  if (grading.confirming) score.confirmation = confirm(evidence, grading.factors, limits);
}

// ------------------------------------------------------------------------------------------------------------------ verdict

std::string range_of(const Summary& s) { return significant(s.min(), 3) + " to " + significant(s.max(), 3); }

/// What a counter of this kind is held against.
std::string against(Kind kind) { return kind == Kind::time ? "the case's own times" : "the model"; }
std::string inside(Kind kind) { return kind == Kind::time ? "inside what the case's own times allow" : "inside the model's interval"; }

std::string why_undecided(const Summary& s, Kind kind) {
  if (s.cases() == 0 && s.zero_tests() == 0) return "no case that could tell";
  if (s.cases() == 0) return "rightly counted nothing in " + counted(s.zero_tests(), "case") + "; none has something";
  if (s.cases() < rules::fewest_cases)
    return "only " + counted(s.cases(), "case") + " could tell; a grade takes " + std::to_string(rules::fewest_cases);
  return inside(kind) + " in " + counted(s.cases(), "case") + ", but in only " + std::to_string(s.sharp()) +
         " of them is it narrow enough to tell; a grade takes " + std::to_string(rules::fewest_cases);
}

std::string why_trusted(const Summary& s, const Interval& possible, Kind kind) {
  const bool is_exact = s.min() == 1 && s.max() == 1;
  const double width = possible.hi / possible.lo - 1;
  if (is_exact && width < 0.01) return "always exact, or " + inside(kind);
  if (is_exact) return "always exact, or " + inside(kind) + ", in which it may be off by " + percent_of(width);
  return "within " + percent_of(std::max(s.max() - 1, 1 - s.min())) + " of " + against(kind);
}

/// Up to two of the findings that explain a counter that is neither right nor steady.
std::string explanation(const CounterScore& score) {
  std::string text;
  int told = 0;
  for (const FindingKind kind : {FindingKind::offset, FindingKind::saturates, FindingKind::unseen_flow, FindingKind::unclaimed_flow,
                                 FindingKind::other_boundary, FindingKind::depends_on})
    if (const Finding* finding = find(score.findings, kind); finding != nullptr && told++ < 2) text += "; " + finding->words;
  return text;
}

void reject(CounterScore& score, const std::string& why) {
  score.grade = 'D';
  score.reason = why + explanation(score);
}

/// Of a counter that is wrong somewhere: good in a regime that other cases confirm, or nowhere. `otherwise` may be the words of a finding
/// of the score, which gets more of them here.
void decide_by_regimes(CounterScore& score, const Summary& s, Kind kind, const std::string otherwise) {
  const auto reject_by = [&](FindingKind finding, const std::string& words) {
    score.findings.push_back({finding, words, absent});
    reject(score, otherwise + "; " + words);
  };
  if (score.look_up) return reject_by(FindingKind::look_up, in_words(*score.look_up));
  if (!score.regimes) return reject(score, otherwise);
  const std::string where = in_words(*score.regimes, kind);
  if (!score.regimes->confirmed)
    return reject_by(FindingKind::unconfirmed_regimes, "good " + where + " by these cases, which no other kernels confirm");
  const std::string words = "good " + where;
  score.findings.push_back({FindingKind::regimes, words, absent});
  score.grade = 'C';
  score.reason = find(score.findings, FindingKind::nothing) != nullptr ? otherwise + "; " + words : words + "; over all " + range_of(s);
  score.reason += explanation(score);
}

std::string interval_of(const Calibration& c) { return significant(c.offset_lo, 3) + " to " + significant(c.offset_hi, 3); }

std::string how_to_calibrate(const Counter& counter, const Calibration& c) {
  const std::string offset = significant(std::abs(c.offset), 4) + " " + unit_of(counter) + " a sweep (" + interval_of(c) + ")";
  return "steady once " + (c.offset > 0 ? offset + " are subtracted" : offset + " are added") + "; multiply the rest by " +
         significant(c.factor, 4) + simple_ratio(c.factor, counter.kind);
}

void decide_by_offset(CounterScore& score, const Summary& s, const OffsetCalibration& offset, const Counter& counter) {
  if (offset.verdict == OffsetVerdict::calibrated) {
    score.grade = 'B';
    score.calibration = offset.calibration;
    score.reason = how_to_calibrate(counter, offset.calibration);
    return;
  }
  const bool uncertain = offset.verdict == OffsetVerdict::too_uncertain;
  decide_by_regimes(score, s, counter.kind, "neither right nor steady: " + range_of(s) + " times " + against(counter.kind));
  score.reason += uncertain ? "; the offset is known too little to be subtracted (" + interval_of(offset.calibration) + ")"
                            : "; without that offset it would not be right either";
}

/// By the ratios alone.
void decide_by_ratios(CounterScore& score, const Summary& s, const CaseVerdict& verdict, const Counter& counter,
                      const std::vector<Evidence>& evidence) {
  score.grade = verdict.grade;
  if (verdict.grade == '-') score.reason = why_undecided(s, counter.kind);
  if (verdict.grade == 'A') score.reason = why_trusted(s, score.possible, counter.kind);
  for (const FindingKind kind : {FindingKind::factor, FindingKind::strays})
    if (const Finding* f = find(score.findings, kind)) score.reason = f->words;
  if (verdict.grade != 'D') return;
  if (find(score.findings, FindingKind::offset)) {
    decide_by_offset(score, s, by_offset(score.linearity.front(), evidence, limits_of(counter.kind)), counter);
  } else {
    decide_by_regimes(score, s, counter.kind, "neither right nor steady: " + range_of(s) + " times " + against(counter.kind));
  }
}

bool is_good(const CounterScore& score) { return score.grade == 'A' || score.grade == 'B'; }

/// Whether a finding alone decides, the gravest first.
bool is_rejected(CounterScore& score, const Summary& s, Kind kind) {
  for (const Rule& rule : grading_rules()) {
    const Finding* f = find(score.findings, rule.kind);
    if (f == nullptr) continue;
    if (rule.consequence == Consequence::rejects) return reject(score, f->words), true;
    if (rule.consequence == Consequence::rejects_where_it_is_so) return decide_by_regimes(score, s, kind, f->words), true;
  }
  return false;
}

/// What good ratios alone do not make good.
void limit(CounterScore& score) {
  for (const Rule& rule : grading_rules()) {
    const Finding* f = find(score.findings, rule.kind);
    if (f == nullptr) continue;
    if (rule.consequence == Consequence::at_most_B) {
      score.reason += (score.grade == 'A' ? ", but " : "; ") + f->words;
      score.grade = 'B';
    } else if (rule.consequence == Consequence::good_alone) {
      score.reason = "good only alone (" + std::string(1, score.grade) + "): " + f->words;
      score.grade = 'C';
    }
  }
}

void lower(CounterScore& score, char grade, Finding finding) {
  score.grade = grade;
  score.reason = finding.words + "; " + score.reason;
  score.findings.push_back(std::move(finding));
}

std::string without_in_words(const HangsOn& one) {
  return one.value + (one.grade_without == '-' ? " (without it no grade)" : " (without it " + std::string(1, one.grade_without) + ")");
}

/// A grade that a part of the evidence contradicts is lowered; what it hangs on otherwise is told.
void qualify(CounterScore& score) {
  const Confirmation& c = score.confirmation;
  if (is_good(score) && c.contradicts() && c.confirmed > score.grade)
    lower(score, c.confirmed,
          {FindingKind::unconfirmed,
           "graded " + std::string(1, c.selected) + " on one half of the works, but " + std::string(1, c.confirmed) + " on the other",
           absent});
  if (score.grade == '-') return;
  std::vector<std::string> hinges, hangs;
  char lowest = score.grade;
  for (const auto& one : score.hangs_on) {
    const bool is_lower = is_good(score) && one.grade_without != '-' && one.grade_without > score.grade;
    (is_lower ? hinges : hangs).push_back(without_in_words(one));
    if (is_lower) lowest = std::max(lowest, one.grade_without);
  }
  if (!hinges.empty()) lower(score, lowest, {FindingKind::hinges, "hinges on " + listed(hinges, 2), absent});
  if (hangs.empty()) return;
  score.findings.push_back({FindingKind::hangs_on, "hangs on " + listed(hangs, 2), absent});
  score.reason += "; " + score.findings.back().words;
}

/// What any grade should be read with: cases without a count, and a single level of optimization.
void add_coverage(CounterScore& score) {
  if (!score.coverage.open.empty() && score.grade != 'D')
    score.reason += "; says nothing of " + listed(score.coverage.open, 8) + ", which the model leaves open by more than " +
                    significant(rules::widest_told, 2) + " times";
  if (score.grade == '-') return;
  const auto& levels = score.coverage.tried[static_cast<std::size_t>(Factor::level)];
  if (levels.size() == 1 && score.grade != 'D') score.reason += "; tried only at " + levels.front();
  for (const FindingKind kind : {FindingKind::some_uncounted, FindingKind::few_counted, FindingKind::no_exact_truth})
    if (const Finding* f = find(score.findings, kind); f != nullptr && score.reason.find(f->words) == std::string::npos)
      score.reason += "; " + f->words;
}

/// How near the code comes to the model is worth telling; a grade is given to what measures.
void call_static(CounterScore& score) {
  const std::string as = score.grade == '-' ? "" : "held against the model as a counter it would be " + std::string(1, score.grade) + ": ";
  score.reason = "static instruction counts x launch geometry, nothing was measured; " + as + score.reason;
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

void leave_undecided(CounterScore& score) {
  score.grade = '-';
  score.reason =
      "known at one size of one kernel alone, where it may be a factor as well as a count beyond which it does not go; " + score.reason;
}

}  // namespace

CounterScore grade(const Counter& counter, const std::vector<Evidence>& evidence, const Attempts& attempts, const Grading& grading) {
  CounterScore score{.counter = counter.name,
                     .quantity = counter.claim(),
                     .convention = counter.convention,
                     .attempts = attempts,
                     .of_code = counter.of_code};
  const Limits limits = limits_of(counter.kind);
  const Summary summary = summarize(evidence, limits);
  CaseVerdict verdict = summary.verdict(limits);
  if (have_a_cause(verdict.strays, evidence, grading.factors)) verdict = {.grade = 'D'};
  fill_numbers(counter, evidence, grading, summary, score);
  score.findings = findings_of({counter, score, evidence, grading.factors, summary, verdict, limits});
  if (verdict.grade == 'D') {
    score.regimes = good_regimes(evidence, grading.factors, limits);
    score.look_up = look_up(evidence, grading.factors, limits);
  }
  if (!is_rejected(score, summary, counter.kind)) decide_by_ratios(score, summary, verdict, counter, evidence);
  if (is_good(score)) limit(score);
  qualify(score);
  if (score.grade == 'B' && find(score.findings, FindingKind::factor) != nullptr && is_of_one_work(evidence, grading.factors))
    leave_undecided(score);
  if (score.grade == 'B' && !score.calibration) score.calibration = by_factor(verdict.factor, score.possible);
  if (score.grade != 'B') score.calibration.reset();
  if (score.grade == 'C' && is_exception_largest(score, evidence, grading.factors))
    score.reason += "; " + score.regimes->others.front() + " has more in a sweep than all others: it may be the size";
  add_coverage(score);
  if (score.of_code) call_static(score);
  return score;
}

}  // namespace plumbline
