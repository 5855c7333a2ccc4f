#include "app/results/case_columns.hpp"

#include <cmath>

#include "model/scoring/counter_conditions.hpp"

namespace plumbline::app {

Columns<CaseScore> case_columns() {
  using Row = CaseScore;
  const auto is_zero_test = [](const Row& row) { return row.zero != ZeroTest::no; };
  return {{"case", "id of the case", &Row::case_id},
          {"node", "node that ran it", &Row::node},
          {"counter", "name of the counter", &Row::counter},
          {"quantity", "what it is held against", &Row::quantity},
          convention_column<Row>(),
          {"measured", "amount counted in a sweep", &Row::measured},
          {"exact_lo", "the least that the model allows", &Row::exact_lo},
          {"exact_hi", "the most that the model allows", &Row::exact_hi},
          {"ratio", "counted over exact: 1 within what the model allows, else over the nearer end of it", &Row::ratio},
          {"status", "ok, or in a word why there is no count", &Row::status},
          {"reason", "why there is no count", [](const Row& row) { return OrNull{row.reason}; }},
          Column<Row>("zero_test", "whether nothing was counted where there is nothing",
                      [](const Row& row) { return row.zero == ZeroTest::passed ? "passed" : "failed"; })
              .one_of({"passed", "failed"})
              .when(is_zero_test),
          Column<Row>("zero_test_bound", "what a zero test allows beyond exact_hi", &Row::zero_bound).when(is_zero_test),
          Column<Row>("held_against", "what seconds are held against", [](const Row&) { return seconds_are_held_against; })
              .when([](const Row& row) { return row.quantity == "seconds"; }),
          Column<Row>("scatter", "scatter of the repetitions, as a part of their median", &Row::scatter).when([](const Row& row) {
            return std::isfinite(row.scatter);
          }),
          Column<Row>("joint_over_first", "the count beside other events, over the count in the event's first group", &Row::joint)
              .when([](const Row& row) { return std::isfinite(row.joint); })};
}

Columns<GroupScore> group_columns() {
  using Row = GroupScore;
  const auto names = [](const Row& row) {
    Json group = Json::object();
    for (const auto& [key, value] : row.group) group[key] = value;
    return group;
  };
  return {{"group", "properties, by name, that its cases agree in", by_name(type_schema<std::string>()), names},
          {"node", "node that ran them", &Row::node},
          {"counter", "name of the counter", &Row::counter},
          {"quantity", "what it is held against", &Row::quantity},
          convention_column<Row>(),
          {"n", "cases with a ratio", [](const Row& row) { return row.ratio.n; }},
          {"mean", "mean of their ratios", &Row::mean},
          {"geometric_mean", "geometric mean of their ratios", &Row::geometric_mean},
          {"min", "least of their ratios", [](const Row& row) { return row.ratio.min; }},
          {"max", "largest of their ratios", [](const Row& row) { return row.ratio.max; }},
          {"cv", "standard deviation of their ratios over the mean", [](const Row& row) { return row.ratio.cv; }},
          {"zero_tests", "cases that have nothing to count", &Row::zero_tests},
          {"zero_failures", "those of the zero tests that counted something", &Row::zero_failures},
          {"measured_min", "least count", [](const Row& row) { return row.measured.min; }},
          {"measured_max", "largest count", [](const Row& row) { return row.measured.max; }}};
}

Columns<IntensityScore> intensity_columns() {
  using Row = IntensityScore;
  return {{"case", "id of the case", &Row::case_id},
          {"node", "node that ran it", &Row::node},
          {"counter", "counter of the bytes", &Row::counter},
          {"flops_per_byte", "counted FLOPs over counted bytes", &Row::flops_per_byte},
          {"exact", "intensity that the paper calls exact", &Row::exact},
          {"ratio", "flops_per_byte over exact", &Row::ratio}};
}

Columns<IntensitySummary> intensity_summary_columns() {
  using Row = IntensitySummary;
  const auto span = [](const Row& row) { return row.max / row.min; };
  return {Column<Row>("counter", "counter of the bytes", &Row::counter).in_row("intensity by", Align::left),
          Column<Row>("n", "number of cases", &Row::n).in_row("cases"),
          Column<Row>(Heading{"mean (geometric)"}, in_digits(&Row::geometric_mean, 4)),
          Column<Row>("min", "least of the ratios", &Row::min).in_row("min", Align::right, in_digits(&Row::min, 4)),
          {"geometric_mean", "geometric mean of the ratios", &Row::geometric_mean},
          Column<Row>("max", "largest of the ratios", &Row::max).in_row("max", Align::right, in_digits(&Row::max, 4)),
          Column<Row>("max_over_min", "largest of the ratios over the least", span).in_row("max/min", Align::right, [span](const Row& row) {
            return plain(span(row), 4);
          })};
}

Columns<TimeAgreement> agreement_columns() {
  using Row = TimeAgreement;
  return {{"counter", "counter of the time by cycles over their rate", &Row::counter},
          {"other", "counter of the time that was counted itself", &Row::other},
          {"must_agree", "whether the rate is that of these very cycles, so that both times must be equal", &Row::must_agree},
          {"agrees", "whether both are equal but for rounding", [](const Row& row) { return row.apart == 0; }},
          {"repetitions", "number of repetitions in which one pass counted cycles, their rate and the time", &Row::repetitions},
          {"apart", "number of those repetitions in which both times differ by more than rounding", &Row::apart},
          {"ratio_min", "least of the first over the second", &Row::least},
          {"ratio_max", "largest of the first over the second", &Row::most},
          {"farthest_case", "case of the repetition that is farthest from 1", &Row::farthest}};
}

}  // namespace plumbline::app
