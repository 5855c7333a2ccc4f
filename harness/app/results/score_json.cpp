#include "app/results/score_json.hpp"

#include <cmath>

#include "model/scoring/counter_conditions.hpp"

namespace plumbline::app {
namespace {

/// Whether a counter's score is whole: it is not without a grade, or without a ratio to form the numbers of.
bool is_whole(const CounterScore& score) {
  return score.grade != '-' && std::isfinite(score.bias) && std::isfinite(score.min) && std::isfinite(score.max) && std::isfinite(score.cv);
}

Json grade_json(char grade) { return grade == '-' ? Json() : Json(std::string(1, grade)); }
/// The grade as JSON; what was not measured has no grade of a counter's.
Json grade_json(const CounterScore& score) { return score.of_code ? Json("static") : grade_json(score.grade); }

/// A part of a score, with the reason for those of its numbers that are absent.
Json explained(Json part, const std::string& why_absent) {
  bool whole = true;
  for (const auto& [key, value] : part.items()) whole = whole && !value.is_null();
  part["status"] = std::string(to_string(whole ? Status::ok : Status::unavailable));
  part["reason"] = text_or_null(whole ? "" : why_absent);
  return part;
}

Json interval_json(const Interval& interval, const std::string& takes = "two kernels, and three cases whose exact amount is known") {
  return explained({{"lo", number(interval.lo)}, {"hi", number(interval.hi)}, {"confidence", 0.95}}, "takes " + takes);
}

Json repeatability_json(const Repeatability& r) {
  return explained({{"cases", r.cases},
                    {"repetitions", r.repetitions},
                    {"median_scatter", number(r.median)},
                    {"worst_tenth_scatter", number(r.worst_tenth)},
                    {"lost", r.lost},
                    {"off", r.off}},
                   "no case with three repetitions or more");
}

Json line_json(const Linearity& line) {
  return explained({{"regime", line.regime.empty() ? "all" : line.regime},
                    {"n", line.n},
                    {"slope", number(line.slope)},
                    {"intercept", number(line.intercept)},
                    {"intercept_lo", number(line.intercept_lo)},
                    {"intercept_hi", number(line.intercept_hi)},
                    {"log_log_slope", number(line.log_log_slope)},
                    {"residual", number(line.residual)}},
                   "takes four cases of different, known amounts");
}

Json flows_json(const CrossTalk& talk) {
  Json flows = Json::array();
  for (const auto& flow : talk.flows)
    flows.push_back(explained({{"quantity", flow.quantity},
                               {"claimed", flow.claimed},
                               {"told_apart", flow.told_apart},
                               {"weight", number(flow.weight)},
                               {"error", number(flow.error)}},
                              flow.weight == 0 ? "held at nothing: a weight cannot be negative" : "not told apart from the other flows"));
  Json json = explained({{"cases", talk.cases}, {"residual", number(talk.residual)}}, "too few cases whose flows are all known");
  json["of"] = talk.family;
  json["flows"] = flows;
  if (!talk.nearer.empty()) json["nearer"] = {{"to", talk.nearer}, {"residual", talk.nearer_residual}};
  return json;
}

Json coverage_json(const Coverage& coverage) {
  Json tried = Json::object();
  for (std::size_t f = 0; f < factor_count; ++f)
    if (!coverage.tried[f].empty()) tried[std::string(to_string(static_cast<Factor>(f)))] = coverage.tried[f];
  return {{"tried", tried}, {"open", coverage.open}, {"open_cases", coverage.open_cases}, {"missing", coverage.missing}};
}

Json stability_json(const CounterScore& score) {
  Json hangs = Json::array();
  for (const auto& one : score.hangs_on)
    hangs.push_back(explained({{"factor", to_string(one.factor)}, {"value", one.value}, {"grade_without", grade_json(one.grade_without)}},
                              "too few cases are left for a grade"));
  Json json{{"stands", score.hangs_on.empty()}, {"hangs_on", hangs}};
  if (score.confirmation.tried)
    json["held_out"] = explained({{"selected", grade_json(score.confirmation.selected)},
                                  {"confirmed", grade_json(score.confirmation.confirmed)},
                                  {"cases", score.confirmation.cases}},
                                 "too few cases in one half of the works");
  return json;
}

Json regimes_json(const std::optional<Regimes>& regimes) {
  Json all = Json::array();
  if (!regimes) return all;
  for (const auto& value : regimes->good)
    all.push_back({{"factor", to_string(regimes->factor)},
                   {"value", value},
                   {"grade", std::string(1, regimes->grade)},
                   {"n", regimes->cases},
                   {"bias", number(regimes->bias)},
                   {"steady_interval", interval_json(regimes->steady_interval)},
                   {"confirmed", regimes->confirmed},
                   {"held_out", regimes->confirmed ? regimes->cases : 0}});
  return all;
}

Json invariance_json(const std::vector<FactorEffect>& effects) {
  Json all = Json::array();
  for (const auto& e : effects)
    all.push_back({{"factor", to_string(e.factor)},
                   {"ratio", e.ratio},
                   {"highest", e.highest},
                   {"lowest", e.lowest},
                   {"comparisons", e.comparisons}});
  return all;
}

}  // namespace

Json row_json(const CaseScore& row) {
  Json json{{"case", row.case_id},
            {"node", row.node},
            {"counter", row.counter},
            {"quantity", row.quantity},
            {"convention", std::string(to_string(row.convention))},
            {"measured", number(row.measured)},
            {"exact_lo", number(row.exact_lo)},
            {"exact_hi", number(row.exact_hi)},
            {"ratio", number(row.ratio)},
            {"status", std::string(to_string(row.status))},
            {"reason", text_or_null(row.reason)}};
  // Some members stand only in the rows that have them.
  if (row.zero != ZeroTest::no) {
    json["zero_test"] = row.zero == ZeroTest::passed ? "passed" : "failed";
    json["zero_test_bound"] = row.zero_bound;
  }
  if (row.quantity == "seconds") json["held_against"] = seconds_are_held_against;
  if (std::isfinite(row.scatter)) json["scatter"] = row.scatter;
  if (std::isfinite(row.joint)) json["joint_over_first"] = row.joint;
  return json;
}

Json calibration_json(const std::optional<Calibration>& by) {
  if (!by) return nullptr;
  return {{"factor", by->factor},
          {"offset", by->offset},
          {"offset_least", by->offset_lo},
          {"offset_most", by->offset_hi},
          {"offset_per", to_string(by->per)},
          {"ratio_least", by->ratio_lo},
          {"ratio_most", by->ratio_hi}};
}

/// The amounts as JSON; null where it does not hang on how much there is; a bound that there is none of is null.
Json amounts_json(const std::optional<GoodAmounts>& good) {
  if (!good) return nullptr;
  return {{"from", good->from}, {"up_to", number(good->up_to)}, {"cases", good->cases}};
}

Json counter_json(const CounterScore& score) {
  Json findings = Json::array(), lines = Json::array();
  for (const auto& finding : score.findings) findings.push_back({{"kind", to_string(finding.kind)}, {"words", finding.words}});
  for (const auto& line : score.linearity) lines.push_back(line_json(line));
  Json json{{"counter", score.counter},
            {"quantity", score.quantity},
            {"convention", std::string(to_string(score.convention))},
            {"n", score.n},
            {"bias", number(score.bias)},
            {"min", number(score.min)},
            {"max", number(score.max)},
            {"cv", number(score.cv)},
            {"zero_tests", score.zero_tests},
            {"zero_failures", score.zero_failures},
            {"grade", grade_json(score)},
            {"status", std::string(to_string(is_whole(score) ? Status::ok : Status::unavailable))},
            {"reason", text_or_null(score.reason)},
            {"calibration", calibration_json(score.calibration)},
            {"narrow", score.narrow},
            {"unsteady", score.unsteady},
            {"sharp", score.sharp},
            {"tried", score.attempts.tried},
            {"counted", score.attempts.counted},
            {"possible", explained({{"lo", number(score.possible.lo)}, {"hi", number(score.possible.hi)}}, "no case that could tell")},
            {"bias_interval", interval_json(score.bias_interval)},
            {"strays", score.strays},
            {"steady_interval", interval_json(score.steady_interval, "two kernels, and a factor that all cases but strays share")},
            {"repeatability", repeatability_json(score.repeatability)},
            {"invariance", invariance_json(score.invariance)},
            {"linearity", lines},
            {"cross_talk", flows_json(score.cross_talk)},
            {"regimes", regimes_json(score.regimes)},
            {"good_amounts", amounts_json(score.amounts)},
            {"coverage", coverage_json(score.coverage)},
            {"stability", stability_json(score)},
            {"findings", findings}};
  if (score.joint.cases > 0)
    json["joint_over_first"] = {{"median", score.joint.median}, {"cases", score.joint.cases}, {"disturbed", score.joint.disturbed}};
  return json;
}

Json agreement_json(const TimeAgreement& agreement) {
  return {{"counter", agreement.counter},         {"other", agreement.other},
          {"must_agree", agreement.must_agree},   {"agrees", agreement.apart == 0},
          {"repetitions", agreement.repetitions}, {"apart", agreement.apart},
          {"ratio_min", number(agreement.least)}, {"ratio_max", number(agreement.most)},
          {"farthest_case", agreement.farthest}};
}

Json group_json(const GroupScore& score) {
  Json group = Json::object();
  for (const auto& [key, value] : score.group) group[key] = value;
  return {{"group", group},
          {"node", score.node},
          {"counter", score.counter},
          {"quantity", score.quantity},
          {"convention", std::string(to_string(score.convention))},
          {"n", score.ratio.n},
          {"mean", number(score.mean)},
          {"geometric_mean", number(score.geometric_mean)},
          {"min", number(score.ratio.min)},
          {"max", number(score.ratio.max)},
          {"cv", number(score.ratio.cv)},
          {"zero_tests", score.zero_tests},
          {"zero_failures", score.zero_failures},
          {"measured_min", number(score.measured.min)},
          {"measured_max", number(score.measured.max)}};
}

Json intensity_json(const IntensityScore& score) {
  return {{"case", score.case_id},        {"node", score.node},
          {"counter", score.counter},     {"flops_per_byte", number(score.flops_per_byte)},
          {"exact", number(score.exact)}, {"ratio", number(score.ratio)}};
}

Json intensity_json(const IntensitySummary& summary) {
  return {{"counter", summary.counter}, {"n", summary.n},
          {"min", number(summary.min)}, {"geometric_mean", number(summary.geometric_mean)},
          {"max", number(summary.max)}, {"max_over_min", number(summary.max / summary.min)}};
}

}  // namespace plumbline::app
