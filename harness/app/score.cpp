// plumbline score FILE: counters held against arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/command.hpp"
#include "app/result_file.hpp"
#include "model/accuracy.hpp"

namespace plumbline::app {
namespace {

Json row_of(const CaseScore& row) {
  return {{"case", row.case_id},
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
}

/// Without a grade, or without a ratio to form the numbers of, a counter's score is not whole.
bool is_whole(const CounterScore& score) {
  return score.grade != '-' && std::isfinite(score.bias) && std::isfinite(score.min) && std::isfinite(score.max) && std::isfinite(score.cv);
}

Json counter_json(const CounterScore& score) {
  return {{"counter", score.counter},
          {"quantity", score.quantity},
          {"convention", std::string(to_string(score.convention))},
          {"n", score.n},
          {"bias", number(score.bias)},
          {"min", number(score.min)},
          {"max", number(score.max)},
          {"cv", number(score.cv)},
          {"zero_tests", score.zero_tests},
          {"zero_failures", score.zero_failures},
          {"grade", score.grade == '-' ? Json() : Json(std::string(1, score.grade))},
          {"status", std::string(to_string(is_whole(score) ? Status::ok : Status::unavailable))},
          {"reason", text_or_null(score.reason)}};
}

// ---------------------------------------------------------------------------------------------------------------------- text

std::string claim_of(const CounterScore& score) {
  return score.counter.ends_with(score.quantity) ? "" : score.quantity;  // named after what it claims: not said twice
}

std::string percent(double part) { return std::isfinite(part) ? fmt::format("{:.2f} %", 100 * part) : "-"; }

std::string table_text(const std::vector<CounterScore>& counters, Convention convention) {
  Table table(
      {{"counter", Align::left}, {"held against", Align::left}, {"cases"}, {"geo. mean"}, {"min"}, {"max"}, {"CV"}, {"zeros"}, {"grade"}});
  for (const auto& score : counters) {
    if (score.convention != convention) continue;
    const std::string zeros = score.zero_tests == 0 ? "" : fmt::format("{}/{}", score.zero_tests - score.zero_failures, score.zero_tests);
    table.add({score.counter, claim_of(score), std::to_string(score.n), plain(score.bias, 4), plain(score.min, 4), plain(score.max, 4),
               percent(score.cv), zeros, std::string(1, score.grade)});
    if (score.grade != 'A') table.add_line(wrapped(score.reason, 118, "    "));
  }
  return table.empty() ? "" : table.text();
}

constexpr std::size_t shown_failures = 10;

std::string failures_text(const Accuracy& accuracy) {
  Table table({{"case", Align::left}, {"counter", Align::left}, {"counted"}, {"exact"}, {"ratio"}});
  std::size_t shown = 0;
  for (const auto& row : accuracy.rows) {
    if (!row.fails_exactness() || ++shown > shown_failures) continue;
    const std::string exact =
        row.exact_lo == row.exact_hi ? plain(row.exact_lo, 10) : plain(row.exact_lo, 10) + " to " + plain(row.exact_hi, 10);
    table.add({row.case_id, row.counter, plain(row.measured, 10), exact, plain(row.ratio, 6)});
  }
  return table.text() + (shown > shown_failures ? fmt::format("... and {} more; --json lists all\n", shown - shown_failures) : "");
}

std::string verdict(const Accuracy& accuracy) {
  const auto exact = static_cast<std::size_t>(
      std::count_if(accuracy.rows.begin(), accuracy.rows.end(), [](const CaseScore& row) { return row.tests_exactness(); }));
  if (exact == 0) return "exactness: not tested, nothing was counted by a witness that must be exact\n";
  if (accuracy.failed_exactness == 0) return fmt::format("exactness: all {} FLOP totals equal the arithmetic\n", exact);
  return fmt::format("exactness: FAILED, {} of {} FLOP totals differ from the arithmetic\n\n{}", accuracy.failed_exactness, exact,
                     failures_text(accuracy));
}

std::string as_text(const Accuracy& accuracy) {
  std::string text = "Measured / exact; inside the model's interval it is 1.\n\n" + table_text(accuracy.counters, Convention::flow);
  const std::string papers = table_text(accuracy.counters, Convention::paper);
  if (!papers.empty()) text += "\nBy the convention of the papers that the kernels come from:\n\n" + papers;
  return text + "\n" + verdict(accuracy);
}

std::vector<std::string> notes_of(const Accuracy& accuracy) {
  std::vector<std::string> notes;
  for (const auto& row : accuracy.rows)
    if (row.status != Status::ok && row.status != Status::failed && !row.reason.empty())
      if (const std::string note = fmt::format("{}: {}", to_string(row.status), row.reason);
          std::find(notes.begin(), notes.end(), note) == notes.end())
        notes.push_back(note);
  if (notes.size() > 5) {
    notes.resize(5);
    notes.emplace_back("... and other reasons; --json gives each row its own");
  }
  notes.emplace_back("grades: A trusted, B steady by a factor, C only in the regimes named, D rejected");
  return notes;
}

Exit score_file(const Selection& selection) {
  const Results results = load_selected(selection);
  const Accuracy accuracy = score(measurements_of(results), known_counters());
  const auto notes = notes_of(accuracy);
  Json rows = Json::array(), counters = Json::array();
  for (const auto& row : accuracy.rows) rows.push_back(row_of(row));
  for (const auto& counter : accuracy.counters) counters.push_back(counter_json(counter));
  if (selection.format == Format::json) print(document("score", selection.file, rows, notes, {{"counters", counters}}));
  if (selection.format == Format::csv) print(csv(rows));
  if (selection.format == Format::text) print(as_text(accuracy) + note_lines(notes));
  return accuracy.failed_exactness == 0 ? Exit::ok : Exit::wrong_result;
}

}  // namespace

void add_score(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("score", "counters held against arithmetic: measured / exact for each counter and case, and a grade");
  auto selection = std::make_shared<Selection>();
  add_selection(*command, *selection);
  command->callback([&chosen, selection] { chosen = [selection] { return score_file(*selection); }; });
}

}  // namespace plumbline::app
