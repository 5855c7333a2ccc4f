#include "app/nights/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "app/results/result_file.hpp"
#include "app/terminal/columns.hpp"
#include "model/statistics/row_class.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline::app {

namespace {

std::string accepted_text(const AcceptedLevel& level) {
  return fmt::format("level accepted from {} on by {}: {}", utc_text(level.from_unix_ns), level.who, printable(level.reason));
}

double half_width_of(const NightValue& value) { return std::isfinite(value.lo) ? std::log(value.hi / value.lo) / 2 : 0; }

CheckedSeries checked_series(const NightRow& row, std::span<const SeriesPoint> points, const std::map<const Night*, std::size_t>& numbers) {
  CheckedSeries series{.key = row.key, .row_class = row.row_class, .unit = row.unit};
  series.after_disturbed = row.value.disturbed;
  series.after_excuse = row.value.excuse;
  if (row.value.disturbed && std::isfinite(row.value.unshared)) series.unshared_after = log_cost(row.value.unshared, row.unit);
  std::vector<double> scatters;
  for (const auto& point : points) {
    if (point.value.disturbed) {  // what others did to it is no measure
      if (std::isfinite(point.value.unshared)) series.unshared_before[numbers.at(point.night)] = log_cost(point.value.unshared, row.unit);
      continue;
    }
    series.before.push_back(log_cost(point.value.median, row.unit));
    series.before_half_widths.push_back(half_width_of(point.value));
    series.nights.push_back(numbers.at(point.night));
    if (std::isfinite(point.value.scatter)) scatters.push_back(point.value.scatter);
  }
  if (scatters.empty() && std::isfinite(row.value.scatter)) scatters.push_back(row.value.scatter);
  series.sample_scatter = median_of(scatters);
  series.after = log_cost(row.value.median, row.unit);
  series.after_half_width = half_width_of(row.value);
  return series;
}

/// Numbers the nights in the order in which they began.
std::map<const Night*, std::size_t> numbers_of_nights(const std::map<SeriesKey, Series>& series) {
  std::map<std::tuple<std::int64_t, std::string, const Night*>, std::size_t> in_order;
  for (const auto& [key, one] : series)
    for (const auto& point : one.points) in_order[{point.night->started_unix_ns, point.night->file, point.night}] = 0;
  std::map<const Night*, std::size_t> numbers;
  for (const auto& [night, unused] : in_order) numbers.emplace(std::get<2>(night), numbers.size());
  return numbers;
}

double clock_before(std::span<const SeriesPoint> points) {
  std::vector<double> clocks;
  for (const auto& point : points)
    if (std::isfinite(point.value.clock_hz)) clocks.push_back(point.value.clock_hz);
  return median_of(clocks);
}

std::string clock_text(double before_hz, double after_hz) {
  const auto ghz = [](double hz) { return std::isfinite(hz) ? fmt::format("{:.2f}", 1e-9 * hz) : "unknown"; };
  return fmt::format("clock {} -> {} GHz", ghz(before_hz), ghz(after_hz));
}

/// A node's night is a number of times its nights before, which are 1.
CheckRow whole_node_row(const WholeNode& node) {
  CheckRow row{.key = {"whole node", node.node}, .row_class = node_class, .unit = "ratio"};
  row.night = node.night;
  row.night.before = 1;
  row.after.median = node.night.slowdown;
  row.after.n = node.rows;
  return row;
}

/// Rows of a node that share a word, beside its others.
CheckRow part_row(const PartOfNode& part) {
  CheckRow row{.key = {"part " + part.word, part.node}, .row_class = part_class, .unit = "ratio"};
  row.night = part.night;
  row.night.before = 1;
  row.after.median = part.night.slowdown;
  row.after.n = part.rows;
  return row;
}

/// The clock beside a whole node is that of its rows, by their median.
void explain_by_clock(CheckRow& node, const std::vector<CheckRow>& rows) {
  std::vector<double> before, ratios;
  for (const auto& row : rows)
    if (row.key.node == node.key.node && std::isfinite(row.clock_before_hz) && std::isfinite(row.after.clock_hz)) {
      before.push_back(row.clock_before_hz);
      ratios.push_back(row.after.clock_hz / row.clock_before_hz);
    }
  node.clock_before_hz = median_of(before);
  node.after.clock_hz = node.clock_before_hz * median_of(ratios);
  node.explanation = clock_explanation(node.clock_before_hz, node.after.clock_hz, node.night.slowdown);
}

}  // namespace

