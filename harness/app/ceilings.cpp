// plumbline ceilings FILE: what this machine can do, fitted from the samples of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "app/command.hpp"
#include "app/result_file.hpp"

namespace plumbline::app {
namespace {

/// The same numbers under names that carry the unit.
void add_in_units(Json& row, const Ceiling& ceiling) {
  const std::string unit = ceiling.unit == "GFLOP/s" ? "gflops" : ceiling.unit == "GB/s" ? "gbs" : ceiling.unit;
  for (const char* key : {"value", "min", "median", "max"}) row[std::string(key) + "_" + unit] = row[key];
}

/// Why a number of a ceiling that is there has no place: what it does not have, or what was not measured often enough.
void explain_absent(Json& row, const Ceiling& ceiling) {
  const auto unless = [&](const char* stem, double value, const std::string& reason) {
    const bool there = std::isfinite(value);
    const bool ok = ceiling.status == Status::ok;
    explain(row, stem, there ? Status::ok : ok ? Status::unavailable : ceiling.status, there ? "" : ok ? reason : ceiling.reason);
  };
  const std::string no_memory = "a rate of arithmetic, not of a level of memory";
  const bool memory = ceiling.unit == "GB/s";
  unless("cv", ceiling.cv, "one sample has no spread");
  unless("size", ceiling.size_bytes, memory ? "measured without a working set" : no_memory);
  unless("traffic", ceiling.traffic_gbs, memory ? "the pattern's fills and write-backs are not known" : no_memory);
}

Json row_of(const Ceiling& ceiling) {
  Json row{{"name", ceiling.name},
           {"precision", ceiling.precision},
           {"level", ceiling.level},
           {"pattern", ceiling.pattern},
           {"ranks", ceiling.ranks},
           {"threads", ceiling.threads},
           {"node", ceiling.node},
           {"value", number(ceiling.value)},
           {"unit", ceiling.unit},
           {"min", number(ceiling.min)},
           {"median", number(ceiling.median)},
           {"max", number(ceiling.max)},
           {"n", ceiling.n},
           {"cv", number(ceiling.cv)},
           {"method", ceiling.method},
           {"status", std::string(to_string(ceiling.status))},
           {"reason", text_or_null(ceiling.reason)},
           {"size_bytes", number(ceiling.size_bytes)},
           {"traffic_gbs", number(ceiling.traffic_gbs)}};
  add_in_units(row, ceiling);
  explain_absent(row, ceiling);
  return row;
}

std::string percent(double part) { return std::isfinite(part) ? fmt::format("{:.1f} %", 100 * part) : "-"; }

/// What a ceiling is shown among: rates of arithmetic, of memory, or points of ERT's sweep over FLOPs an element.
enum class Among { compute, memory, points };

Among among(const Ceiling& ceiling) {
  return ceiling.is_compute() ? Among::compute : ceiling.level == "vector" ? Among::points : Among::memory;
}

Table table_of(Among kind) {
  std::vector<Column> columns{{kind == Among::points ? "FLOPs an element" : "ceiling", Align::left}, {"precision", Align::left}};
  columns.push_back({kind == Among::memory ? "GB/s" : "GFLOP/s"});
  if (kind == Among::memory) columns.push_back({"traffic"});
  for (const char* heading : {"min", "median", "max", "CV", "n"}) columns.push_back({heading});
  if (kind != Among::compute) columns.push_back({kind == Among::memory ? "reaches" : "working set"});
  columns.push_back({"how", Align::left});
  return Table(columns);
}

/// Where fills for stores make it more than the algorithmic rate.
std::string traffic_of(const Ceiling& c) { return std::isfinite(c.traffic_gbs) && c.traffic_gbs != c.value ? plain(c.traffic_gbs, 4) : ""; }

void add_row(Table& table, const Ceiling& c) {
  std::vector<std::string> cells{c.name, c.precision, plain(c.value, 4)};
  if (among(c) == Among::memory) cells.push_back(traffic_of(c));
  for (const double value : {c.min, c.median, c.max}) cells.push_back(plain(value, 4));
  cells.push_back(percent(c.cv));
  cells.push_back(std::to_string(c.n));
  if (!c.is_compute()) cells.push_back(c.level == "mem" ? "" : size_in_bytes(c.size_bytes));
  cells.push_back(c.status == Status::ok ? c.method : "");
  table.add(cells);
  if (c.status != Status::ok) table.add_line(wrapped(fmt::format("{}: {}", to_string(c.status), c.reason), 118, "    "));
}

/// A heading and a table of each kind, for each node and team.
std::string as_text(const std::vector<Ceiling>& ceilings) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<const Ceiling*>> teams;
  for (const auto& ceiling : ceilings) teams[{ceiling.node, ceiling.ranks, ceiling.threads}].push_back(&ceiling);
  std::string text;
  for (const auto& [team, members] : teams) {
    const auto& [node, ranks, threads] = team;
    text += fmt::format("{}{}: {} rank{} of {} thread{}\n", text.empty() ? "" : "\n", node, ranks, ranks == 1 ? "" : "s", threads,
                        threads == 1 ? "" : "s");
    for (const Among kind : {Among::compute, Among::memory, Among::points}) {
      Table table = table_of(kind);
      for (const auto* ceiling : members)
        if (among(*ceiling) == kind) add_row(table, *ceiling);
      if (!table.empty()) text += "\n" + table.text();
    }
  }
  return text;
}

/// A quiet machine repeats itself within a few percent; the best sample stands, but the run is flagged.
std::vector<std::string> disturbances(const std::vector<Ceiling>& ceilings) {
  const auto disturbed = std::count_if(ceilings.begin(), ceilings.end(), [](const Ceiling& c) { return c.cv > quiet_cv(c.level); });
  if (disturbed == 0) return {};
  return {fmt::format(
      "disturbed: {} of {} ceilings spread more between rounds than a quiet machine's (CV 2 % compute and L1, 5 % L2 and L3, 10 % memory)",
      disturbed, ceilings.size())};
}

Exit ceilings(const Selection& selection) {
  const Results results = load_selected(selection);
  std::vector<std::string> notes;
  const auto fitted = fit_ceilings(results.ceilings, node_facts(results, notes));
  if (fitted.empty())
    notes.emplace_back("no ceilings were measured in this run; give the campaign a [ceilings] table with mode = \"quick\"");
  if (std::any_of(fitted.begin(), fitted.end(), [](const Ceiling& c) { return std::isfinite(c.traffic_gbs); }))
    notes.emplace_back(
        "GB/s, min, median and max are algorithmic bytes: what the loop reads and writes. traffic (traffic_gbs): the best rate in the "
        "bytes that cross the level's boundary, a store's line read first and written back; the rooflines are drawn with it");
  for (const auto& note : disturbances(fitted)) notes.push_back(note);
  Json rows = Json::array();
  for (const auto& ceiling : fitted) rows.push_back(row_of(ceiling));
  if (selection.format == Format::json) print(document("ceilings", selection.file, rows, notes));
  if (selection.format == Format::csv) print(csv(rows));
  if (selection.format == Format::text) print(as_text(fitted) + note_lines(notes));
  return Exit::ok;
}

}  // namespace

void add_ceilings(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("ceilings", "the attainable ceilings of a result file: FLOP/s, and GB/s by level of memory");
  auto selection = std::make_shared<Selection>();
  add_selection(*command, *selection, ByKernel::no);
  command->callback([&chosen, selection] { chosen = [selection] { return ceilings(*selection); }; });
}

}  // namespace plumbline::app
