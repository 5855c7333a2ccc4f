#include "app/results/convention_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumbline::app {
namespace {

Columns<ConventionSummary> summary_columns() {
  using Row = ConventionSummary;
  return {Column<Row>("quantity", "quantity", &Row::quantity).in_row("quantity", Align::left),
          Column<Row>("backend", "who counted the metrics", &Row::backend).in_row("by", Align::left),
          Column<Row>("n", "cases with a ratio", &Row::n).in_row("cases"),
          Column<Row>("min", "least of the ratios", &Row::min).in_row("min", Align::right, in_digits(&Row::min, 4)),
          Column<Row>("max", "largest of the ratios", &Row::max).in_row("max", Align::right, in_digits(&Row::max, 4))};
}

}  // namespace

Columns<ConventionRow> convention_row_columns() {
  using Row = ConventionRow;
  return {{"case", "id of the case", &Row::case_id},
          {"node", "node that ran it", &Row::node},
          {"convention", "name of the convention", &Row::convention},
          {"backend", "who counted the metrics", &Row::backend},
          {"quantity", "what the formula is for", &Row::quantity},
          {"formula", "metrics and weights", [](const Row& row) { return OrNull{row.formula}; }},
          {"value", "operations or bytes of a sweep by the formula", &Row::value},
          {"exact_lo", "the least that the model allows", &Row::exact_lo},
          {"exact_hi", "the most that the model allows", &Row::exact_hi},
          {"ratio", "value over exact: 1 within what the model allows, else over the nearer end of it", &Row::ratio},
          {"status", "ok, or in a word why there is no value", &Row::status},
          {"reason", "why there is no value", [](const Row& row) { return OrNull{row.reason}; }}};
}

std::string convention_text(std::span<const ConventionRow> rows) {
  if (rows.empty()) return {};
  const auto summaries = summarize(rows);
  const std::string begin = fmt::format("\nBy convention '{}', not ours", rows.front().convention);
  if (summaries.empty()) return begin + ": no case of known work has the metrics of its formulas\n";
  return begin + ", over the exact amount (1 is right):\n\n" +
         aligned<ConventionSummary>(summary_columns(), summaries,
                                    [](const ConventionSummary& one) { return std::vector{wrapped(one.formula, 118, "    ")}; });
}

}  // namespace plumbline::app
