#include "app/expectations/expect_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

namespace plumbline::app {
namespace {

std::size_t number_of(std::span<const JudgedExpectation> judged, ExpectationVerdict verdict) {
  return static_cast<std::size_t>(std::count_if(judged.begin(), judged.end(), [&](const auto& one) { return one.verdict == verdict; }));
}

std::string verdict_words(const JudgedExpectation& judged) {
  if (judged.verdict == ExpectationVerdict::not_measurable) return "not measurable here";
  return judged.verdict == ExpectationVerdict::confirmed ? "confirmed" : judged.is_explained ? "differs, known why" : "differs";
}

/// A bound by as few digits as it has, three at the least.
std::string bound_text(double bound) {
  int digits = 3;
  while (digits < 9 && std::abs(std::stod(plain(bound, digits)) - bound) > 1e-9 * std::abs(bound)) ++digits;
  return plain(bound, digits);
}

/// A measured number by four digits, or by as many more as show on which side of the bounds it lies.
std::string beside_bounds(double value, const PaperExpectation& expectation) {
  if (!std::isfinite(value)) return plain(value);
  const auto shows_side = [&](int digits, double bound) {
    const double shown = std::stod(plain(value, digits));
    return !std::isfinite(bound) || value == bound || (value < bound ? shown < bound : shown > bound);
  };
  int digits = 4;
  while (digits < 17 && !(shows_side(digits, expectation.least) && shows_side(digits, expectation.most))) ++digits;
  return plain(value, digits);
}

/// The bounds in words: "0.99 or more", "at most 1.1", "1.9 to 2.1".
std::string expected_text(const PaperExpectation& expectation) {
  if (!std::isfinite(expectation.most)) return bound_text(expectation.least) + " or more";
  if (!std::isfinite(expectation.least)) return "at most " + bound_text(expectation.most);
  return expectation.least == expectation.most ? bound_text(expectation.least)
                                               : fmt::format("{} to {}", bound_text(expectation.least), bound_text(expectation.most));
}

std::string measured_text(const JudgedExpectation& judged) {
  const std::string least = beside_bounds(judged.measured_lo, *judged.of), most = beside_bounds(judged.measured_hi, *judged.of);
  return least == most ? least : fmt::format("{} to {}", least, most);
}

std::string by_text(const JudgedExpectation& judged) { return fmt::format("{}", fmt::join(judged.by, ", ")); }

std::string sizes_text(const PaperExpectation& expectation) {
  return expectation.sizes.empty() ? "" : fmt::format(" [{}]", expectation.sizes);
}

/// The lines below a row: what the paper says, by what it was decided, and why it is as it is.
std::vector<std::string> below(const JudgedExpectation& judged) {
  const PaperExpectation& of = *judged.of;
  std::vector<std::string> lines{wrapped(fmt::format("{}{}: {}", of.statement, sizes_text(of), of.quantity), 118, "    ")};
  if (judged.verdict != ExpectationVerdict::not_measurable)
    lines.push_back(wrapped(fmt::format("by {}; {} comparison{} in {}{}", by_text(judged), judged.comparisons,
                                        judged.comparisons == 1 ? "" : "s", std::filesystem::path(judged.file).filename().string(),
                                        judged.left_out == 0 ? "" : fmt::format(", {} left out", judged.left_out)),
                            118, "    "));
  if (!judged.reason.empty()) lines.push_back(wrapped("why: " + judged.reason, 118, "    "));
  return lines;
}

}  // namespace

Columns<JudgedExpectation> expect_columns() {
  using Row = JudgedExpectation;
  return {Column<Row>("id", "name of the expectation", [](const Row& row) { return row.of->id; }).in_row("expectation", Align::left),
          Column<Row>("paper", "paper that says it", [](const Row& row) { return row.of->paper; })
              .above("paper", [](const Row& row) { return row.of->paper; }),
          Column<Row>("where", "figure, table, equation or section of the paper", [](const Row& row) { return row.of->where; })
              .in_row("where", Align::left),
          {"source", "paper and place in it", [](const Row& row) { return fmt::format("{}, {}", row.of->paper, row.of->where); }},
          {"statement", "what the paper says", [](const Row& row) { return row.of->statement; }},
          {"sizes", "sizes that it is stated for; null: it does not hang on any", [](const Row& row) { return OrNull{row.of->sizes}; }},
          {"space", "what it is stated for", [](const Row& row) { return row.of->space; }},
          {"machines", "globs over names of machines that it is of; empty: all", [](const Row& row) { return row.of->machines; }},
          {"campaigns", "campaigns that measure its rows", [](const Row& row) { return row.of->campaigns; }},
          {"quantity", "formula over the rows", [](const Row& row) { return row.of->quantity; }},
          {"expected_lo", "the least that is expected; null: no bound", [](const Row& row) { return row.of->least; }},
          {"expected_hi", "the most that is expected; null: no bound", [](const Row& row) { return row.of->most; }},
          Column<Row>(Heading{"expected"}, [](const Row& row) { return expected_text(*row.of); }),
          Column<Row>(Heading{"measured"}, measured_text),
          {"measured", "of the values that were compared the one farthest beyond what is expected, or nearest to its edge", &Row::measured},
          {"measured_lo", "the least of these values, with what their counters leave open", &Row::measured_lo},
          {"measured_hi", "the largest of these values, with what their counters leave open", &Row::measured_hi},
          Column<Row>("verdict", "what became of it", &Row::verdict).in_row("verdict", Align::left, verdict_words),
          {"reason_known", "whether it differs for a reason that is known", &Row::is_explained},
          {"reason", "why it differs, where that is known, or why it cannot be measured here",
           [](const Row& row) { return OrNull{row.reason}; }},
          {"by", "who told the numbers: counters with their grades, times, ceilings", &Row::by},
          {"comparisons", "number of comparisons that decided", &Row::comparisons},
          {"left_out", "number of comparisons for which a trusted number is missing", &Row::left_out},
          {"decided_by", "result file that decided, or came nearest to it; null: none was given",
           [](const Row& row) { return OrNull{row.file}; }}};
}

std::string expectations_text(std::span<const JudgedExpectation> judged, Format format) {
  auto columns = expect_columns();
  if (format == Format::text) return aligned<JudgedExpectation>(columns, judged, below);
  columns.push_back(
      {Heading{"statement", Align::left}, [](const JudgedExpectation& row) { return row.of->statement + sizes_text(*row.of); }});
  columns.push_back({Heading{"by", Align::left}, by_text});
  columns.push_back({Heading{"why", Align::left}, [](const JudgedExpectation& row) { return row.reason; }});
  return markdown(columns, judged);
}

std::string expectations_summary(std::span<const JudgedExpectation> judged) {
  const auto explained = std::count_if(judged.begin(), judged.end(), [](const auto& one) { return one.is_explained; });
  return fmt::format("{} expectation{}: {} confirmed, {} differ ({} for a known reason), {} not measurable here", judged.size(),
                     judged.size() == 1 ? "" : "s", number_of(judged, ExpectationVerdict::confirmed),
                     number_of(judged, ExpectationVerdict::differs), explained, number_of(judged, ExpectationVerdict::not_measurable));
}

std::vector<std::string> expectations_notes(std::span<const JudgedExpectation> judged) {
  std::vector<std::string> notes;
  if (number_of(judged, ExpectationVerdict::not_measurable) < judged.size()) {
    notes.emplace_back("measured: least and largest over the comparisons, each by itself: nodes, teams, precisions, flavors");
    notes.emplace_back(
        "by: who told the numbers; a counter stands with the grade that 'plumbline score' gives it, and decides nothing below B");
  }
  if (number_of(judged, ExpectationVerdict::differs) > 0)
    notes.emplace_back("known why: what was measured is what its reason, below it, leads to; it differs from the paper all the same");
  return notes;
}

}  // namespace plumbline::app
