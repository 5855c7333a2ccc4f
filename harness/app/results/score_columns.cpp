#include "app/results/score_columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/results/case_columns.hpp"
#include "app/results/evidence_columns.hpp"

namespace plumbline::app {

std::string zeros_of(const CounterScore& score) {
  return score.zero_tests == 0 ? "" : fmt::format("{} of {}", score.zero_tests - score.zero_failures, score.zero_tests);
}

std::string grade_of(const CounterScore& score) { return score.of_code ? "static" : std::string(1, score.grade); }

namespace {

/// The half of the bias's interval, as a part of it. Beyond ten times, a number tells nothing but that the bias is open.
std::string half_width(const CounterScore& score) {
  constexpr double readable = 10;
  const double part = (score.bias_interval.hi - score.bias_interval.lo) / 2 / score.bias;
  return part > readable ? fmt::format("> {:.0f} x", readable) : in_percent(part);
}

std::string worst_factor(const CounterScore& score) {
  if (score.invariance.empty()) return "";
  const FactorEffect& worst = score.invariance.front();
  const std::string factor(worst.factor == Factor::level ? "O level" : to_string(worst.factor));
  return worst.ratio - 1 < 5e-5 ? "none" : factor + " " + excess_of(worst.ratio);
}

/// The short unit of a quantity: " B", " FLOP"; empty for counters of other things.
std::string short_unit(const std::string& quantity) {
  return quantity.find("bytes.") != quantity.npos || quantity.ends_with(".bytes") ? " B"
         : quantity.find("flops") != quantity.npos                                ? " FLOP"
                                                                                  : "";
}

/// Prints the offset; nothing where the cases lie on no line: an intercept would mean nothing.
std::string offset_of(const CounterScore& score) {
  constexpr double straight = 0.05;
  if (score.linearity.empty() || !(score.linearity.front().residual <= straight)) return "";
  const Linearity& line = score.linearity.front();
  return line.intercept_lo <= 0 && line.intercept_hi >= 0 ? "none" : plain(line.intercept, 2) + short_unit(score.quantity);
}

/// Prints how far repetitions scatter; of one or two, which show no scatter, that there are no more.
std::string repeat_of(const CounterScore& score) {
  const Repeatability& all = score.repeatability;
  if (all.cases > 0) return in_percent(all.median);
  return all.most == 1 ? "once" : all.most == 2 ? "twice" : "";
}

/// Whether a counter's score is whole: it is not without a grade, or without a ratio to form the numbers of.
bool is_whole(const CounterScore& score) {
  return score.grade != '-' && std::isfinite(score.bias) && std::isfinite(score.min) && std::isfinite(score.max) && std::isfinite(score.cv);
}

/// The columns of the numbers and of the grade.
Columns<CounterScore> grade_columns() {
  using Row = CounterScore;
  return {Column<Row>("counter", "name of the counter", &Row::counter).in_row("counter", Align::left),
          {"quantity", "what it is held against", &Row::quantity},
          convention_column<Row>(),
          Column<Row>("n", "number of cases that can tell something of it", &Row::n).in_row("cases"),
          Column<Row>("bias", "geometric mean of the ratios", &Row::bias).in_row("bias", Align::right, in_digits(&Row::bias, 4)),
          Column<Row>(Heading{"+/-"}, half_width),
          Column<Row>("min", "least of the ratios", &Row::min).in_row("min", Align::right, in_digits(&Row::min)),
          Column<Row>("max", "largest of the ratios", &Row::max).in_row("max", Align::right, in_digits(&Row::max)),
          Column<Row>(Heading{"repeat"}, repeat_of),
          Column<Row>(Heading{"moved most by"}, worst_factor),
          Column<Row>(Heading{"offset"}, offset_of),
          Column<Row>(Heading{"zeros"}, zeros_of),
          {"cv", "standard deviation of the ratios over their mean", &Row::cv},
          {"zero_tests", "cases that have nothing to count", &Row::zero_tests},
          {"zero_failures", "those of the zero tests that counted something", &Row::zero_failures},
          Column<Row>("grade", "A, B, C, D (harness/model/scoring/README.md); static: nothing was measured; null: not graded",
                      [](const Row& row) { return OrNull{row.of_code || row.grade != '-' ? grade_of(row) : ""}; })
              .one_of({"A", "B", "C", "D", "static"})
              .in_row("grade", Align::right, grade_of),
          {"status", "ok, or unavailable: it has no grade, or lacks one of its numbers",
           [](const Row& row) { return is_whole(row) ? Status::ok : Status::unavailable; }},
          {"reason", "why it has this grade", [](const Row& row) { return OrNull{row.reason}; }}};
}

}  // namespace

Columns<CounterScore> counter_columns() {
  auto columns = grade_columns();
  columns.append(evidence_columns());
  return columns;
}

}  // namespace plumbline::app
