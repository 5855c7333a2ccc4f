#include "app/nights/history_report.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "app/results/result_file.hpp"
#include "app/terminal/columns.hpp"
#include "core/error.hpp"
#include "core/fnv.hpp"

namespace plumbline::app {
namespace {

Sessions costs_between(const std::vector<double>& costs, std::size_t begin, std::size_t end) {
  Sessions session(1);
  for (std::size_t i = begin; i < end; ++i) session.front().push_back(std::exp(costs[i] - costs.front()));
  return session;
}

/// Smaller changes than matter are left out: a history of years has them.
void measure_changes(Charted& charted, const std::vector<ChangePoint>& found) {
  std::vector<std::size_t> borders{0};
  for (const auto& point : found) borders.push_back(point.first);
  borders.push_back(charted.costs.size());
  const double threshold = practical_threshold(charted.of->row_class);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto ratio = ratio_of_medians(costs_between(charted.costs, borders[i], borders[i + 1]),
                                        costs_between(charted.costs, borders[i + 1], borders[i + 2]), 0.95, fnv1a(charted.of->key.what));
    if (part_of(ratio.ratio) >= threshold)
      charted.changes.push_back({charted.points[found[i].first], charted.points[found[i].first - 1], found[i], ratio});
  }
}

Charted charted(const Series& series, double probability) {
  Charted all{.of = &series, .points = series.told_points()};
  for (const auto point : all.points) all.costs.push_back(log_cost(series.points[point].value.median, series.unit));
  measure_changes(all, change_points(all.costs, {.probability = probability}));
  for (auto& change : all.changes) change.accepted = change.first <= series.first_accepted;
  const auto accepted =
      static_cast<std::size_t>(std::lower_bound(all.points.begin(), all.points.end(), series.first_accepted) - all.points.begin());
  all.level_begins = std::max(all.changes.empty() ? 0 : all.changes.back().found.first, std::min(accepted, all.costs.size() - 1));
  all.chart = control_chart(std::span(all.costs).subspan(all.level_begins));
  return all;
}

bool is_wanted(const std::string& glob, const std::string& text) { return glob.empty() || fnmatch(glob.c_str(), text.c_str(), 0) == 0; }

struct Wanted {
  const ClusterNights* of;
  const Series* series;
};

std::vector<Wanted> wanted_series(const HistoryReport& report, const HistoryWish& wish) {
  std::vector<Wanted> wanted;
  bool any = false;
  for (const auto& [name, cluster] : report.clusters) {
    const auto first = static_cast<std::ptrdiff_t>(wanted.size());
    any = any || !cluster.series.empty();
    for (const auto& [key, one] : cluster.series)
      if (is_wanted(wish.what, key.what) && is_wanted(wish.node, key.node) && is_wanted(wish.cluster, name))
        wanted.push_back({&cluster, &one});
    std::stable_sort(wanted.begin() + first, wanted.end(),
                     [](const Wanted& a, const Wanted& b) { return a.series->key.node < b.series->key.node; });
  }
  if (wanted.empty() && any) {
    std::string given;
    for (const auto& [option, glob] :
         {std::pair("--case", wish.what), std::pair("--node", wish.node), std::pair("--cluster", wish.cluster)})
      if (!glob.empty()) given += fmt::format("{}{} '{}'", given.empty() ? "" : " with ", option, glob);
    throw user_error(fmt::format("nothing in {} matches {}; without it all that there is is told", report.folder, given));
  }
  return wanted;
}

void add_notes(HistoryReport& report, const HistoryWish& wish) {
  if (!report.charted.empty())
    report.notes.push_back(fmt::format(
        "{} nights. time grows upwards: +10 % takes a tenth longer, also of a rate. state: the last night beyond the level's median -+ {} "
        "scatters (Shewhart), or a moving average that creeps away (EWMA); left off: the campaign's last night misses it. Changes of a "
        "level: by ranks, {} false ones expected in all "
        "where nights differ by chance alone; {} nights at least on either side, and what matters in practice only",
        report.nights, plain(shewhart_scatters, 1), plain(wish.false_changes, 2), ChangeOptions().least_nights));
  if (report.charted.empty() && report.nights > 0)
    report.notes.push_back(fmt::format("{} result files, but no case, ceiling or link between nodes in them", report.nights));
}

// ---------------------------------------------------------------------------------------------------------------------- JSON

/// A change of a level, with the series that it is of.
struct ToldChange {
  const Charted* charted;
  const LevelChange* change;
  const Night& first() const { return *charted->of->points[change->first].night; }
  const Night& last_before() const { return *charted->of->points[change->last_before].night; }
};

Columns<ToldChange> change_columns() {
  using Row = ToldChange;
  return {{"first_file", "result file of the first night of the new level", [](const Row& row) { return row.first().file; }},
          {"first_started_utc", "when the first night of the new level began (UTC)",
           [](const Row& row) { return utc_text(row.first().started_unix_ns); }},
          {"last_file_before", "result file of the last night of the level before", [](const Row& row) { return row.last_before().file; }},
          {"last_started_before_utc", "when the last night of the level before began (UTC)",
           [](const Row& row) { return utc_text(row.last_before().started_unix_ns); }},
          {"slowdown", "how many times as long it takes since the change", [](const Row& row) { return row.change->slowdown.ratio; }},
          {"slowdown_lo", "lower end of the 95 % interval of slowdown", [](const Row& row) { return row.change->slowdown.interval.lo; }},
          {"slowdown_hi", "upper end of the 95 % interval of slowdown", [](const Row& row) { return row.change->slowdown.interval.hi; }},
          {"nights_before", "number of nights of the level before", [](const Row& row) { return row.change->slowdown.before; }},
          {"nights_after", "number of nights of the new level", [](const Row& row) { return row.change->slowdown.after; }},
          {"probability", "probability of such a change by chance alone", [](const Row& row) { return row.change->found.probability; }},
          {"accepted", "whether somebody accepted the new level as right", [](const Row& row) { return row.change->accepted; }}};
}

Columns<AcceptedLevel> accepted_columns() {
  using Row = AcceptedLevel;
  return {{"from_utc", "when the first night of the level began (UTC)", [](const Row& row) { return utc_text(row.from_unix_ns); }},
          {"from_file", "result file of the night that was accepted", &Row::from_file},
          {"by", "who accepted the level", &Row::who},
          {"on", "host on which it was accepted", &Row::host},
          {"accepted_utc", "when it was accepted (UTC)", [](const Row& row) { return utc_text(row.accepted_unix_ns); }},
          {"reason", "why the level is right", &Row::reason}};
}

Columns<MissingRow> left_off_columns() {
  return {{"last_started_utc", "when the last night that measured it began (UTC)",
           [](const MissingRow& row) { return utc_text(row.last_unix_ns); }},
          {"reason", "why it is missed", &MissingRow::reason}};
}

/// A night of a series, with the series' unit as keys have it.
struct ToldPoint {
  const SeriesPoint* point;
  std::string unit;
};

Columns<ToldPoint> point_columns() {
  using Row = ToldPoint;
  const auto unit = [](const Row& row) { return row.unit; };
  Columns<Row> columns{
      {"file", "result file of the night", [](const Row& row) { return row.point->night->file; }},
      {"started_unix_ns", "when the night began, since 1970 (UTC)", [](const Row& row) { return row.point->night->started_unix_ns; }},
      Column<Row>("{}", "median of the night, under a key that is its unit", [](const Row& row) { return row.point->value.median; })
          .in_unit(unit),
      Column<Row>("{}_lo", "lower end of the interval of the median", [](const Row& row) { return row.point->value.lo; }).in_unit(unit),
      Column<Row>("{}_hi", "upper end of the interval of the median", [](const Row& row) { return row.point->value.hi; }).in_unit(unit),
      {"clock_hz", "median of the clock observed beside it", [](const Row& row) { return row.point->value.clock_hz; }},
      {"disturbed", "whether every sample was disturbed, so that the night is no measure",
       [](const Row& row) { return row.point->value.disturbed; }}};
  using Why = std::pair<Status, std::string>;
  add_explained<Row>(
      columns, "{}", "the interval of the median",
      [](const Row&) {
        return Why{Status::unavailable, "one sample has no interval"};
      },
      [](const Row& row) { return !std::isfinite(row.point->value.lo); });
  for (auto column = columns.end() - 2; column != columns.end(); ++column) column->unit = text_of<Row>(unit);
  add_explained<Row>(
      columns, "clock", "clock_hz",
      [](const Row&) {
        return Why{Status::unavailable, "the clock was not observed beside the samples"};
      },
      [](const Row& row) { return !std::isfinite(row.point->value.clock_hz); });
  return columns;
}

std::vector<ToldPoint> points_of(const Charted& charted) {
  std::vector<ToldPoint> points;
  for (const auto& point : charted.of->points) points.push_back({&point, unit_suffix(charted.of->unit)});
  return points;
}

std::vector<ToldChange> changes_of(const Charted& charted) {
  std::vector<ToldChange> changes;
  for (const auto& change : charted.changes) changes.push_back({&charted, &change});
  return changes;
}

bool has_limits(const Charted& charted) { return charted.level_nights() >= least_for_limits; }

/// A number of the control chart, which a level of few nights does not have.
template <class Get>
auto of_limits(Get get) {
  return [get](const Charted& charted) { return has_limits(charted) ? get(charted) : absent; };
}

/// The limits of the chart are of costs, whose order is the other way round for rates.
std::pair<double, double> limits_of(const Charted& charted) {
  const double a = value_of(charted.chart.lower, charted.of->unit), b = value_of(charted.chart.upper, charted.of->unit);
  return std::minmax(a, b);
}

double last_value(const Charted& charted) { return charted.of->points.back().value.median; }

std::string off_text(const Charted& charted) {
  return app::change_text(std::exp(log_cost(last_value(charted), charted.of->unit) - charted.chart.center));
}

double level_of(const Charted& charted) { return value_of(charted.chart.center, charted.of->unit); }

std::string value_text(const Charted& charted, double value) { return with_unit(value, charted.of->unit); }

std::string scatter_text(const Charted& charted) { return percent_or_dash(has_limits(charted) ? charted.chart.scatter : absent); }

std::string place_line(const Charted& charted) {
  const Series& series = *charted.of;
  return "on " + series.key.node + (series.cluster.empty() ? "" : " of " + printable(series.cluster));
}

Status limits_status(const Charted& charted) { return has_limits(charted) ? Status::ok : Status::unavailable; }

Columns<Charted> charted_columns() {
  using Row = Charted;
  const auto unit = [](const Row& row) { return unit_suffix(row.of->unit); };
  return {Column<Row>("what", "case, ceiling or link", [](const Row& row) { return row.of->key.what; })
              .in_row("case or ceiling", Align::left)
              .at_most(56),
          Column<Row>("node", "node that measured it", [](const Row& row) { return row.of->key.node; }).above("node", place_line),
          {"class", "kind of case, ceiling or link", [](const Row& row) { return row.of->row_class; }},
          {"unit", "unit of its values", [](const Row& row) { return row.of->unit; }},
          {"cluster", "cluster that the nights were measured on", [](const Row& row) { return OrNull{row.of->cluster}; }},
          Column<Row>("nights", "number of nights that measured it", [](const Row& row) { return row.of->points.size(); }).in_row("nights"),
          {"disturbed_nights", "number of nights of which every sample was disturbed", &Row::disturbed},
          {"level_nights", "number of nights of the present level", &Row::level_nights},
          Column<Row>("level_{}", "the present level: the middle of its nights", level_of)
              .in_unit(unit)
              .in_row("level", Align::right, [](const Row& row) { return value_text(row, level_of(row)); }),
          Column<Row>("scatter_percent", "how much nights of the level scatter",
                      of_limits([](const Row& row) { return 100 * row.chart.scatter; }))
              .in_row("scatter", Align::right, scatter_text),
          Column<Row>("limit_lo_{}", "lower control limit", of_limits([](const Row& row) { return limits_of(row).first; })).in_unit(unit),
          Column<Row>("limit_hi_{}", "upper control limit", of_limits([](const Row& row) { return limits_of(row).second; })).in_unit(unit),
          Column<Row>("last_{}", "median of the last night", last_value)
              .in_unit(unit)
              .in_row("last", Align::right, [](const Row& row) { return value_text(row, last_value(row)); }),
          Column<Row>(Heading{"off"}, off_text),
          Column<Row>("state", "steady, or what the last nights do", &Row::state).in_row("state", Align::left),
          object_column<Row>("left_off", "where the campaign's last night misses it", left_off_columns(),
                             [](const Row& row) { return row.left_off ? &*row.left_off : nullptr; }),
          {"outside", "number of nights beyond the control limits", [](const Row& row) { return row.chart.outside.size(); }},
          {"ewma_percent", "how far the moving average lies off the level", of_limits([](const Row& row) { return 100 * row.chart.ewma; })},
          {"ewma_limit_percent", "how far that average may lie off", of_limits([](const Row& row) { return 100 * row.chart.ewma_limit; })},
          object_column<Row>("accepted", "the level that somebody accepted", accepted_columns(),
                             [](const Row& row) { return row.of->accepted; }),
          list_column<Row>("changes", "changes of the level", change_columns(), changes_of),
          list_column<Row>("points", "each night that measured it", point_columns(), points_of),
          {"status", "ok, or unavailable: it has no control limits", limits_status},
          {"reason", "why it has no control limits", [](const Row& row) {
             return OrNull{has_limits(row) ? "" : fmt::format("fewer than {} nights of one level have no limits", least_for_limits)};
           }}};
}

Columns<HistoryReport> history_members() { return {{"nights", "number of result files in the folder", &HistoryReport::nights}}; }

// ---------------------------------------------------------------------------------------------------------------------- text

std::string change_text(const Charted& charted, const LevelChange& change) {
  const auto& points = charted.of->points;
  const std::string interval =
      std::isfinite(change.slowdown.interval.lo)
          ? fmt::format(" ({} to {})", app::change_text(change.slowdown.interval.lo), app::change_text(change.slowdown.interval.hi))
          : "";
  return fmt::format("{}{} from {} on ({}), {} nights before and {} after{}", app::change_text(change.slowdown.ratio), interval,
                     utc_text(points[change.first].night->started_unix_ns), points[change.first].night->file, change.slowdown.before,
                     change.slowdown.after, change.accepted ? ", accepted: " + printable(charted.of->accepted->reason) : "");
}

std::vector<std::string> remarks(const Charted& one) {
  std::vector<std::string> lines;
  const Series& series = *one.of;
  for (const auto& change : one.changes) lines.push_back(wrapped(change_text(one, change), 118, "      "));
  if (one.disturbed() > 0)
    lines.push_back(fmt::format("{} disturbed: {}", one.disturbed() == 1 ? "1 night was" : fmt::format("{} nights were", one.disturbed()),
                                one.points.size() == series.points.size() ? "no other is known, so they are what there is"
                                                                          : "no part of the level, its limits and its changes"));
  if (one.left_off)
    lines.push_back(wrapped(fmt::format("last measured {} ({}); the campaign's last night misses it: {}",
                                        utc_text(one.left_off->last_unix_ns), series.points.back().night->file, one.left_off->reason),
                            118, "      "));
  return lines;
}

}  // namespace