void check_rows(CheckReport& report, const Night& checked, const std::map<SeriesKey, Series>& series,
                const std::vector<AcceptedLevel>& levels, const CheckOptions& options) {
  const auto numbers = numbers_of_nights(series);
  std::vector<CheckedSeries> asked;
  std::vector<std::size_t> places;
  for (const auto& row : checked.rows) {
    CheckRow& found = report.rows.emplace_back(CheckRow{
        .key = row.key, .row_class = row.row_class, .unit = row.unit, .after = row.value, .status = row.status, .reason = row.reason});
    if (const auto* level = level_of(levels, row.key)) found.accepted = accepted_text(*level);
    const auto known = series.find(row.key);
    if (row.status != Status::ok) continue;
    const bool same_unit = known != series.end() && known->second.unit == row.unit;
    const auto points = same_unit ? known->second.of_accepted_level() : std::span<const SeriesPoint>();
    found.clock_before_hz = clock_before(points);
    asked.push_back(checked_series(row, points, numbers));
    places.push_back(report.rows.size() - 1);
  }
  const Checked answer = check_night(asked, options);
  report.summary = answer.summary;
  for (std::size_t i = 0; i < places.size(); ++i) {
    CheckRow& row = report.rows[places[i]];
    row.night = answer.rows[i];
    if (row.night.finding != NightFinding::no_baseline)
      row.explanation = clock_explanation(row.clock_before_hz, row.after.clock_hz, row.night.slowdown * row.night.movement);
  }
  for (const auto& part : answer.parts) report.rows.push_back(part_row(part));
  for (const auto& node : answer.whole_nodes) {
    CheckRow row = whole_node_row(node);
    explain_by_clock(row, report.rows);
    report.rows.push_back(std::move(row));
  }
}

namespace {

/// Says what stood beside a finding: ", beside +3.1 % of the whole node, suspect for 2 nights in turn".
std::string circumstances(const CheckedNight& night, bool is_part = false) {
  constexpr double worth_a_word = 0.005;
  std::string text;
  if (std::abs(night.movement - 1) >= worth_a_word)
    text += fmt::format(", of which {} is the {}", change_text(night.movement), is_part ? "others' too" : "whole node's");
  if (night.suspicious_nights > 1) text += fmt::format(", suspect for {} nights in turn", night.suspicious_nights);
  if (night.finding == NightFinding::suspect && night.nights_in_turn > 0) text += fmt::format(" ({} are a finding)", night.nights_in_turn);
  return text;
}

std::string nights_text(std::size_t nights) { return fmt::format("{} night{}", nights, nights == 1 ? "" : "s"); }

/// The evidence on a whole node, or on a part of it.
std::string middle_evidence(const CheckRow& row) {
  const std::string whose = row_kind_of(row.row_class) == RowKind::node ? fmt::format("its {} rows", row.after.n)
                                                                        : fmt::format("the {} rows that have this", row.after.n);
  std::string text = fmt::format("the middle one of {} took {} ({} to {}), {}{}", whose, change_text(row.night.slowdown),
                                 change_text(row.night.lo), change_text(row.night.hi), nights_text(row.night.nights),
                                 circumstances(row.night, row_kind_of(row.row_class) == RowKind::part));
  if (std::isfinite(row.clock_before_hz)) text += ", " + clock_text(row.clock_before_hz, row.after.clock_hz);
  if (row.explanation.ends_with("explains it")) text += ", which alone explains it";
  return text;
}

}  // namespace

