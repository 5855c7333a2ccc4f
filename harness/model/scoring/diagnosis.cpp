#include "model/scoring/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/statistics/spread.hpp"
#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

using Findings = std::vector<Finding>;

double part_of(std::size_t some, std::size_t all) { return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all); }

// ----------------------------------------------------------------------------------------------- what the counts themselves are

void find_nothing(const Diagnosed& d, Findings& findings) {
  const std::size_t nothings = d.summary.nothings();
  if (nothings == 0 || d.verdict.is_good()) return;  // what good counters may have of it are strays
  const auto negatives = static_cast<std::size_t>(
      std::count_if(d.evidence.begin(), d.evidence.end(), [](const Evidence& one) { return one.counted_nothing && one.negative; }));
  const std::string what = negatives == nothings ? "counted less than in the empty region in "
                           : negatives == 0      ? "counted as good as nothing in "
                                                 : "counted as good as nothing, or less than in the empty region, in ";
  if (nothings >= rules::fewest_cases && d.summary.cases() == 0) {
    findings.push_back({FindingKind::always_nothing,
                        what + "all " + counted(nothings, "case") + " that have something: masked, or no such event",
                        static_cast<double>(nothings)});
    return;
  }
  const std::string where = where_nothing_is_counted(d.evidence, d.factors);
  const std::string of = d.summary.judged() == nothings ? "" : " of " + std::to_string(d.summary.judged());
  findings.push_back({FindingKind::nothing,
                      what + (of.empty() ? counted(nothings, "case") : std::to_string(nothings) + of + " cases") +
                          (nothings == 1 && of.empty() ? " that has something" : " that have something") +
                          (where.empty() ? "" : ": " + where),
                      static_cast<double>(nothings)});
}

void find_zero_failures(const Diagnosed& d, Findings& findings) {
  if (d.score.zero_failures == 0) return;
  double most = 0;
  for (const auto& one : d.evidence)
    if (one.zero == ZeroTest::failed) most = std::max(most, std::abs(one.measured));
  findings.push_back({FindingKind::zero_test,
                      std::to_string(d.score.zero_failures) + " of " + counted(d.score.zero_tests, "zero test") +
                          " failed: it counts what is not there (up to " + significant(most, 3) + " " + unit_of(d.counter) + ")",
                      static_cast<double>(d.score.zero_failures)});
}

/// Finds counts that are wrong beside other events: in all cases a little, or in some far off.
void find_wrong_groups(const Diagnosed& d, Findings& findings) {
  const Joint& joint = d.score.joint;
  if (joint.cases < rules::fewest_cases) return;
  if (std::abs(joint.median - 1) > d.limits.dispersion)
    findings.push_back({FindingKind::grouping,
                        "beside other events it counts " + significant(joint.median, 3) + " times what it counts in its first group",
                        joint.median});
  else if (joint.disturbed > 1 && part_of(joint.disturbed, joint.sharp) > rules::tolerated_joint)
    findings.push_back({FindingKind::grouping,
                        "beside other events it counts in " + std::to_string(joint.disturbed) + " of " + counted(joint.sharp, "case") +
                            " " + significant(joint.median_of_disturbed, 3) + " times what it counts in its first group",
                        joint.median_of_disturbed});
}

// ------------------------------------------------------------------------------------------------------------- repetitions

/// The repetitions that are off, in words: "a repetition in 5 is about 1.8 times the median of its case".
std::string off_in_words(const Repeatability& r) {
  const double one_in = 1 / r.off_share();
  const bool is_seldom = one_in > 3.5;
  return (is_seldom ? "a repetition in " + significant(one_in, 1) + " is" : percent_of(r.off_share()) + " of the repetitions are") +
         " about " + significant(r.off_ratio, 3) + " times the median of " + (is_seldom ? "its case" : "their case");
}

