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
  if (ceiling.unit == "GFLOP/s") row["value_gflops"] = number(ceiling.value);
  if (ceiling.unit == "GB/s") row["value_gbs"] = number(ceiling.value);
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
  for (const char* heading : {"min", "median", "max", "CV", "n"}) columns.push_back({heading});
  if (kind != Among::compute) columns.push_back({kind == Among::memory ? "reaches" : "working set"});
  columns.push_back({"how", Align::left});
  return Table(columns);
}

void add_row(Table& table, const Ceiling& c) {
  std::vector<std::string> cells{c.name,          c.precision,   plain(c.value, 4),  plain(c.min, 4), plain(c.median, 4),
                                 plain(c.max, 4), percent(c.cv), std::to_string(c.n)};
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
  notes.emplace_back(
      "GB/s are algorithmic bytes: what the loop reads and writes, without write-allocate fills (traffic_gbs in JSON has them)");
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
