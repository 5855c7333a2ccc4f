#include "app/nights/history_report.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "app/results/result_file.hpp"
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
  if (wanted.empty() && any)
    throw user_error(fmt::format("nothing in {} matches --case '{}' on --node '{}'{}", report.folder, wish.what, wish.node,
                                 wish.cluster.empty() ? "" : fmt::format(" of --cluster '{}'", wish.cluster)));
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

Json change_json(const Charted& charted, const LevelChange& change) {
  const auto& points = charted.of->points;
  return {{"first_file", points[change.first].night->file},
          {"first_started_utc", utc_text(points[change.first].night->started_unix_ns)},
          {"last_file_before", points[change.last_before].night->file},
          {"last_started_before_utc", utc_text(points[change.last_before].night->started_unix_ns)},
          {"slowdown", number(change.slowdown.ratio)},
          {"slowdown_lo", number(change.slowdown.interval.lo)},
          {"slowdown_hi", number(change.slowdown.interval.hi)},
          {"nights_before", change.slowdown.before},
          {"nights_after", change.slowdown.after},
          {"probability", change.found.probability},
          {"accepted", change.accepted}};
}

Json accepted_json(const AcceptedLevel* level) {
  if (level == nullptr) return Json();
  return {{"from_utc", utc_text(level->from_unix_ns)},         {"from_file", level->from_file}, {"by", level->who}, {"on", level->host},
          {"accepted_utc", utc_text(level->accepted_unix_ns)}, {"reason", level->reason}};
}

Json left_off_json(const std::optional<MissingRow>& row) {
  if (!row) return Json();
  return {{"last_started_utc", utc_text(row->last_unix_ns)}, {"reason", row->reason}};
}

Json point_json(const SeriesPoint& point, const std::string& unit) {
  Json json{{"file", point.night->file},
            {"started_unix_ns", point.night->started_unix_ns},
            {unit, number(point.value.median)},
            {unit + "_lo", number(point.value.lo)},
            {unit + "_hi", number(point.value.hi)},
            {"clock_hz", number(point.value.clock_hz)},
            {"disturbed", point.value.disturbed}};
  if (!std::isfinite(point.value.lo)) explain(json, unit, Status::unavailable, "one sample has no interval");
  if (!std::isfinite(point.value.clock_hz)) explain(json, "clock", Status::unavailable, "the clock was not observed beside the samples");
  return json;
}

Json row_of(const Charted& charted) {
  const Series& series = *charted.of;
  const std::string unit = unit_suffix(series.unit);
  Json changes = Json::array(), points = Json::array();
  for (const auto& change : charted.changes) changes.push_back(change_json(charted, change));
  for (const auto& point : series.points) points.push_back(point_json(point, unit));
  const bool limits = charted.costs.size() - charted.level_begins >= least_for_limits;
  const double a = value_of(charted.chart.lower, series.unit), b = value_of(charted.chart.upper, series.unit);
  return {{"what", series.key.what},
          {"node", series.key.node},
          {"class", series.row_class},
          {"unit", series.unit},
          {"cluster", text_or_null(series.cluster)},
          {"nights", series.points.size()},
          {"disturbed_nights", charted.disturbed()},
          {"level_nights", charted.costs.size() - charted.level_begins},
          {"level_" + unit, number(value_of(charted.chart.center, series.unit))},
          {"scatter_percent", limits ? number(100 * charted.chart.scatter) : Json()},
          {"limit_lo_" + unit, limits ? number(std::min(a, b)) : Json()},
          {"limit_hi_" + unit, limits ? number(std::max(a, b)) : Json()},
          {"last_" + unit, number(series.points.back().value.median)},
          {"state", charted.state()},
          {"left_off", left_off_json(charted.left_off)},
          {"outside", charted.chart.outside.size()},
          {"ewma_percent", limits ? number(100 * charted.chart.ewma) : Json()},
          {"ewma_limit_percent", limits ? number(100 * charted.chart.ewma_limit) : Json()},
          {"accepted", accepted_json(series.accepted)},
          {"changes", changes},
          {"points", points},
          {"status", limits ? "ok" : "unavailable"},
          {"reason", limits ? Json() : Json(fmt::format("fewer than {} nights of one level have no limits", least_for_limits))}};
}

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

std::string as_text(const std::vector<Charted>& all) {
  Table table({{"case or ceiling", Align::left}, {"nights"}, {"level"}, {"scatter"}, {"last"}, {"off"}, {"state", Align::left}});
  std::string place;
  constexpr std::size_t longest_name = 56;
  for (const auto& one : all) {
    const Series& series = *one.of;
    const std::string here = "on " + series.key.node + (series.cluster.empty() ? "" : " of " + printable(series.cluster));
    if (here != place) table.add_line(here);
    place = here;
    std::string name = series.key.what;
    if (name.size() > longest_name) {
      table.add_line(name);
      name.clear();
    }
    const bool limits = one.costs.size() - one.level_begins >= least_for_limits;
    table.add({name, std::to_string(series.points.size()), with_unit(value_of(one.chart.center, series.unit), series.unit),
               limits ? fmt::format("{:.1f} %", 100 * one.chart.scatter) : "-", with_unit(series.points.back().value.median, series.unit),
               app::change_text(std::exp(log_cost(series.points.back().value.median, series.unit) - one.chart.center)), one.state()});
    for (const auto& change : one.changes) table.add_line(wrapped(change_text(one, change), 118, "      "));
    if (one.disturbed() > 0)
      table.add_line(fmt::format("{} disturbed: {}", one.disturbed() == 1 ? "1 night was" : fmt::format("{} nights were", one.disturbed()),
                                 one.points.size() == series.points.size() ? "no other is known, so they are what there is"
                                                                           : "no part of the level, its limits and its changes"));
    if (one.left_off)
      table.add_line(wrapped(fmt::format("last measured {} ({}); the campaign's last night misses it: {}",
                                         utc_text(one.left_off->last_unix_ns), series.points.back().night->file, one.left_off->reason),
                             118, "      "));
  }
  return table.text();
}

}  // namespace

std::size_t Charted::disturbed() const {
  return static_cast<std::size_t>(
      std::count_if(of->points.begin(), of->points.end(), [](const auto& point) { return point.value.disturbed; }));
}

bool Charted::last_is_outside() const { return !chart.outside.empty() && level_begins + chart.outside.back() + 1 == costs.size(); }

std::string Charted::state() const {
  if (left_off) return "left off";
  if (costs.size() - level_begins < least_for_limits) return "few nights";
  if (points.back() + 1 < of->points.size()) return "disturbed last night";
  if (last_is_outside()) return costs.back() > chart.center ? "slow last night" : "fast last night";
  return chart.creeps() ? chart.ewma > 0 ? "creeps up" : "creeps down" : "steady";
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

Json history_json_rows(const HistoryReport& report) {
  Json rows = Json::array();
  for (const auto& one : report.charted) rows.push_back(row_of(one));
  return rows;
}

std::string history_document(const HistoryReport& report) {
  return document("history", report.folder, history_json_rows(report), report.notes, {{"nights", report.nights}});
}

std::string history_text(const HistoryReport& report) {
  return (report.nights == 0 ? "no result files yet\n" : report.charted.empty() ? "" : as_text(report.charted)) + note_lines(report.notes);
}

}  // namespace plumbline::app
