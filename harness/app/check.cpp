// plumbline check FILE --baseline ...: the night's regressions (exit 3) and wrong results (exit 4), each with its evidence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/check_report.hpp"
#include "app/command.hpp"
#include "app/finding_command.hpp"
#include "app/history_series.hpp"
#include "app/open_metrics.hpp"
#include "app/output_file.hpp"
#include "app/streams.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct CommandOptions {
  std::string file, baseline, history, junit, markdown, open_metrics;
  std::optional<double> threshold_percent;
  double false_alarms = 0.05;
  bool allow_missing = false;
  FindingCommand on_finding;
  Format format = Format::text;
};

/// "rolling:14d" -> 14.
std::optional<double> rolling_days(const std::string& baseline) {
  constexpr std::string_view word = "rolling:";
  if (!baseline.starts_with(word)) return std::nullopt;
  const std::string text = baseline.substr(word.size());
  std::size_t end = 0;
  double days = 0;
  try {
    days = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || text.substr(end) != "d" || !(days > 0))
    throw user_error(fmt::format("--baseline is '{}', but a rolling one is rolling:DAYSd, e.g. rolling:14d", baseline));
  return days;
}

struct Baseline {
  History history;
  fs::path folder;         // where accepted levels lie
  double days = HUGE_VAL;  // that it reaches back
  bool any_time = false;   // a single file counts whenever it was measured
};

Baseline baseline_of(const CommandOptions& options) {
  Baseline baseline;
  const fs::path file_folder = options.history.empty() ? folder_of(options.file) : fs::path(options.history);
  std::error_code unknown;
  if (const auto days = rolling_days(options.baseline)) {
    baseline.folder = file_folder;
    baseline.days = *days;
    baseline.history = load_history(baseline.folder);
  } else if (fs::is_directory(options.baseline, unknown)) {
    baseline.folder = options.baseline;
    baseline.history = load_history(baseline.folder);
  } else {
    baseline.folder = file_folder;
    baseline.any_time = true;
    baseline.history.nights.push_back(night_of(options.baseline, observe_file(options.baseline)));
  }
  return baseline;
}

/// Those before the checked night.
void keep_earlier(Baseline& baseline, const Night& checked, std::vector<std::string>& notes) {
  auto& nights = baseline.history.nights;
  const auto itself = std::erase_if(nights, [&](const Night& night) { return night.digest == checked.digest; });
  if (baseline.any_time) {
    if (itself > 0) throw user_error("FILE and the baseline hold the same measurements");
    return;
  }
  const auto later = std::erase_if(nights, [&](const Night& night) { return night.started_unix_ns > checked.started_unix_ns; });
  if (later > 0)
    notes.push_back(
        fmt::format("{} night{} began after FILE ({}) and {} no part of its baseline: FILE is an old one, or a clock was stepped back",
                    later, later == 1 ? "" : "s", utc_text(checked.started_unix_ns), later == 1 ? "is" : "are"));
}

/// The nights within the days, which rows are held against. What is missing is looked for in all: it is told until somebody accepts it.
std::span<const Night> within_reach(const Baseline& baseline, const Night& checked) {
  const std::span nights(baseline.history.nights);
  const double reach_ns = baseline.days * 86'400e9;
  const auto first = std::find_if(nights.begin(), nights.end(), [&](const Night& night) {
    return static_cast<double>(checked.started_unix_ns - night.started_unix_ns) <= reach_ns;
  });
  return nights.subspan(static_cast<std::size_t>(first - nights.begin()));
}

/// A level says nothing of nights before it, and nothing against a file that was named.
std::vector<AcceptedLevel> levels_of(const Baseline& baseline, const Night& checked, std::vector<std::string>& notes) {
  if (baseline.any_time) return {};
  auto levels = read_accepted_levels(baseline.folder, notes);
  const auto later = std::erase_if(levels, [&](const AcceptedLevel& level) { return level.from_unix_ns > checked.started_unix_ns; });
  if (later > 0)
    notes.push_back(fmt::format("{} level{} accepted from a later night on than FILE's ({}) and {} not count for it", later,
                                later == 1 ? " is" : "s are", utc_text(checked.started_unix_ns), later == 1 ? "does" : "do"));
  return levels;
}

/// Why no row was held against anything.
std::string nothing_held(const CheckReport& report) {
  if (report.rows.empty()) return "this night measured nothing: no case, ceiling or link is in its file, and nothing was checked";
  if (report.nights == 0) return "there is no earlier night to hold this one against: nothing was checked but the results";
  const auto accepted = std::count_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return !row.accepted.empty(); });
  const auto bad = std::count_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return row.status != Status::ok; });
  return fmt::format(
      "none of the {} rows was held against anything, although there are {} nights: {} failed, of {} the accepted level begins too late, "
      "the others were not measured before",
      report.rows.size(), report.nights, bad, accepted);
}

