#include "model/diagnosis.hpp"

#include <algorithm>
#include <cmath>

#include "model/spread.hpp"
#include "model/words.hpp"

namespace plumbline {
namespace {

using Findings = std::vector<Finding>;

std::string unit_of(const Counter& counter) { return counter.kind == Kind::flops ? "operations" : "bytes"; }

void find_nothing(const Diagnosed& d, Findings& findings) {
  const std::size_t nothings = d.summary.nothings();
  if (nothings == 0) return;
  if (nothings >= fewest_cases && d.summary.cases() == 0) {
    findings.push_back({"always_nothing",
                        "counted as good as nothing in all " + counted(nothings, "case") + " that have something: masked, or no such event",
                        static_cast<double>(nothings)});
    return;
  }
  const std::string where = where_nothing_is_counted(d.evidence, d.factors);
  findings.push_back({"nothing",
                      "counted as good as nothing in " + counted(nothings, "case") +
                          (nothings == 1 ? " that has something" : " that have something") + (where.empty() ? "" : ": " + where),
                      static_cast<double>(nothings)});
}

void find_zero_failures(const Diagnosed& d, Findings& findings) {
  if (d.score.zero_failures == 0) return;
  double most = 0;
  for (const auto& one : d.evidence)
    if (one.zero == ZeroTest::failed) most = std::max(most, std::abs(one.measured));
  findings.push_back({"zero_test",
                      std::to_string(d.score.zero_failures) + " of " + counted(d.score.zero_tests, "zero test") +
                          " failed: it counts what is not there (up to " + significant(most, 3) + " " + unit_of(d.counter) + ")",
                      static_cast<double>(d.score.zero_failures)});
}

void find_wrong_groups(const Diagnosed& d, Findings& findings) {
  if (d.score.joint_cases < fewest_cases || std::abs(d.score.joint - 1) <= d.limits.dispersion) return;
  findings.push_back({"grouping",
                      "beside other events it counts " + significant(d.score.joint, 3) + " times what it counts in its first group",
                      d.score.joint});
}

/// Single repetitions of a few noisy cases are no reason: half of all cases must scatter.
void find_scatter(const Diagnosed& d, Findings& findings) {
  const Repeatability& r = d.score.repeatability;
  if (r.cases >= fewest_cases && r.median > d.limits.dispersion)
    findings.push_back(
        {"repeatability",
         "does not repeat: within a case its counts scatter by " + percent_of(r.median) + " (median of " + counted(r.cases, "case") + ")",
         r.median});
  constexpr double tolerated = 0.005;
  if (r.cases_with_losses >= fewest_cases && static_cast<double>(r.lost) > tolerated * static_cast<double>(r.repetitions))
    findings.push_back({"lost", "loses counts in " + std::to_string(r.lost) + " of " + counted(r.repetitions, "repetition"),
                        static_cast<double>(r.lost) / static_cast<double>(r.repetitions)});
}

/// An offset is one when the rest is a straight line.
void find_offset(const Diagnosed& d, Findings& findings) {
  if (d.score.linearity.empty()) return;
  const Linearity& line = d.score.linearity.front();
  if (!std::isfinite(line.intercept) || line.residual > d.limits.dispersion || !(line.slope > 0)) return;
  if (line.intercept_lo <= 0 && line.intercept_hi >= 0) return;
  if (line.worst > d.limits.worst) return;
  findings.push_back({"offset",
                      std::string(line.intercept > 0 ? "adds" : "lacks") + " about " + significant(std::abs(line.intercept), 3) + " " +
                          unit_of(d.counter) + " in every sweep",
                      line.intercept});
}

/// By team: every rank may stop at its own count.
void find_saturation(const Diagnosed& d, Findings& findings) {
  double cap = absent;
  for (std::uint32_t team = 0; team < d.factors.values(Factor::team) && !std::isfinite(cap); ++team) {
    std::vector<Evidence> members;
    for (const auto& one : d.evidence)
      if (d.factors.value(one.at, Factor::team) == team) members.push_back(one);
    cap = saturation_of(points_of(members), d.limits.dispersion);
  }
  if (std::isfinite(cap))
    findings.push_back({"saturates", "does not count beyond " + significant(cap, 3) + " " + unit_of(d.counter) + " a sweep", cap});
}

void find_flows(const Diagnosed& d, Findings& findings) {
  const CrossTalk& talk = d.score.cross_talk;
  for (const auto* flow : talk.claimed_but_unseen())
    findings.push_back({"unseen_flow",
                        flow->weight == 0 ? "does not see " + flow->quantity
                                          : "hardly sees " + flow->quantity + " (weight " + significant(flow->weight, 2) + ")",
                        flow->weight});
  for (const auto* flow : talk.unclaimed_but_seen())
    findings.push_back({"unclaimed_flow", "sees " + flow->quantity + " too, with weight " + significant(flow->weight, 2), flow->weight});
  if (!talk.nearer.empty())
    findings.push_back({"other_boundary", "follows " + talk.nearer + " rather than " + talk.family, talk.nearer_residual});
}

void find_dependence(const Diagnosed& d, Findings& findings) {
  constexpr std::size_t fewest_comparisons = 2;
  for (const auto& effect : d.score.invariance) {
    if (effect.comparisons < fewest_comparisons || effect.ratio - 1 <= 2 * d.limits.dispersion) continue;
    findings.push_back({"depends_on", "moved by " + std::string(to_string(effect.factor)) + ": " + in_words(effect), effect.ratio});
  }
}

}  // namespace

Point point_of(const Evidence& evidence) { return {evidence.measured / evidence.ratio, evidence.measured}; }

std::vector<Point> points_of(const std::vector<Evidence>& evidence) {
  std::vector<Point> points;
  for (const auto& one : evidence)
    if (one.is_sharp()) points.push_back(point_of(one));
  return points;
}

const Finding* find(const std::vector<Finding>& findings, std::string_view kind) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.kind == kind; });
  return found == findings.end() ? nullptr : &*found;
}

std::vector<Finding> findings_of(const Diagnosed& d) {
  Findings findings;
  find_nothing(d, findings);
  find_zero_failures(d, findings);
  find_wrong_groups(d, findings);
  find_scatter(d, findings);
  if (d.summary.is_trusted(d.limits)) return findings;  // small effects of a counter that is right are no faults
  if (d.summary.is_steady(d.limits)) {
    const double factor = 1 / d.summary.bias();
    findings.push_back({"factor", "steady: multiply by " + significant(factor, 4) + simple_ratio(factor), factor});
    return findings;
  }
  find_offset(d, findings);
  find_saturation(d, findings);
  find_flows(d, findings);
  find_dependence(d, findings);
  return findings;
}

}  // namespace plumbline
