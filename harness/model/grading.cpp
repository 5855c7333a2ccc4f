#include "model/grading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/diagnosis.hpp"
#include "model/spread.hpp"
#include "model/words.hpp"

namespace plumbline {
namespace {

/// Clusters of the cases that the bias is of: kernels where there are four or more, else works.
std::vector<Cluster> clusters_of(const std::vector<Evidence>& evidence, const FactorTable& factors, bool sharp_only) {
  const auto gather = [&](std::size_t numbers, auto number_of) {
    std::vector<Cluster> clusters(numbers);
    for (const auto& one : evidence) {
      if (!(sharp_only ? one.is_sharp() : one.tells())) continue;
      Cluster& cluster = clusters[number_of(one.at)];
      cluster.sum_of_logs += std::log(one.ratio);
      ++cluster.cases;
    }
    std::erase_if(clusters, [](const Cluster& cluster) { return cluster.cases == 0; });
    return clusters;
  };
  constexpr std::size_t enough_kernels = 4;
  auto kernels = gather(factors.values(Factor::kernel), [&](std::uint32_t at) { return factors.value(at, Factor::kernel); });
  if (kernels.size() >= enough_kernels) return kernels;
  return gather(factors.works(), [&](std::uint32_t at) { return factors.work(at); });
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

void fill_joint(const std::vector<Evidence>& evidence, CounterScore& score) {
  std::vector<double> ratios;
  for (const auto& one : evidence)
    if (std::isfinite(one.joint) && one.zero == ZeroTest::no) ratios.push_back(one.joint);
  score.joint_cases = ratios.size();
  score.joint = quantile(ratios, 0.5);
}

void fill_numbers(const Counter& counter, const std::vector<Evidence>& evidence, const Grading& grading, const Summary& summary,
                  CounterScore& score) {
  const Limits limits = limits_of(counter.kind);
  score.n = summary.cases();
  score.sharp = summary.sharp();
  score.bias = summary.bias();
  score.min = summary.min();
  score.max = summary.max();
  score.cv = summary.cv();
  score.zero_tests = summary.zero_tests();
  score.zero_failures = summary.zero_failures();
  score.bias_interval =
      bootstrap_geometric_mean(clusters_of(evidence, grading.factors, summary.sharp() >= fewest_cases), stable_hash(counter.name));
  score.repeatability = repeatability_of(evidence);
  std::vector<const Evidence*> by_case(grading.factors.cases());
  for (const auto& one : evidence) by_case[one.at] = &one;
  score.invariance = invariance_of(by_case, grading.factors);
  score.linearity = linearity_of(evidence, grading.factors);
  score.cross_talk = grading.flows.fit(counter, evidence);
  fill_joint(evidence, score);
  score.coverage = coverage_of(counter, evidence, grading.factors);
  score.hangs_on = leave_one_out(evidence, grading.factors, limits);
  if (grading.confirming) score.confirmation = confirm(evidence, grading.factors, limits);
}

// ------------------------------------------------------------------------------------------------------------------ verdict

std::string range_of(const Summary& s) { return significant(s.min(), 3) + " to " + significant(s.max(), 3); }

std::string why_undecided(const Summary& s) {
  if (s.cases() == 0 && s.zero_tests() == 0) return "no case that could tell";
  if (s.cases() == 0) return "rightly counted nothing in " + counted(s.zero_tests(), "case") + "; none has something";
  if (s.cases() < fewest_cases) return "only " + counted(s.cases(), "case") + " could tell; a grade takes " + std::to_string(fewest_cases);
  return "inside the model's interval in " + counted(s.cases(), "case") + ", but in only " + std::to_string(s.sharp()) +
         " of them is it narrow enough to tell; a grade takes " + std::to_string(fewest_cases);
}

std::string why_trusted(const Summary& s) {
  if (s.min() == 1 && s.max() == 1) return "always exact, or inside the model's interval";
  return "within " + percent_of(std::max(s.max() - 1, 1 - s.min())) + " of the model";
}

/// Up to two of the findings that explain a counter that is neither right nor steady.
std::string explanation(const CounterScore& score) {
  std::string text;
  int told = 0;
  for (const char* kind : {"offset", "saturates", "unseen_flow", "unclaimed_flow", "other_boundary", "depends_on"})
    if (const Finding* finding = find(score.findings, kind); finding != nullptr && told++ < 2) text += "; " + finding->words;
  return text;
}

void reject(CounterScore& score, const Finding& finding) {
  score.grade = 'D';
  score.reason = finding.words + explanation(score);
}

void decide_by_regimes(CounterScore& score, const Summary& s, const std::string& otherwise) {
  score.grade = score.regimes ? 'C' : 'D';
  score.reason =
      score.regimes ? "good only for " + in_words(*score.regimes) + "; over all " + (s.cases() == 0 ? "nothing" : range_of(s)) : otherwise;
  if (score.regimes && find(score.findings, "nothing")) score.reason = otherwise + "; good only for " + in_words(*score.regimes);
  score.reason += explanation(score);
}

void decide(CounterScore& score, const Summary& s, const Limits& limits) {
  const auto finding = [&](std::string_view kind) { return find(score.findings, kind); };
  if (const Finding* f = finding("always_nothing")) return reject(score, *f);
  if (const Finding* f = finding("zero_test")) return reject(score, *f);
  if (const Finding* f = finding("nothing")) return decide_by_regimes(score, s, f->words);
  if (s.grade(limits) == '-') {
    score.reason = why_undecided(s);
    return;
  }
  if (const Finding* f = finding("repeatability")) return reject(score, *f);
  if (const Finding* f = finding("lost")) return reject(score, *f);
  if (s.is_trusted(limits)) {
    score.grade = 'A';
    score.reason = why_trusted(s);
  } else if (const Finding* f = finding("factor")) {
    score.grade = 'B';
    score.reason = f->words;
  } else if (const Finding* g = finding("offset")) {
    score.grade = 'B';
    score.reason = "a stable slope of " + significant(score.linearity.front().slope, 4) + ", but it " + g->words;
  } else {
    decide_by_regimes(score, s, "neither right nor steady: " + range_of(s) + " times the model");
  }
  if (const Finding* f = finding("grouping"); f != nullptr && (score.grade == 'A' || score.grade == 'B')) {
    score.reason = "good only alone (" + std::string(1, score.grade) + "): " + f->words;
    score.grade = 'C';
  }
}

/// Says on whom a grade hangs, and takes it back where the held-out half contradicts.
void qualify(CounterScore& score) {
  if (score.confirmation.contradicts() && (score.grade == 'A' || score.grade == 'B')) {
    score.grade = score.confirmation.confirmed;
    score.findings.push_back({"unconfirmed",
                              "graded " + std::string(1, score.confirmation.selected) + " on one half of the works, but " +
                                  std::string(1, score.confirmation.confirmed) + " on the other",
                              absent});
    score.reason = score.findings.back().words + "; " + score.reason;
  }
  if (score.grade == '-') return;
  std::vector<std::string> on;
  for (const auto& one : score.hangs_on)
    on.push_back(one.value +
                 (one.grade_without == '-' ? " (without it no grade)" : " (without it " + std::string(1, one.grade_without) + ")"));
  if (on.empty()) return;
  score.findings.push_back({"hangs_on", "hangs on " + listed(on, 2), absent});
  score.reason += "; " + score.findings.back().words;
}

}  // namespace

CounterScore grade(const Counter& counter, const std::vector<Evidence>& evidence, const Grading& grading) {
  CounterScore score{.counter = counter.name, .quantity = counter.claim(), .convention = counter.convention};
  const Limits limits = limits_of(counter.kind);
  const Summary summary = summarize(evidence, limits);
  fill_numbers(counter, evidence, grading, summary, score);
  score.findings = findings_of({counter, score, evidence, grading.factors, summary, limits});
  if (!summary.is_trusted(limits) || summary.fails()) score.regimes = good_regimes(evidence, grading.factors, limits);
  decide(score, summary, limits);
  qualify(score);
  return score;
}

}  // namespace plumbline