std::string evidence(const CheckRow& row) {
  if (row.status != Status::ok) return fmt::format("{}: {}", to_string(row.status), printable(row.reason));
  if (row.night.finding == NightFinding::no_baseline)
    return fmt::format("{}, no earlier night that was not disturbed to hold it against{}", with_unit(row.after.median, row.unit),
                       row.accepted.empty() ? "" : "; " + row.accepted);
  if (is_of_many(row_kind_of(row.row_class))) return middle_evidence(row);
  std::string text =
      fmt::format("{} -> {}, {} ({} to {}){}, {}, {}", with_unit(row.night.before, row.unit), with_unit(row.after.median, row.unit),
                  change_text(row.night.slowdown), change_text(row.night.lo), change_text(row.night.hi), circumstances(row.night),
                  nights_text(row.night.nights), clock_text(row.clock_before_hz, row.after.clock_hz));
  if (row.night.finding == NightFinding::disturbed) text += ", but every sample was disturbed: it is no finding";
  if (row.explanation.ends_with("explains it")) text += ", which alone explains it";
  if (!row.accepted.empty()) text += "; " + row.accepted;
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------- JSON

namespace {

bool is_held(const CheckRow& row) {
  return row.status == Status::ok && row.night.finding != NightFinding::no_baseline && row.night.finding != NightFinding::disturbed;
}

Status status_of(const CheckRow& row) { return is_held(row) ? Status::ok : row.status == Status::ok ? Status::unavailable : row.status; }

std::pair<Status, std::string> clocks_seen(const CheckRow& row) {
  const bool both = std::isfinite(row.clock_before_hz) && std::isfinite(row.after.clock_hz);
  return {both ? Status::ok : Status::unavailable, both ? "" : "the clock was not observed on both sides"};
}

Columns<CheckRow> check_columns() {
  using Row = CheckRow;
  const auto unit = [](const Row& row) { return unit_suffix(row.unit); };
  Columns<Row> columns{
      {"what", "case, ceiling or link, \"whole node\", or \"part ...\": rows that have a word in common",
       [](const Row& row) { return row.key.what; }},
      {"node", "node that measured it", [](const Row& row) { return row.key.node; }},
      {"class", "kind of case, ceiling or link, which says by how much it may differ", &Row::row_class},
      {"verdict", "what this night is, held against the nights before", [](const Row& row) { return row.night.finding; }},
      {"unit", "unit of before and after", &Row::unit},
      Column<Row>("before_{}", "the level of the nights before", [](const Row& row) { return row.night.before; }).in_unit(unit),
      Column<Row>("after_{}", "median of this night", [](const Row& row) { return row.after.median; }).in_unit(unit),
      {"slowdown", "how many times as long it takes, beside the rest of its node", [](const Row& row) { return row.night.slowdown; }},
      {"slowdown_lo", "lower end of the interval of slowdown", [](const Row& row) { return row.night.lo; }},
      {"slowdown_hi", "upper end of the interval of slowdown", [](const Row& row) { return row.night.hi; }},
      {"threshold_percent", "the least slowdown that matters", [](const Row& row) { return 100 * row.night.threshold; }},
      {"nights", "number of nights that it is held against", [](const Row& row) { return row.night.nights; }},
      {"node_slowdown", "how many times as long the whole node takes", [](const Row& row) { return row.night.movement; }},
      {"suspicious_nights", "nights in turn, with this one, in which it is suspect",
       [](const Row& row) { return row.night.suspicious_nights; }},
      {"suspicious_nights_for_a_finding", "suspicious nights in turn that are a finding; 0: none are, or it is not known yet",
       [](const Row& row) { return row.night.nights_in_turn; }},
      {"clock_before_hz", "median of the clock observed in the nights before", &Row::clock_before_hz},
      {"clock_after_hz", "median of the clock observed in this night", [](const Row& row) { return row.after.clock_hz; }},
      {"explanation", "a clock that explains it; empty where it does not", &Row::explanation},
      {"accepted", "since when and why this level is right; empty where nobody said so", &Row::accepted},
      {"status", "ok, or in a word why it is held against nothing", status_of},
      {"reason", "why it is held against nothing", [](const Row& row) { return OrNull{is_held(row) ? "" : evidence(row)}; }}};
  add_explained(columns, "clock", "one of the two clocks", clocks_seen);
  return columns;
}

Columns<WrongResult> wrong_columns() {
  return {{"what", "case or ceiling that was computed wrongly", [](const WrongResult& row) { return row.key.what; }},
          {"node", "node that computed it", [](const WrongResult& row) { return row.key.node; }},
          {"reason", "how the result is wrong", &WrongResult::reason}};
}

Columns<MissingRow> missing_columns() {
  using Row = MissingRow;
  return {{"what", "case, ceiling or link", [](const Row& row) { return row.key.what; }},
          {"node", "node that should have measured it", [](const Row& row) { return row.key.node; }},
          {"last_measured", "when the last night that measured it began (UTC)",
           [](const Row& row) { return OrNull{row.last_unix_ns == 0 ? "" : utc_text(row.last_unix_ns)}; }},
          Column<Row>("status", "always missing", [](const Row&) { return "missing"; }).one_of({"missing"}),
          {"reason", "why it is missed", &Row::reason}};
}

Json smallest_detectable(const CheckReport& report) {
  Json smallest = Json::object();
  for (const auto& [row_class, part] : report.summary.smallest_detectable)
    if (std::isfinite(part)) smallest[row_class] = number(100 * part);
  return smallest;
}

Columns<CheckReport> check_members() {
  using Row = CheckReport;
  return {
      {"cluster", "cluster that the night was measured on", [](const Row& row) { return OrNull{row.cluster}; }},
      {"baseline", "baseline that the night is held against", &Row::baseline},
      {"nights", "number of nights of the baseline", &Row::nights},
      {"started_utc", "when the night began (UTC)", [](const Row& row) { return utc_text(row.started_unix_ns); }},
      {"false_alarms_a_night", "false alarms expected in a night in which nothing changed", &Row::false_alarms},
      {"probability_of_a_row", "probability of a false alarm, of each row", [](const Row& row) { return row.summary.probability_of_row; }},
      {"tail_factor", "how much wider than Student's the widest class's intervals are, by what the baseline's own nights did",
       [](const Row& row) { return row.summary.tail_factor; }},
      {"calibrated_by", "nights of the baseline that were held against those before them to know it",
       [](const Row& row) { return row.summary.calibrated_by; }},
      {"smallest_detectable_percent", "smallest slowdown that one night alone names 8 times of 10, by class",
       by_name(Json{{"type", "number"}}), smallest_detectable},
      list_column<Row>("wrong_results", "wrong results of this night", wrong_columns(), &Row::wrong),
      list_column<Row>("missing", "what the nights before measured and this one did not", missing_columns(), &Row::missing),
      {"missing_allowed", "whether what is missing is no failure", &Row::missing_allowed}};
}

}  // namespace

Json check_json_rows(const CheckReport& report) { return rows_json(check_columns(), report.rows); }

std::string check_document(const CheckReport& report) {
  return document("check", report.file, check_json_rows(report), report.notes, row_json(check_members(), report));
}

Json check_schema() {
  return document_schema("check", "A night held against the nights before it", row_schema(check_columns()), row_schema(check_members()));
}

// ---------------------------------------------------------------------------------------------------------------------- text

std::size_t count_of(const CheckReport& report, NightFinding finding) {
  return static_cast<std::size_t>(
      std::count_if(report.rows.begin(), report.rows.end(), [&](const auto& row) { return row.night.finding == finding; }));
}

std::size_t held_of(const CheckReport& report) {
  return report.rows.size() - count_of(report, NightFinding::no_baseline) - count_of(report, NightFinding::disturbed);
}

std::string counts_text(const CheckReport& report) {
  const std::size_t disturbed = count_of(report, NightFinding::disturbed);
  return fmt::format("{} slower, {} suspect, {} faster, {} as before, {}{} without a baseline, {} missing, {} wrong",
                     count_of(report, NightFinding::slower), count_of(report, NightFinding::suspect),
                     count_of(report, NightFinding::faster), count_of(report, NightFinding::ok),
                     disturbed == 0 ? "" : fmt::format("{} disturbed, ", disturbed), count_of(report, NightFinding::no_baseline),
                     report.missing.size(), report.wrong.size());
}

std::string detectable_text(const CheckReport& report) {
  constexpr double most_told = 5;  // a part: nights that scatter so much name nothing
  std::string text;
  for (const auto& [row_class, part] : report.summary.smallest_detectable)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", row_class, part < most_told ? fmt::format("{:.1f} %", 100 * part) : "none");
  return text;
}

namespace {

/// A node that is gone is one line, not one for each of its cases.
std::string missing_text(const CheckReport& report) {
  constexpr std::size_t few = 3, named = 2;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>> alike;
  for (const auto& one : report.missing) alike[{one.key.node, last_measured(one), one.reason}].push_back(one.key.what);
  std::string text;
  const auto add = [&](const std::string& what, const std::string& node, const std::string& last, const std::string& reason) {
    text += wrapped(fmt::format("MISSING  {} on {}: {}; {}", what, node, last, reason), 118, "      ").substr(6) + "\n";
  };
  for (const auto& [about, all] : alike) {
    const auto& [node, last, reason] = about;
    if (all.size() > few)
      add(fmt::format("{} cases and ceilings", all.size()), node, last,
          fmt::format("{}: {}, {} and {} more (--json names all)", reason, all[0], all[1], all.size() - named));
    else
      for (const auto& what : all) add(what, node, last, reason);
  }
  return text;
}

/// Adds notes on how surely something can be found, and from when on.
void add_power(const CheckReport& report, std::vector<std::string>& notes) {
  const auto held = held_of(report);
  if (held == 0) return;
  if (report.nights < least_nights) {
    notes.push_back(fmt::format(
        "nothing can be a finding yet: how much nights differ is not known from {}, and until there are {} the worst is SUSPECT",
        nights_text(report.nights), least_nights));
    return;
  }
  notes.push_back(fmt::format(
      "false alarms expected in a night in which nothing changed: {} ({} rows, each by one night alone with probability {:.1e})",
      plain(report.false_alarms, 2), held, report.summary.probability_of_row));
  notes.push_back("smallest slowdown named by one night alone 8 times of 10, by class: " + detectable_text(report));
  if (count_of(report, NightFinding::suspect) > 0)
    notes.emplace_back(
        "a suspect row is slower than before by more than it scatters, but not so surely that one night is a finding; several in turn are, "
        "more of them where the nights before had many (none is known to be before a fourth night)");
}

}  // namespace

std::string check_text(const CheckReport& report) {
  std::string text = fmt::format("{} ({}{}) against {}: {} night{}\n", report.file, utc_text(report.started_unix_ns),
                                 report.cluster.empty() ? "" : ", cluster " + printable(report.cluster), report.baseline, report.nights,
                                 report.nights == 1 ? "" : "s");
  for (const auto& one : report.wrong)
    text += wrapped(fmt::format("WRONG RESULT  {} on {}: {}", one.key.what, one.key.node, printable(one.reason)), 118, "      ").substr(6) +
            "\n";
  text += missing_text(report);
  for (const NightFinding finding : {NightFinding::slower, NightFinding::suspect, NightFinding::faster, NightFinding::disturbed})
    for (const auto& row : report.rows)
      if (row.night.finding == finding && (finding != NightFinding::disturbed || row_kind_of(row.row_class) == RowKind::node))
        text += wrapped(fmt::format("{}  {} on {}: {}", to_string(finding), row.key.what, row.key.node, evidence(row)), 118, "      ")
                    .substr(6) +
                "\n";
  text += counts_text(report) + "\n";
  std::vector<std::string> notes;
  add_power(report, notes);
  if (const std::size_t disturbed = count_of(report, NightFinding::disturbed); disturbed > 0)
    notes.push_back(
        fmt::format("something else ran beside every sample of {} rows, or their clock was held down for a while: what this night says of "
                    "them is no finding (--json names them)",
                    disturbed));
  if (!report.missing.empty() && !report.missing_allowed)
    notes.emplace_back(
        "what is missing is a failed check (exit 1), every night until 'plumbline baseline accept FILE --node NODE --case CASE --reason "
        "...' says that it is gone on purpose; --allow-missing for this check only");
  if (count_of(report, NightFinding::faster) > 0)
    notes.emplace_back("what became faster stays a finding until 'plumbline baseline accept FILE --reason ...' makes it the new level");
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  return text + note_lines(notes);
}

}  // namespace plumbline::app
