#include "app/results/projection_table.hpp"

#include <fmt/format.h>

#include <cmath>

namespace plumbline::app {
namespace {

std::string kind_of(const ApplicationGroup& group) {
  if (group.waits) return "waiting";
  return group.scope == "node" ? "threaded" : group.scope == "numa" ? "serial" : group.scope == "gpu" ? "GPU" : "single core";
}

std::string time_text(double seconds) { return seconds >= 1 ? fmt::format("{:.1f} s", seconds) : duration(seconds); }

std::string unit_suffix_of(const ProjectedGroup& p) { return p.from.unit == "GB/s" ? "gbs" : "gflops"; }

Columns<ProjectedGroup> projected_group_columns() {
  using Row = ProjectedGroup;
  return {Column<Row>("group", "part of the program", [](const Row& row) { return row.group.name; }).in_row("group", Align::left),
          Column<Row>("kind", "who does the part", [](const Row& row) { return kind_of(row.group); })
              .one_of({"threaded", "serial", "GPU", "single core", "waiting"})
              .in_row("kind", Align::left),
          Column<Row>("bound", "name of the ceiling that bounds it", [](const Row& row) { return row.group.bound; })
              .in_row("bound by", Align::left,
                      [](const Row& row) {
                        return row.group.waits ? row.group.bound : fmt::format("{} ({})", row.group.bound, row.group.scope);
                      }),
          {"scope", "who shares that ceiling: node, numa, core or gpu", [](const Row& row) { return row.group.scope; }},
          {"seconds", "time of the part here", [](const Row& row) { return row.group.seconds; }},
          {"projected_seconds", "time of the part there, by the method of its row", &Row::seconds},
          Column<Row>("from_value", "the ceiling here", [](const Row& row) { return row.from.value; })
              .in_row("here", Align::right, [](const Row& row) { return plain(row.from.value, 4); }),
          Column<Row>("to_value", "the ceiling there", [](const Row& row) { return row.to.value; })
              .in_row("there", Align::right, [](const Row& row) { return plain(row.to.value, 4); }),
          Column<Row>("unit", "unit of both", [](const Row& row) { return row.from.unit; }).in_row("unit", Align::left),
          Column<Row>(Heading{"before"}, [](const Row& row) { return time_text(row.group.seconds); }),
          Column<Row>(Heading{"projected"}, [](const Row& row) { return time_text(row.seconds); }),
          {"from_method", "how the ceiling here was found", [](const Row& row) { return row.from.method; }},
          {"to_method", "how the ceiling there was found", [](const Row& row) { return row.to.method; }},
          {"bytes_by",
           "how its bytes there are known: none, counted (as many as here), rule (its working set moved), reuse (placed anew from its "
           "reuse distances)",
           [](const Row& row) { return row.there.by; }},
          {"target_bytes", "bytes there across each level's boundary towards the core", [](const Row& row) { return row.there.bytes; }},
          {"moved", "caches behind which it has other traffic there than here", [](const Row& row) { return row.there.moved; }},
          {"conflicts", "caches there whose sets may decide, and not their size, so that more crosses behind them",
           [](const Row& row) { return row.there.conflicts; }},
          Column<Row>("from_{}", "the ceiling here", [](const Row& row) { return row.from.value; }).in_unit(unit_suffix_of),
          Column<Row>("to_{}", "the ceiling there", [](const Row& row) { return row.to.value; }).in_unit(unit_suffix_of)};
}

std::pair<Status, std::string> measured_there(const ToldProjection& p) {
  const bool known = std::isfinite(p.plain.measured_seconds);
  return {known ? Status::ok : Status::unavailable, known ? "" : "the target's spec has no measured_seconds"};
}

std::pair<Status, std::string> interval_of(const ToldProjection& p) {
  return {std::isfinite(p.told.lo) ? Status::ok : Status::unavailable, std::isfinite(p.told.lo) ? "" : p.told.reason};
}

/// The cells of the groups, of the rest that they do not cover, and of the whole.
std::vector<std::vector<std::string>> lines_of(const Projection& p) {
  std::vector<std::vector<std::string>> lines;
  double covered = 0, covered_after = 0;
  for (const auto& group : p.groups) {
    lines.push_back(cells(projected_group_columns(), group));
    covered += group.group.seconds;
    covered_after += group.seconds;
  }
  if (p.seconds_before > covered || p.seconds > covered_after)
    lines.push_back({"the rest", std::string(to_string(p.rest)), "", "", "", "", time_text(p.seconds_before - covered),
                     time_text(p.seconds - covered_after)});
  lines.push_back({"overall", "", "", "", "", "", time_text(p.seconds_before), time_text(p.seconds)});
  return lines;
}

bool is_by_name(const std::vector<ToldProjection>& told) { return told.size() > 1 || told.front().told.method != Method::bandwidth; }

/// The table is always that of the equations, whose groups have a ceiling each.
std::string title_of(const TargetProjections& target) {
  return fmt::format("{} -> {}{}\n\n", target.plain.source, target.plain.target,
                     is_by_name(target.told) ? " (the table is by bandwidth; what each method says of the whole stands below)" : "");
}

std::string interval_text(const ProgramProjection& told) {
  if (!std::isfinite(told.lo)) return told.reason.empty() ? "" : fmt::format("; no interval: {}", told.reason);
  return fmt::format("; 90 % interval {} to {}, from {} pairs ({})", time_text(told.lo), time_text(told.hi), told.pairs, told.learned_from);
}

/// Says of one method what comes out, after the table.
std::string result_of(const ToldProjection& p, bool by_name) {
  const std::string name = by_name ? fmt::format("{}: ", to_string(p.told.method)) : "";
  if (!std::isfinite(p.told.seconds)) return fmt::format("\n{}not told: {}\n", name, p.told.reason);
  std::string text = fmt::format("\n{}{}speed-up {}", name, by_name ? time_text(p.told.seconds) + ", " : "", plain(p.speedup(), 3));
  if (std::isfinite(p.plain.measured_seconds))
    text +=
        fmt::format("; measured there: {}, so the projection errs by {:+.1f} %", time_text(p.plain.measured_seconds), p.error_percent());
  return text + interval_text(p.told) + "\n";
}

std::string results_of(const std::vector<ToldProjection>& told) {
  std::string text;
  for (const auto& one : told) text += result_of(one, is_by_name(told));
  return text;
}

}  // namespace

Columns<ToldProjection> projection_columns() {
  using Row = ToldProjection;
  const auto is_told = [](const Row& row) { return std::isfinite(row.told.seconds); };
  Columns<Row> columns{
      {"from", "node that it was measured on", [](const Row& row) { return row.plain.source; }},
      {"to", "node that it is projected to", [](const Row& row) { return row.plain.target; }},
      {"method", "how it was projected", [](const Row& row) { return row.told.method; }},
      {"rest", "what becomes of time that no group covers", [](const Row& row) { return row.plain.rest; }},
      {"covered_fraction", "part of the time that groups cover", [](const Row& row) { return row.plain.covered_fraction; }},
      {"seconds", "time of the program here", [](const Row& row) { return row.plain.seconds_before; }},
      {"projected_seconds", "time of the program there", [](const Row& row) { return row.told.seconds; }},
      {"projected_lo", "lower end of its 90 % interval, seconds", [](const Row& row) { return row.told.lo; }},
      {"projected_hi", "upper end", [](const Row& row) { return row.told.hi; }},
      {"learned_from", "class of the record that the interval is of", [](const Row& row) { return row.told.learned_from; }},
      {"learned_pairs", "how many pairs are in it", [](const Row& row) { return row.told.pairs; }},
      {"flips", "parts that another ceiling bounds there", [](const Row& row) { return row.told.flips; }},
      {"speedup", "how many times as fast it is there", &Row::speedup},
      {"measured_seconds", "time of the program there as it was measured", [](const Row& row) { return row.plain.measured_seconds; }},
      {"error_percent", "how far the projection lies off that", &Row::error_percent},
      Column<Row>("status", "ok, or unavailable", [is_told](const Row& row) { return is_told(row) ? "ok" : "unavailable"; })
          .one_of({"ok", "unavailable"}),
      {"reason", "why this method cannot be asked", [is_told](const Row& row) { return OrNull{is_told(row) ? "" : row.told.reason}; }},
      list_column<Row>("groups", "parts of the program, with the ceilings of equations (5) and (6)", projected_group_columns(),
                       [](const Row& row) { return row.plain.groups; })};
  add_explained(columns, "measured", "measured_seconds", measured_there);
  add_explained(columns, "interval", "the interval", interval_of);
  return columns;
}

Json flat_rows(const std::vector<ToldProjection>& projections) {
  Json rows = Json::array();
  for (const auto& p : projections) {
    for (const auto& group : p.plain.groups) {
      Json row{{"from", p.plain.source}, {"to", p.plain.target}, {"method", to_string(p.told.method)}};
      row.update(row_json(projected_group_columns(), group));
      rows.push_back(row);
    }
    Json whole = row_json(projection_columns(), p);
    whole.erase("groups");
    whole["group"] = "overall";
    rows.push_back(whole);
  }
  return rows;
}

std::string projection_text(const TargetProjections& target) {
  Table table(headings(projected_group_columns()));
  for (auto& line : lines_of(target.plain)) table.add(std::move(line));
  return title_of(target) + table.text() + results_of(target.told);
}

std::string projection_markdown(const TargetProjections& target) {
  return title_of(target) + markdown(headings(projected_group_columns()), lines_of(target.plain)) + results_of(target.told);
}

std::string rest_in_words(const Projection& p) {
  if (p.rest == Rest::constant) return "the rest, not covered by groups, is held constant";
  return fmt::format("the rest scales as the groups do: their sum is divided by the covered fraction, {}", plain(p.covered_fraction, 4));
}

}  // namespace plumbline::app
