#include "app/results/evidence_columns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/results/case_columns.hpp"

namespace plumbline::app {

std::string in_percent(double part) {
  if (!std::isfinite(part)) return "";
  if (part < 5e-5) return "0 %";
  return part >= 10 ? plain(1 + part, 2) + " x" : plain(100 * part, 2) + " %";
}

std::string excess_of(double ratio) { return ratio >= 2 ? "x " + plain(ratio, 2) : in_percent(ratio - 1); }

namespace {

std::string regime_of(const Linearity& line) { return line.regime.empty() ? "all" : line.regime; }

auto yes_or_no(bool SeenFlow::*is) {
  return [is](const SeenFlow& flow) { return std::string(flow.*is ? "yes" : "no"); };
}

/// A column of a grade, which may be none.
template <class Row, class Get>
Column<Row> grade_column(const char* key, const char* meaning, Get grade_of) {
  const auto letter = [grade_of](const Row& row) {
    const char grade = std::invoke(grade_of, row);
    return OrNull{grade == '-' ? "" : std::string(1, grade)};
  };
  return Column<Row>(key, meaning, letter).one_of({"A", "B", "C", "D"});
}

/// Adds the status, which is ok where no other column is null, and else the reason: a text, or a function of the row.
template <class Row, class Why>
Columns<Row> explained(Columns<Row> columns, Why why_absent) {
  const auto is_there = [columns](const Row& row) {
    return std::none_of(columns.begin(), columns.end(), [&](const auto& one) { return one.value && one.value(&row).is_null(); });
  };
  const auto reason = [is_there, why_absent](const Row& row) {
    if constexpr (std::is_invocable_v<Why, const Row&>)
      return OrNull{is_there(row) ? "" : why_absent(row)};
    else
      return OrNull{is_there(row) ? "" : why_absent};
  };
  columns.push_back({"status", "ok, or unavailable where a number is absent",
                     [is_there](const Row& row) { return is_there(row) ? Status::ok : Status::unavailable; }});
  columns.push_back({"reason", "why a number is absent", reason});
  return columns;
}

}  // namespace

Columns<FactorEffect> effect_columns() {
  using Row = FactorEffect;
  return {Column<Row>("factor", "name of the factor", &Row::factor)
              .in_row("  factor", Align::left, [](const Row& row) { return "  " + std::string(in_words(row.factor)); }),
          Column<Row>("ratio", "mean ratio at its highest value over that at its lowest, where all else is equal", &Row::ratio)
              .in_row("moves it by", Align::right, [](const Row& row) { return excess_of(row.ratio); }),
          Column<Row>(Heading{"comparisons"}, [](const Row& row) { return std::to_string(row.comparisons); }),
          Column<Row>("highest", "value of the factor that counts most; empty where it does nothing", &Row::highest)
              .in_row("highest", Align::left),
          Column<Row>("lowest", "value of the factor that counts least", &Row::lowest).in_row("lowest", Align::left),
          {"comparisons", "groups of cases that agree in all else", &Row::comparisons}};
}

Columns<Linearity> line_columns() {
  using Row = Linearity;
  return {Column<Row>("regime", "where its cases lie, or all", regime_of)
              .in_row("  regime", Align::left, [](const Row& row) { return "  " + regime_of(row); }),
          Column<Row>("n", "number of cases of different, known amounts", &Row::n).in_row("cases"),
          Column<Row>("slope", "counts for each that there is", &Row::slope).in_row("slope", Align::right, in_digits(&Row::slope, 4)),
          Column<Row>("intercept", "counts of a sweep that has nothing", &Row::intercept)
              .in_row("offset", Align::right, in_digits(&Row::intercept)),
          Column<Row>("intercept_lo", "lower end of its 95 % interval", &Row::intercept_lo)
              .in_row("from", Align::right, in_digits(&Row::intercept_lo)),
          Column<Row>("intercept_hi", "upper end of its 95 % interval", &Row::intercept_hi)
              .in_row("to", Align::right, in_digits(&Row::intercept_hi)),
          Column<Row>("log_log_slope", "1 where it is proportional", &Row::log_log_slope)
              .in_row("log-log slope", Align::right, in_digits(&Row::log_log_slope, 4)),
          Column<Row>("residual", "scatter around the line, as a part of the counts", &Row::residual)
              .in_row("residual", Align::right, [](const Row& row) { return in_percent(row.residual); })};
}

Columns<SeenFlow> flow_columns() {
  using Row = SeenFlow;
  return {Column<Row>("quantity", "name of the flow", &Row::quantity)
              .in_row("  flow", Align::left, [](const Row& row) { return "  " + row.quantity; }),
          Column<Row>(Heading{"weight"}, in_digits(&Row::weight)),
          Column<Row>(Heading{"+/-"}, [](const Row& row) { return std::isfinite(row.error) ? plain(row.error, 1) : ""; }),
          Column<Row>("claimed", "whether the counter claims to see it", &Row::claimed)
              .in_row("claimed", Align::left, yes_or_no(&Row::claimed)),
          Column<Row>("told_apart", "whether the cases move it otherwise than the other flows", &Row::told_apart)
              .in_row("told apart", Align::left, yes_or_no(&Row::told_apart)),
          {"weight", "weight with which it is in the counts", &Row::weight},
          {"error", "standard error of the weight", &Row::error}};
}

namespace {

Columns<Interval> possible_columns() {
  return explained(Columns<Interval>{{"lo", "the least", &Interval::lo}, {"hi", "the most", &Interval::hi}}, "no case that could tell");
}

constexpr const char* kernels_and_cases = "two kernels, and three cases whose exact amount is known";

Columns<Interval> interval_columns(const std::string& takes) {
  return explained(Columns<Interval>{{"lo", "lower end", &Interval::lo},
                                     {"hi", "upper end", &Interval::hi},
                                     {"confidence", "probability with which the interval holds", [](const Interval&) { return 0.95; }}},
                   "takes " + takes);
}

Columns<Calibration> calibration_columns() {
  using Row = Calibration;
  return {{"factor", "(counted - offset) x factor is the quantity", &Row::factor},
          {"offset", "what is counted too much in each sweep", &Row::offset},
          {"offset_least", "lower end of its 95 % interval", &Row::offset_lo},
          {"offset_most", "upper end of its 95 % interval", &Row::offset_hi},
          {"offset_per", "who adds it: team, rank or thread", &Row::per},
          {"ratio_least", "least of calibrated over exact", &Row::ratio_lo},
          {"ratio_most", "largest of calibrated over exact", &Row::ratio_hi}};
}

Columns<Repeatability> repeatability_columns() {
  using Row = Repeatability;
  return explained(
      Columns<Row>{{"cases", "number of cases with three repetitions or more", &Row::cases},
                   {"most_repetitions", "repetitions of a case at most; 0: its counts repeat exactly by what they are", &Row::most},
                   {"repetitions", "number of repetitions of these cases", &Row::repetitions},
                   {"median_scatter", "scatter, as a part of the count, below which half of the cases lie", &Row::median},
                   {"worst_tenth_scatter", "scatter below which nine tenths of the cases lie", &Row::worst_tenth},
                   {"lost", "number of repetitions that counted far less than their median", &Row::lost},
                   {"off", "number of repetitions farther from the median than a trusted counter may be", &Row::off}},
      "no case with three repetitions or more");
}

Columns<SeenFlow> seen_flow_columns() {
  return explained(flow_columns(), [](const SeenFlow& flow) {
    return flow.weight == 0 ? "held at nothing: a weight cannot be negative" : "not told apart from the other flows";
  });
}

Columns<CrossTalk> nearer_columns() {
  return {{"to", "boundary whose traffic explains the counts far better", &CrossTalk::nearer},
          {"residual", "what that boundary's flows leave of the counts, as a part of the traffic", &CrossTalk::nearer_residual}};
}

Columns<CrossTalk> cross_talk_columns() {
  using Row = CrossTalk;
  auto columns = explained(Columns<Row>{{"cases", "number of cases whose flows are all known", &Row::cases},
                                        {"residual", "what the flows leave of the counts, as a part of the traffic", &Row::residual}},
                           "too few cases whose flows are all known");
  columns.push_back({"of", "whose flows: a boundary, or flops; empty where what it claims has none", &Row::family});
  columns.push_back(list_column<Row>("flows", "flows, with the weight that each has in the counts", seen_flow_columns(), &Row::flows));
  columns.push_back(
      object_column<Row>("nearer", "another boundary, whose traffic explains the counts far better", nearer_columns(), std::identity())
          .when([](const Row& row) { return !row.nearer.empty(); }));
  return columns;
}

/// A value of a factor for which a counter is good.
struct Regime {
  const Regimes* of;
  std::string value;
};

std::vector<Regime> good_regimes_of(const CounterScore& score) {
  std::vector<Regime> all;
  if (score.regimes)
    for (const auto& value : score.regimes->good) all.push_back({&*score.regimes, value});
  return all;
}

Columns<Regime> regime_columns() {
  using Row = Regime;
  return {{"factor", "name of the factor that parts good cases from bad", [](const Row& row) { return row.of->factor; }},
          {"value", "value of the factor in these good cases", &Row::value},
          grade_column<Row>("grade", "grade over all good cases", [](const Row& row) { return row.of->grade; }),
          {"n", "number of good cases", [](const Row& row) { return row.of->cases; }},
          {"bias", "geometric mean of their ratios", [](const Row& row) { return row.of->bias; }},
          object_column<Row>("steady_interval", "95 % interval of the bias over all cases but strays", interval_columns(kernels_and_cases),
                             [](const Row& row) { return row.of->steady_interval; }),
          {"confirmed", "whether, without any one kernel, the others show the same", [](const Row& row) { return row.of->confirmed; }},
          {"held_out", "number of cases that confirm it", [](const Row& row) { return row.of->confirmed ? row.of->cases : 0; }}};
}

Columns<GoodAmounts> amount_columns() {
  using Row = GoodAmounts;
  return {{"from", "the least amount for which it is good", &Row::from},
          {"up_to", "the largest amount for which it is good; null: any", &Row::up_to},
          {"cases", "number of cases with such amounts", &Row::cases}};
}

Columns<Coverage> coverage_columns() {
  using Row = Coverage;
  const auto tried = [](const Row& row) {
    Json all = Json::object();
    for (std::size_t f = 0; f < factor_count; ++f)
      if (!row.tried[f].empty()) all[std::string(to_string(static_cast<Factor>(f)))] = row.tried[f];
    return all;
  };
  return {{"tried", "by factor the values among the cases that can tell", by_name(type_schema<std::vector<std::string>>()), tried},
          {"open", "names of kernels of which the model leaves too much open to tell", &Row::open},
          {"open_cases", "ids of cases of which the model leaves too much open to tell", &Row::open_cases},
          {"missing", "what it would take for a verdict that stands elsewhere", &Row::missing}};
}

Columns<HangsOn> hangs_on_columns() {
  using Row = HangsOn;
  return explained(Columns<Row>{{"factor", "name of the factor: kernel or compiler", &Row::factor},
                                {"value", "which kernel or compiler", &Row::value},
                                grade_column<Row>("grade_without", "the grade without it", &Row::grade_without)},
                   "too few cases are left for a grade");
}

Columns<Confirmation> confirmation_columns() {
  using Row = Confirmation;
  return explained(Columns<Row>{grade_column<Row>("selected", "grade on one half of the works", &Row::selected),
                                grade_column<Row>("confirmed", "grade on the other half", &Row::confirmed),
                                {"cases", "number of cases in the other half that can tell something", &Row::cases}},
                   "too few cases in one half of the works");
}

Columns<CounterScore> stability_columns() {
  using Row = CounterScore;
  return {{"stands", "whether the grade stands without any one compiler or kernel", [](const Row& row) { return row.hangs_on.empty(); }},
          list_column<Row>("hangs_on", "compilers and kernels without which the grade is another", hangs_on_columns(), &Row::hangs_on),
          object_column<Row>("held_out", "the grade by halves of the works, of one among many candidates", confirmation_columns(),
                             &Row::confirmation)
              .when([](const Row& row) { return row.confirmation.tried; })};
}

Columns<Finding> finding_columns() {
  return {{"kind", "kind of finding, in a word", &Finding::kind}, {"words", "the finding in a sentence", &Finding::words}};
}

Columns<Joint> joint_columns() {
  return {{"median", "median of the count beside other events over the count in the event's first group", &Joint::median},
          {"cases", "number of cases in which both were counted", &Joint::cases},
          {"disturbed", "number of those cases that are farther from 1 than a trusted counter may be", &Joint::disturbed}};
}

}  // namespace

Columns<CounterScore> evidence_columns() {
  using Row = CounterScore;
  return {object_column<Row>("calibration", "factor and offset that make its counts right, of a counter of grade B", calibration_columns(),
                             &Row::calibration),
          {"narrow", "number of cases whose exact amount is known to 5 %", &Row::narrow},
          {"unsteady", "number of narrow cases whose repetitions differ too much", &Row::unsteady},
          {"sharp", "number of narrow cases whose repetitions agree: narrow less unsteady", &Row::sharp},
          {"tried", "number of cases in which it was tried", [](const Row& row) { return row.attempts.tried; }},
          {"counted", "number of cases in which it counted", [](const Row& row) { return row.attempts.counted; }},
          object_column<Row>("possible",
                             "the least and the most that its counts may have been off by, as factors, with what the model leaves open",
                             possible_columns(), &Row::possible),
          object_column<Row>("bias_interval", "95 % interval of the bias, by how the kernels differ", interval_columns(kernels_and_cases),
                             &Row::bias_interval),
          {"strays", "ids of single cases far from the factor of all others", &Row::strays},
          object_column<Row>("steady_interval", "95 % interval of the bias without the strays",
                             interval_columns("two kernels, and a factor that all cases but strays share"), &Row::steady_interval),
          object_column<Row>("repeatability", "how far repetitions differ", repeatability_columns(), &Row::repeatability),
          list_column<Row>("invariance", "factors that cases differ in, the one first that moves the ratio most", effect_columns(),
                           &Row::invariance),
          list_column<Row>("linearity", "lines measured = intercept + slope x exact",
                           explained(line_columns(), "takes four cases of different, known amounts"), &Row::linearity),
          object_column<Row>("cross_talk", "the counts as a sum of the exact flows", cross_talk_columns(), &Row::cross_talk),
          list_column<Row>("regimes", "values of a factor for which it is good, where it is not good everywhere", regime_columns(),
                           good_regimes_of),
          object_column<Row>("good_amounts", "amounts for which it is good; null: any amount", amount_columns(), &Row::amounts),
          object_column<Row>("coverage", "what the verdict rests on", coverage_columns(), &Row::coverage),
          object_column<Row>("stability", "the grade without a part of the evidence", stability_columns(), std::identity()),
          list_column<Row>("findings", "findings on the counter, from which its grade follows", finding_columns(), &Row::findings),
          object_column<Row>("joint_over_first", "counts of an event beside others held against those of its first group", joint_columns(),
                             &Row::joint)
              .when([](const Row& row) { return row.joint.cases > 0; })};
}

}  // namespace plumbline::app