Exit exit_of(const CheckReport& report) {
  if (!report.wrong.empty()) return Exit::wrong_result;
  if (count_of(report, NightFinding::slower) > 0) return Exit::regression;
  const bool missed = (report.rows.empty() || !report.missing.empty()) && !report.missing_allowed;
  return missed ? Exit::io_or_failed_case : Exit::ok;
}

Exit write_documents(const CommandOptions& options, const CheckReport& report) {
  Exit code = Exit::ok;
  using AsText = std::string (*)(const CheckReport&);
  for (const auto& [file, as_text] :
       {std::pair<std::string, AsText>(options.junit, junit), {options.markdown, markdown}, {options.open_metrics, open_metrics}})
    if (!file.empty())
      if (const Exit written = write_or_tell(file, as_text(report)); written != Exit::ok) code = written;
  return code;
}

Exit check(const CommandOptions& options) {
  CheckReport report{
      .file = options.file, .baseline = options.baseline, .false_alarms = options.false_alarms, .missing_allowed = options.allow_missing};
  const ObservedFile observed = observe_file(options.file);
  const Night checked = night_of(options.file, observed);
  report.wrong = observed.wrong;
  report.started_unix_ns = checked.started_unix_ns;
  Baseline baseline = baseline_of(options);
  report.notes = observed.notes;
  report.notes.insert(report.notes.end(), baseline.history.notes.begin(), baseline.history.notes.end());
  keep_earlier(baseline, checked, report.notes);
  const auto levels = levels_of(baseline, checked, report.notes);
  const auto nights = within_reach(baseline, checked);
  report.nights = nights.size();

  std::optional<double> threshold;
  if (options.threshold_percent) threshold = *options.threshold_percent / 100;
  check_rows(report, checked, series_of(nights, levels), levels, {.false_alarms = options.false_alarms, .threshold = threshold});
  report.missing = find_missing(checked, series_of(baseline.history.nights, levels));
  if (held_of(report) == 0) {
    if (baseline.any_time && report.missing.empty() && report.wrong.empty())
      throw user_error(fmt::format("{} and {} have nothing in common that was measured in both: 'plumbline compare' says what each holds",
                                   options.file, options.baseline));
    report.notes.push_back(nothing_held(report));
  }
  if (options.format == Format::json) print(check_document(report));
  if (options.format == Format::csv) print(csv(check_json_rows(report)));
  if (options.format == Format::text) print(check_text(report));
  const Exit written = write_documents(options, report), found = exit_of(report);
  if (found != Exit::ok) tell(options.on_finding, check_document(report));
  return found == Exit::ok ? written : found;
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand(
      "check", "a night against the nights before it: exit 3 for a regression, 4 for a wrong result, 1 for a missing case");
  auto options = std::make_shared<CommandOptions>();
  command->add_option("FILE", options->file, "result file (.h5) of the night")->required();
  command
      ->add_option("--baseline", options->baseline,
                   "rolling:14d (the nights of that many days before, in FILE's folder), a result file, or a folder")
      ->required()
      ->type_name("rolling:DAYSd|FILE|DIR");
  command->add_option("--history", options->history, "folder of the nights and of accepted levels, where it is not FILE's")
      ->type_name("DIR");
  command
      ->add_option("--threshold", options->threshold_percent,
                   "percent below which a slowdown does not matter (default: by class, 3 to 10, of links 25)")
      ->check(CLI::Range(0.0, 1000.0))
      ->type_name("PCT");
  command->add_option("--false-alarms", options->false_alarms, "how many are expected in a night in which nothing changed, over all rows")
      ->check(CLI::Range(1e-6, 0.5))
      ->capture_default_str();
  command->add_flag("--allow-missing", options->allow_missing,
                    "what the nights before measured and this one did not is told, but no failure");
  command->add_option("--junit", options->junit, "also write JUnit XML there, a test case a row")->type_name("FILE");
  command->add_option("--markdown", options->markdown, "also write a summary in Markdown there")->type_name("FILE");
  command->add_option("--openmetrics", options->open_metrics, "also write gauges for Prometheus there (NAME.prom of a textfile collector)")
      ->type_name("FILE");
  add_finding_options(*command, options->on_finding);
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return check(*options); }; });
}

}  // namespace plumbline::app