std::size_t Charted::disturbed() const {
  return static_cast<std::size_t>(
      std::count_if(of->points.begin(), of->points.end(), [](const auto& point) { return point.value.disturbed; }));
}

bool Charted::last_is_outside() const { return !chart.outside.empty() && level_begins + chart.outside.back() + 1 == costs.size(); }

SeriesState Charted::state() const {
  using enum SeriesState;
  if (this->left_off) return SeriesState::left_off;
  if (level_nights() < least_for_limits) return few_nights;
  if (points.back() + 1 < of->points.size()) return disturbed_last_night;
  if (last_is_outside()) return costs.back() > chart.center ? slow_last_night : fast_last_night;
  return chart.creeps() ? chart.ewma > 0 ? creeps_up : creeps_down : steady;
}

std::string to_string(SeriesState state) {
  std::string words(enumerator_name(state));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

HistoryReport report_history(const std::string& folder, const HistoryWish& wish) {
  History history = load_history(folder);
  HistoryReport report{.folder = folder, .nights = history.nights.size(), .notes = history.notes};
  const auto levels = read_accepted_levels(folder, report.notes);
  for (auto& [name, nights] : by_cluster(std::move(history.nights))) {
    ClusterNights& cluster = report.clusters[name];
    cluster.nights = std::move(nights);
    cluster.levels = levels_of_cluster(levels, name);
    cluster.series = series_of(cluster.nights, cluster.levels);
  }
  const auto wanted = wanted_series(report, wish);
  const double probability = wish.false_changes / static_cast<double>(std::max<std::size_t>(1, wanted.size()));
  std::map<const ClusterNights*, std::map<SeriesKey, MissingRow>> off;
  for (const auto& [name, cluster] : report.clusters) off[&cluster] = left_off(cluster.nights, cluster.series);
  for (const auto& [cluster, series] : wanted) {
    report.charted.push_back(charted(*series, probability));
    if (const auto found = off[cluster].find(series->key); found != off[cluster].end()) report.charted.back().left_off = found->second;
  }
  add_notes(report, wish);
  return report;
}

Json history_json_rows(const HistoryReport& report) { return rows_json(charted_columns(), report.charted); }

std::string history_document(const HistoryReport& report) {
  return document("history", report.folder, history_json_rows(report), report.notes, row_json(history_members(), report));
}

Json history_schema() {
  return document_schema("history", "Each case and ceiling of each node through the nights of a folder", row_schema(charted_columns()),
                         row_schema(history_members()));
}

std::string history_text(const HistoryReport& report) {
  return (report.nights == 0 ? "no result files yet\n" : aligned<Charted>(charted_columns(), report.charted, remarks)) +
         note_lines(report.notes);
}

std::string history_markdown(const HistoryReport& report) {
  return markdown(charted_columns(), report.charted) + markdown_notes(report.notes);
}

}  // namespace plumbline::app
