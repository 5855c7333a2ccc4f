// The command plumbline compare A B says what is the same, what became faster or slower, and what cannot be compared, with the reason.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/schemas.hpp"
#include "app/nights/observed_file.hpp"
#include "app/programs/profile_comparison.hpp"
#include "app/programs/stored_profile.hpp"
#include "app/results/result_file.hpp"
#include "app/results/stored_results.hpp"
#include "app/terminal/columns.hpp"
#include "app/terminal/shell_words.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {

namespace {

struct CompareOptions {
  std::string before, after;
  std::optional<double> threshold_percent;
  Format format = Format::text;
};

constexpr double readable_part = 10;  // beyond, a percentage tells nothing but that there is no hope

std::string percent_text(double part) {
  return std::isfinite(part) && part > readable_part ? fmt::format("> {:.0f} %", 100 * readable_part) : percent_or_dash(part);
}

bool comparable(const Compared& row) { return row.status == Status::ok; }

std::pair<Status, std::string> clocks_seen(const Compared& row) {
  const bool both = std::isfinite(row.clock_before_hz) && std::isfinite(row.clock_after_hz);
  return {both ? Status::ok : Status::unavailable, both ? "" : "the clock was not observed on both sides"};
}

/// A number of the judgement, which a row that cannot be compared does not have.
auto judged(double Judged::*number) {
  return [number](const Compared& row) { return comparable(row) ? row.judged.*number : absent; };
}

auto judged_text(double Judged::*number) {
  return [number](const Compared& row) { return change_text(row.judged.*number); };
}

Columns<Compared> compared_columns() {
  using Row = Compared;
  const auto unit = [](const Row& row) { return unit_suffix(row.unit); };
  Columns<Row> columns{
      Column<Row>("what", "case or ceiling", [](const Row& row) { return row.key.what; })
          .in_row("case or ceiling", Align::left)
          .at_most(56),
      Column<Row>("node", "node that measured it, or like nodes on both sides", [](const Row& row) { return row.key.node; })
          .above("node", [](const Row& row) { return "on " + row.key.node; }),
      {"class", "kind of case or ceiling, which says by how much it may differ", &Row::row_class},
      Column<Row>("verdict", "SAME, SLOWER, FASTER or AMBIGUOUS",
                  [](const Row& row) { return comparable(row) ? std::optional(row.verdict) : std::nullopt; })
          .in_row("verdict", Align::left, [](const Row& row) { return std::string(to_string(row.verdict)); }),
      {"unit", "unit of before and after", &Row::unit},
      Column<Row>("before_{}", "median before", &Row::before)
          .in_unit(unit)
          .in_row("before", Align::right, [](const Row& row) { return with_unit(row.before, row.unit); }),
      Column<Row>("after_{}", "median after", &Row::after)
          .in_unit(unit)
          .in_row("after", Align::right, [](const Row& row) { return with_unit(row.after, row.unit); }),
      Column<Row>("slowdown", "how many times as long the work takes (of a rate: its inverse)", judged(&Judged::slowdown))
          .in_row("time", Align::right, judged_text(&Judged::slowdown)),
      Column<Row>("slowdown_lo", "lower end of the 95 % interval of slowdown", judged(&Judged::lo))
          .in_row("from", Align::right, judged_text(&Judged::lo)),
      Column<Row>("slowdown_hi", "upper end of the 95 % interval of slowdown", judged(&Judged::hi))
          .in_row("to", Align::right, judged_text(&Judged::hi)),
      {"threshold_percent", "the least change that matters", [](const Row& row) { return 100 * row.threshold; }},
      {"n_before", "samples before", &Row::n_before},
      {"n_after", "samples after", &Row::n_after},
      {"clock_before_hz", "median of the clock observed beside the samples before", &Row::clock_before_hz},
      {"clock_after_hz", "median of the clock observed beside the samples after", &Row::clock_after_hz},
      {"explanation", "another loop or another clock that explains it; empty where none does", &Row::explanation},
      {"status", "ok, or in a word why it cannot be compared", &Row::status},
      {"reason", "why it cannot be compared", [](const Row& row) { return OrNull{row.reason}; }}};
  add_explained(columns, "clock", "one of the two clocks", clocks_seen);
  return columns;
}

Columns<ClassSummary> class_columns() {
  using Row = ClassSummary;
  const auto percent = [](double Row::*part) { return [part](const Row& row) { return 100 * (row.*part); }; };
  const auto text = [](double Row::*part) { return [part](const Row& row) { return percent_text(row.*part); }; };
  return {
      Column<Row>("class", "kind of case or ceiling that its rows are of", &Row::row_class).in_row("class", Align::left),
      Column<Row>("rows", "number of rows of the class", &Row::rows).in_row("rows"),
      Column<Row>("threshold_percent", "the least change that matters", percent(&Row::threshold))
          .in_row("threshold", Align::right, text(&Row::threshold)),
      Column<Row>("spread_percent", "spread of a session (of a sample, where each side has but one session)", percent(&Row::spread))
          .in_row("spread", Align::right, text(&Row::spread)),
      Column<Row>("smallest_detectable_percent", "smallest change that is named in 8 comparisons of 10", percent(&Row::smallest_detectable))
          .in_row("smallest change named 8 times of 10", Align::right, text(&Row::smallest_detectable))};
}

struct ComparedFiles {
  std::string before, after;
  Comparison comparison;
};

Columns<ComparedFiles> compared_members() {
  return {{"before", "result file before", &ComparedFiles::before},
          {"after", "result file after", &ComparedFiles::after},
          list_column<ComparedFiles>("classes", "what was compared, by class", class_columns(),
                                     [](const ComparedFiles& files) { return files.comparison.classes; })};
}

std::vector<Compared> comparable_rows(const Comparison& comparison) {
  std::vector<Compared> rows;
  std::copy_if(comparison.rows.begin(), comparison.rows.end(), std::back_inserter(rows), comparable);
  return rows;
}

std::string verdict_table(const Comparison& comparison) {
  return aligned<Compared>(compared_columns(), comparable_rows(comparison), [](const Compared& row) {
    return row.explanation.empty() ? std::vector<std::string>() : std::vector<std::string>{"      " + row.explanation};
  });
}

std::string class_table(const Comparison& comparison) {
  const std::string table = aligned(class_columns(), comparison.classes);
  return table.empty() ? "" : "\n" + table;
}

std::string refusals(const Comparison& comparison) {
  std::string text;
  for (const auto& row : comparison.rows)
    if (row.status != Status::ok)
      text += wrapped(fmt::format("{} on {}: {}", row.key.what, row.key.node, printable(row.reason)), 118, "    ").substr(2) + "\n";
  return text.empty() ? "" : "\nnot comparable:\n" + text;
}

std::vector<std::string> comparison_notes(const ObservedFile& before, const ObservedFile& after, const Comparison& comparison) {
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

// ----------------------------------------------------------------------------------------------------- profiles of a program

struct ComparedProfiles {
  std::string before, after;
  double threshold_percent;
};

Columns<ComparedProfiles> profiles_members() {
  return {{"before", "result file before", &ComparedProfiles::before},
          {"after", "result file after", &ComparedProfiles::after},
          {"threshold_percent", "the least change of a time that matters", &ComparedProfiles::threshold_percent}};
}

/// Says what two profiles ran, where that differs, and why one of them has no counts.
std::vector<std::string> profile_notes(const StoredProfile& before, const StoredProfile& after) {
  std::vector<std::string> notes;
  const ProfileWords &first = before.shown.words, &second = after.shown.words;
  if (first.command != second.command)
    notes.push_back(fmt::format("other commands: {} -> {}", command_line(first.command), command_line(second.command)));
  if (first.caches != second.caches)
    notes.push_back(fmt::format("other simulated caches, which change bytes beyond L1: {} -> {}",
                                first.caches.empty() ? "none" : first.caches, second.caches.empty() ? "none" : second.caches));
  if (first.window != second.window)
    notes.push_back(fmt::format("other parts of the run: {} -> {}", first.window.empty() ? "the whole" : first.window,
                                second.window.empty() ? "the whole" : second.window));
  if (first.gpu_time_by != second.gpu_time_by)
    notes.push_back(fmt::format("times by other ways: {} -> {}", first.gpu_time_by.empty() ? "samples on CPUs" : first.gpu_time_by,
                                second.gpu_time_by.empty() ? "samples on CPUs" : second.gpu_time_by));
  for (const auto& [words, side] : {std::pair(&first, "before"), std::pair(&second, "after")}) {
    if (!words->why_not_joined.empty()) notes.push_back(fmt::format("no counts {}: {}", side, words->why_not_joined));
    if (words->work_scale != 1)
      notes.push_back(fmt::format("the counts {} are those of a smaller input ({}) times {:g}, not what was executed", side,
                                  command_line(words->count_arguments), words->work_scale));
  }
  return notes;
}

/// Says what a change of a time is: of a CPU's functions, and of a GPU's kernels, where a side has such.
std::string change_note(const StoredProfile& before, const StoredProfile& after, double threshold) {
  const auto of_gpus = [](const StoredProfile& side) { return !side.shown.words.gpu_time_by.empty(); };
  std::string text = "change: ";
  if (!of_gpus(before) || !of_gpus(after))
    text +=
        "how much longer a function takes, with the 95 % interval that the numbers of its samples leave; of the whole, from start to "
        "end and by its CPU time a core. ";
  if (of_gpus(before) || of_gpus(after))
    text += "how much longer all launches of a GPU's kernel take, of a region those in it, and of the whole all of them: no interval. ";
  return text +
         fmt::format(
             "SLOWER, FASTER: the interval, or what has none, lies beyond {}; SAME: within; AMBIGUOUS: neither. Each side is one run: "
             "how runs of the same program differ is in no interval",
             percent_text(threshold));
}

Exit compare_profiled(const CompareOptions& options, const Results& before, const Results& after) {
  constexpr std::string_view row_class = "function";
  const double threshold = options.threshold_percent ? *options.threshold_percent / 100 : practical_threshold(row_class);
  const auto parts = compare_profiles(before.profile, after.profile, threshold);
  const auto shown_before = stored_profile(options.before, before, {}), shown_after = stored_profile(options.after, after, {});
  auto notes = profile_notes(*shown_before, *shown_after);
  for (auto& note : differing_circumstances(observe_results(before), observe_results(after))) notes.push_back(std::move(note));
  notes.push_back(change_note(*shown_before, *shown_after, threshold));
  notes.emplace_back(
      "FLOPs, bytes: counted, so that any change is one of the program or its input; ~same: less than 0.05 % apart; -: not known "
      "on a side, or none");
  const auto rows = [&] { return rows_json(compared_part_columns(), parts); };
  if (options.format == Format::json)
    print(document("compare-profile", options.after, rows(), notes,
                   row_json(profiles_members(), ComparedProfiles{options.before, options.after, 100 * threshold})));
  if (options.format == Format::csv) print(csv(rows()));
  if (options.format == Format::markdown) print(compared_parts_text(parts, options.format) + markdown_notes(notes));
  if (options.format == Format::text) print(compared_parts_text(parts, options.format) + note_lines(notes));
  return Exit::ok;
}

// ------------------------------------------------------------------------------------------------------------------ all others

Exit compare_files(const CompareOptions& options) {
  const Results results_before = load_cases(options.before), results_after = load_cases(options.after);
  if (!results_before.profile.empty() && !results_after.profile.empty()) return compare_profiled(options, results_before, results_after);
  const ObservedFile before = observe_file(options.before, results_before), after = observe_file(options.after, results_after);
  std::optional<double> threshold;
  if (options.threshold_percent) threshold = *options.threshold_percent / 100;
  const ComparedFiles files{options.before, options.after, compare(before.side, after.side, threshold)};
  const Comparison& comparison = files.comparison;
  const auto notes = comparison_notes(before, after, comparison);
  const Json rows = rows_json(compared_columns(), comparison.rows);
  if (options.format == Format::json) print(document("compare", options.after, rows, notes, row_json(compared_members(), files)));
  if (options.format == Format::csv) print(csv(rows));
  if (options.format == Format::markdown)
    print(markdown(compared_columns(), comparable_rows(comparison)) + "\n" + markdown(class_columns(), comparison.classes) +
          markdown_notes(notes));
  if (options.format == Format::text) {
    const std::string table = verdict_table(comparison);
    print((table.empty() ? "nothing can be compared\n" : table) + class_table(comparison) + refusals(comparison) + note_lines(notes));
  }
  return Exit::ok;
}

}  // namespace

Json compare_schema() {
  return document_schema("compare", "Two result files beside each other", row_schema(compared_columns()), row_schema(compared_members()));
}

Json compare_profile_schema() {
  return document_schema("compare-profile", "Two profiles of a program beside each other", row_schema(compared_part_columns()),
                         row_schema(profiles_members()));
}

void add_compare(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("compare", "two result files: what is the same, faster or slower, and what cannot be compared");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->before, "result file (.h5) before")->required();
  command->add_option("B", options->after, "result file (.h5) after")->required();
  command
      ->add_option(
          "--threshold", options->threshold_percent,
          "percent below which a change does not matter (default: by class, 3 to 10, of links 25, or more where the samples scatter)")
      ->check(number_within(0.0, 1000.0, "a number of percent"))
      ->type_name("PCT");
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return compare_files(*options); }; });
}

}  // namespace plumbline::app
