// The command plumbline compare A B says what is the same, what became faster or slower, and what cannot be compared, with the reason.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "app/commands/command.hpp"
#include "app/nights/observed_file.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

struct CompareOptions {
  std::string before, after;
  std::optional<double> threshold_percent;
  Format format = Format::text;
};

Json row_of(const Compared& row) {
  const std::string unit = unit_suffix(row.unit);
  const bool ok = row.status == Status::ok;
  Json json{{"what", row.key.what},
            {"node", row.key.node},
            {"class", row.row_class},
            {"verdict", ok ? Json(std::string(to_string(row.verdict))) : Json()},
            {"unit", row.unit},
            {"before_" + unit, number(row.before)},
            {"after_" + unit, number(row.after)},
            {"slowdown", ok ? number(row.judged.slowdown) : Json()},
            {"slowdown_lo", ok ? number(row.judged.lo) : Json()},
            {"slowdown_hi", ok ? number(row.judged.hi) : Json()},
            {"threshold_percent", number(100 * row.threshold)},
            {"n_before", row.n_before},
            {"n_after", row.n_after},
            {"clock_before_hz", number(row.clock_before_hz)},
            {"clock_after_hz", number(row.clock_after_hz)},
            {"explanation", row.explanation},
            {"status", std::string(to_string(row.status))},
            {"reason", text_or_null(row.reason)}};
  const bool clocks = std::isfinite(row.clock_before_hz) && std::isfinite(row.clock_after_hz);
  explain(json, "clock", clocks ? Status::ok : Status::unavailable, clocks ? "" : "the clock was not observed on both sides");
  return json;
}

Json class_json(const ClassSummary& c) {
  return {{"class", c.row_class},
          {"rows", c.rows},
          {"threshold_percent", number(100 * c.threshold)},
          {"spread_percent", number(100 * c.spread)},
          {"smallest_detectable_percent", number(100 * c.smallest_detectable)}};
}

constexpr double readable_part = 10;  // beyond, a percentage tells nothing but that there is no hope

std::string percent_text(double part) {
  if (!std::isfinite(part)) return "-";
  return part > readable_part ? fmt::format("> {:.0f} %", 100 * readable_part) : fmt::format("{:.1f} %", 100 * part);
}

constexpr std::size_t longest_name = 56;

void add_row(Table& table, const Compared& row) {
  std::string name = row.key.what;
  if (name.size() > longest_name) {
    table.add_line(name);
    name.clear();
  }
  table.add({name, std::string(to_string(row.verdict)), with_unit(row.before, row.unit), with_unit(row.after, row.unit),
             change_text(row.judged.slowdown), change_text(row.judged.lo), change_text(row.judged.hi)});
  if (!row.explanation.empty()) table.add_line("      " + row.explanation);
}

std::string verdict_table(const Comparison& comparison) {
  Table table({{"case or ceiling", Align::left}, {"verdict", Align::left}, {"before"}, {"after"}, {"time"}, {"from"}, {"to"}});
  std::string node;
  for (const auto& row : comparison.rows) {
    if (row.status != Status::ok) continue;
    if (row.key.node != node) table.add_line("on " + row.key.node);
    node = row.key.node;
    add_row(table, row);
  }
  return table.empty() ? "" : table.text();
}

std::string class_table(const Comparison& comparison) {
  Table table({{"class", Align::left}, {"rows"}, {"threshold"}, {"spread"}, {"smallest change named 8 times of 10"}});
  for (const auto& c : comparison.classes)
    table.add(
        {c.row_class, std::to_string(c.rows), percent_text(c.threshold), percent_text(c.spread), percent_text(c.smallest_detectable)});
  return table.empty() ? "" : "\n" + table.text();
}

std::string refusals(const Comparison& comparison) {
  std::string text;
  for (const auto& row : comparison.rows)
    if (row.status != Status::ok)
      text += wrapped(fmt::format("{} on {}: {}", row.key.what, row.key.node, printable(row.reason)), 118, "    ").substr(2) + "\n";
  return text.empty() ? "" : "\nnot comparable:\n" + text;
}

std::vector<std::string> notes_of(const ObservedFile& before, const ObservedFile& after, const Comparison& comparison) {
  std::vector<std::string> notes;
  for (const auto* file : {&before, &after}) notes.insert(notes.end(), file->notes.begin(), file->notes.end());
  for (auto& note : differing_circumstances(before, after)) notes.push_back(std::move(note));
  notes.emplace_back(
      "time: how much longer the work takes (of a rate: its inverse), with its 95 % interval. SLOWER, FASTER: the whole interval lies "
      "beyond the threshold; SAME: within it; AMBIGUOUS: neither");
  if (comparison.sessions_before < 2 || comparison.sessions_after < 2)
    notes.emplace_back(
        "spread: of one sample within its session, since one side has but one session: what differs from session to session is not in "
        "the intervals; 'plumbline history' and 'check' know it");
  else
    notes.emplace_back("spread: of a session, between the sessions of a file");
  return notes;
}

Exit compare_files(const CompareOptions& options) {
  const ObservedFile before = observe_file(options.before), after = observe_file(options.after);
  std::optional<double> threshold;
  if (options.threshold_percent) threshold = *options.threshold_percent / 100;
  const Comparison comparison = compare(before.side, after.side, threshold);
  const auto notes = notes_of(before, after, comparison);
  Json rows = Json::array(), classes = Json::array();
  for (const auto& row : comparison.rows) rows.push_back(row_of(row));
  for (const auto& c : comparison.classes) classes.push_back(class_json(c));
  if (options.format == Format::json)
    print(document("compare", options.after, rows, notes, {{"before", options.before}, {"after", options.after}, {"classes", classes}}));
  if (options.format == Format::csv) print(csv(rows));
  if (options.format == Format::text) {
    const std::string table = verdict_table(comparison);
    print((table.empty() ? "nothing can be compared\n" : table) + class_table(comparison) + refusals(comparison) + note_lines(notes));
  }
  return Exit::ok;
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("compare", "two result files: what is the same, faster or slower, and what cannot be compared");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->before, "result file (.h5) before")->required();
  command->add_option("B", options->after, "result file (.h5) after")->required();
  command
      ->add_option(
          "--threshold", options->threshold_percent,
          "percent below which a change does not matter (default: by class, 3 to 10, of links 25, or more where the samples scatter)")
      ->check(CLI::Range(0.0, 1000.0))
      ->type_name("PCT");
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return compare_files(*options); }; });
}

}  // namespace plumbline::app