void find_scatter(const Diagnosed& d, Findings& findings) {
  const Repeatability& r = d.score.repeatability;
  const auto does_not_repeat = [&](const std::string& how, double value) {
    findings.push_back({FindingKind::repeatability, "does not repeat: " + how, value});
  };
  if (r.cases < rules::fewest_cases || d.summary.narrow() < rules::fewest_cases) return;  // then it is the choice of cases, not the counter
  // Single repetitions of a few noisy cases are no reason: half of all cases must scatter.
  const std::string scatter = "its counts scatter by " + percent_of(r.median) + " (median of " + counted(r.cases, "case") + ")";
  if (r.median > d.limits.worst)
    does_not_repeat("within a case " + scatter, r.median);
  else if (r.off_share() > rules::most_off)
    does_not_repeat(off_in_words(r), r.off_share());
  else if (d.summary.unsteady() > 1 && part_of(d.summary.unsteady(), d.summary.narrow()) >
                                           (r.median > d.limits.dispersion ? rules::most_unsteady_by_chance : rules::most_unsteady))
    does_not_repeat("in " + std::to_string(d.summary.unsteady()) + " of " + counted(d.summary.narrow(), "case") +
                        " the middle half of its repetitions differs by more than " + percent_of(d.limits.worst),
                    part_of(d.summary.unsteady(), d.summary.narrow()));
  else if (r.median > d.limits.dispersion)
    findings.push_back({FindingKind::repetitions, "from repetition to repetition " + scatter, r.median});
  else if (r.off_share() > rules::tolerated_off)
    findings.push_back({FindingKind::repetitions, off_in_words(r), r.off_share()});
  const auto some_of = [&](std::size_t n) { return std::to_string(n) + " of " + counted(r.repetitions, "repetition"); };
  if (r.cases_with_losses >= rules::fewest_cases && part_of(r.lost, r.repetitions) > rules::tolerated_lost)
    findings.push_back({FindingKind::lost, "loses counts in " + some_of(r.lost), part_of(r.lost, r.repetitions)});
  else if (part_of(r.lost, r.repetitions) > rules::noticed_lost)
    findings.push_back({FindingKind::repetitions, "loses counts in " + some_of(r.lost), part_of(r.lost, r.repetitions)});
  if (part_of(r.gained, r.repetitions) > rules::noticed_lost)
    findings.push_back(
        {FindingKind::repetitions, "counts far more in " + some_of(r.gained) + " than in most", part_of(r.gained, r.repetitions)});
}

// ------------------------------------------------------------------------------------------------------- how much there is

void find_uncounted(const Diagnosed& d, Findings& findings) {
  const Attempts& a = d.score.attempts;
  if (a.without_truth > 0)
    findings.push_back(
        {FindingKind::no_exact_truth, "no exact truth in " + counted(a.without_truth, "more case"), static_cast<double>(a.without_truth)});
  if (a.counted == a.tried) return;
  std::vector<std::string> why;
  for (const auto& [status, cases] : a.lost) why.push_back(std::to_string(cases) + " " + std::string(to_string(status)));
  const bool few = part_of(a.counted, a.tried) < rules::trusted_judged;
  findings.push_back(
      {few ? FindingKind::few_counted : FindingKind::some_uncounted,
       "counted in " + std::string(few ? "only " : "") + std::to_string(a.counted) + " of " + counted(a.tried, "case") + ": " + listed(why),
       part_of(a.counted, a.tried)});
}

/// Finds that the sharp cases are few: of different works and kernels.
void find_few_cases(const Diagnosed& d, Findings& findings) {
  std::vector<bool> kernels(d.factors.values(Factor::kernel)), works(d.factors.works());
  for (const auto& one : d.evidence)
    if (one.is_sharp()) kernels[d.factors.value(one.at, Factor::kernel)] = works[d.factors.work(one.at)] = true;
  const auto n_kernels = static_cast<std::size_t>(std::count(kernels.begin(), kernels.end(), true));
  const auto n_works = static_cast<std::size_t>(std::count(works.begin(), works.end(), true));
  const std::size_t cases = d.summary.sharp();
  if (cases >= rules::trusted_cases && (n_kernels >= rules::trusted_kernels || n_works >= rules::trusted_works)) return;
  findings.push_back({FindingKind::few_cases,
                      "from " + counted(n_kernels, "kernel") + ", " + counted(cases, "case") + " whose exact amount is known (A needs " +
                          std::to_string(rules::trusted_cases) + " cases, from " + std::to_string(rules::trusted_kernels) + " kernels or " +
                          std::to_string(rules::trusted_works) + " sizes)",
                      static_cast<double>(cases)});
}

void find_unsure_bias(const Diagnosed& d, Findings& findings) {
  const Interval& sure = d.score.bias_interval;
  if (!std::isfinite(sure.lo) || (sure.lo >= 1 - d.limits.bias && sure.hi <= 1 + d.limits.bias)) return;
  findings.push_back({FindingKind::unsure_bias,
                      "its bias is not sure to " + percent_of(d.limits.bias) + ": " + significant(sure.lo, 4) + " to " +
                          significant(sure.hi, 4) + " by so few kernels",
                      d.score.bias});
}

// -------------------------------------------------------------------------------------------------------- what explains a wrong one

void find_offset(const Diagnosed& d, Findings& findings) {
  if (!d.offset) return;
  const Calibration& by = d.offset->by.calibration;
  findings.push_back({FindingKind::offset,
                      std::string(by.offset > 0 ? "adds" : "lacks") + " about " + significant(std::abs(by.offset), 3) + " " +
                          unit_of(d.counter) + whose_offset(by.per) + " in every sweep",
                      by.offset});
}

void find_saturation(const Diagnosed& d, Findings& findings) {
  if (!std::isfinite(d.cap)) return;
  findings.push_back(
      {FindingKind::saturates, "does not count beyond " + significant(d.cap, 3) + " " + unit_of(d.counter) + " a sweep", d.cap});
}

void find_flows(const Diagnosed& d, Findings& findings) {
  const CrossTalk& talk = d.score.cross_talk;
  for (const auto* flow : talk.claimed_but_unseen())
    findings.push_back({FindingKind::unseen_flow,
                        flow->weight == 0 ? "does not see " + flow->quantity
                                          : "hardly sees " + flow->quantity + " (weight " + significant(flow->weight, 2) + ")",
                        flow->weight});
  for (const auto* flow : talk.unclaimed_but_seen())
    findings.push_back(
        {FindingKind::unclaimed_flow, "sees " + flow->quantity + " too, with weight " + significant(flow->weight, 2), flow->weight});
  if (!talk.nearer.empty())
    findings.push_back({FindingKind::other_boundary, "follows " + talk.nearer + " rather than " + talk.family, talk.nearer_residual});
}

/// Weights that leave nothing over but noise: what is right then is what has none of a flow, whatever else those cases have in common.
void find_explained_by_flows(const Diagnosed& d, Findings& findings) {
  const CrossTalk& talk = d.score.cross_talk;
  const auto all_is = [&](const std::string& what, double residual) {
    findings.push_back({FindingKind::by_flows, "all that it counts is " + what + ", to " + percent_of(residual), residual});
  };
  if (talk.nearer_residual <= d.limits.dispersion) return all_is(talk.nearer, talk.nearer_residual);
  if (talk.family == "flops" || !(talk.residual <= d.limits.dispersion)) return;  // precisions are values of a factor: regimes tell more
  if (talk.claimed_but_unseen().empty() && talk.unclaimed_but_seen().empty()) return;
  std::vector<std::string> weights;
  for (const auto& flow : talk.flows)
    if (flow.told_apart && flow.weight > 0.01) weights.push_back(significant(flow.weight, 2) + " x " + flow.quantity);
  all_is(listed(weights, 6), talk.residual);
}

void find_dependence(const Diagnosed& d, Findings& findings) {
  for (const auto& effect : d.score.invariance) {
    if (effect.comparisons < rules::fewest_comparisons || effect.ratio - 1 <= 2 * d.limits.dispersion) continue;
    findings.push_back(
        {FindingKind::depends_on, "moved by " + std::string(in_words(effect.factor)) + ": " + in_words(effect), effect.ratio});
  }
}

void find_factor(const Diagnosed& d, Findings& findings) {
  const double factor = 1 / d.verdict.factor;
  const bool is_right = std::abs(d.verdict.factor - 1) <= d.limits.bias;
  std::string words = is_right ? "right to " + percent_of(d.limits.worst)
                               : "steady: multiply by " + significant(factor, 4) + simple_ratio(factor, d.counter.kind);
  if (!d.verdict.strays.empty()) {
    std::vector<std::string> names;
    for (const std::uint32_t at : d.verdict.strays) names.push_back(d.factors.name(at));
    words += ", except " + std::to_string(names.size()) + " of " + counted(d.summary.judged(), "case") + ": " + listed(names, 3);
  }
  findings.push_back({is_right && !d.verdict.strays.empty() ? FindingKind::strays : FindingKind::factor, words, factor});
}

}  // namespace

std::string whose_offset(OffsetPer per) { return per == OffsetPer::team ? "" : per == OffsetPer::rank ? " a rank" : " a thread"; }

std::string unit_of(const Counter& counter) {
  return counter.kind == Kind::time ? "seconds" : counter.kind == Kind::flops ? "operations" : "bytes";
}

const Finding* find(const std::vector<Finding>& findings, FindingKind kind) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.kind == kind; });
  return found == findings.end() ? nullptr : &*found;
}

std::vector<Finding> findings_of(const Diagnosed& d) {
  Findings findings;
  find_nothing(d, findings);
  find_zero_failures(d, findings);
  find_wrong_groups(d, findings);
  find_scatter(d, findings);
  find_uncounted(d, findings);
  find_few_cases(d, findings);
  if (d.verdict.grade == 'A') {  // small effects of a counter that is right are no faults
    find_unsure_bias(d, findings);
  } else if (d.verdict.grade == 'B') {
    find_factor(d, findings);
  } else {
    find_offset(d, findings);
    find_saturation(d, findings);
    find_flows(d, findings);
    find_explained_by_flows(d, findings);
    find_dependence(d, findings);
  }
  return findings;
}

}  // namespace plumbline
