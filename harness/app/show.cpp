// plumbline show FILE: where each case lies on the roofline, what bounds it, and how near it comes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/command.hpp"
#include "app/result_file.hpp"
#include "app/streams.hpp"
#include "model/roofline.hpp"

namespace plumbline::app {
namespace {

/// "triad n=1000": the work id without suite and precision.
std::string label_of(const CaseRow& row) {
  std::string label = row.kernel.substr(row.kernel.rfind('/') + 1);
  const std::string head = row.kernel + "/" + row.precision;
  if (row.work.size() > head.size()) label += " " + row.work.substr(head.size() + 1);
  for (char& c : label)
    if (c == '/') c = ' ';
  return label;
}

Json level_json(const LevelIntensity& level) {
  Json json{{"bytes", number(level.bytes)},
            {"bytes_lo", number(level.bytes_lo)},
            {"bytes_hi", number(level.bytes_hi)},
            {"ai", number(level.ai)},
            {"ai_lo", number(level.ai_lo)},
            {"ai_hi", number(level.ai_hi)},
            {"status", std::string(to_string(level.status))},
            {"reason", text_or_null(level.reason)}};
  if (level.status == Status::ok && !std::isfinite(level.ai_hi))
    explain(json, "ai_hi", Status::unavailable, "no traffic across this boundary cannot be ruled out");
  return json;
}

Json row_of(const Placement& p) {
  Json levels = Json::object();
  for (const auto& level : p.levels) levels[level.level] = level_json(level);
  return {{"case", p.of->id},
          {"kernel", p.of->kernel},
          {"label", label_of(*p.of)},
          {"precision", p.of->precision},
          {"flavor", p.of->flavor},
          {"ranks", p.of->ranks},
          {"threads", p.of->threads},
          {"node", p.node},
          {"seconds", number(p.seconds)},
          {"gflops", number(p.gflops)},
          {"flops", number(p.flops)},
          {"levels", levels},
          {"bound", text_or_null(p.bound)},
          {"bound_ceiling", text_or_null(p.bound_ceiling)},
          {"roof_gflops", number(p.roof_gflops)},
          {"percent_of_roof", number(p.percent_of_roof)},
          {"bound_status", std::string(to_string(p.bound_status))},
          {"bound_reason", text_or_null(p.bound_reason)},
          {"bound_is_certain", p.bound_is_certain},
          {"join", std::string(to_string(p.join))},
          {"bytes_source", text_or_null(p.bytes_source)},
          {"status", std::string(to_string(p.status))},
          {"reason", text_or_null(p.reason)},
          {"notes", p.notes}};
}

// ---------------------------------------------------------------------------------------------------------------------- text

/// FLOP/byte; beyond 1000 a level carries next to nothing. "~" is the middle of a model's interval, ">" the end of an open one.
std::string intensity(const Placement& placement, const std::string& level) {
  for (const auto& l : placement.levels) {
    if (l.level != level) continue;
    if (l.ai > 1000 || l.bytes == 0) return ">1000";
    if (l.status != Status::ok) return ">" + plain(l.ai_lo);
    return (placement.join == Join::model && l.is_interval() ? "~" : "") + plain(l.ai);
  }
  return "-";
}

std::string source_of(const Placement& p) { return p.join == Join::same ? p.bytes_source : std::string(to_string(p.join)); }

std::string case_in_group(const CaseRow& row) {
  std::string text = row.id.substr(std::min(row.id.size(), row.kernel.size() + 1));
  for (char& c : text)
    if (c == '/') c = ' ';
  return "  " + text;
}

/// A longer name has a line of its own, so that the numbers stay within 120 columns.
constexpr std::size_t longest_name = 46;

void add_row(Table& table, const Placement& p) {
  std::string name = case_in_group(*p.of);
  if (name.size() > longest_name) {
    table.add_line(name);
    name.clear();
  }
  std::vector<std::string> cells{name, duration(p.seconds), plain(p.gflops)};
  for (const char* level : {"L1", "L2", "L3", "mem"}) cells.push_back(intensity(p, level));
  const std::string about = p.bound_is_certain ? "" : "~";
  cells.push_back(p.bound.empty() ? "-" : about + p.bound);
  cells.push_back(std::isfinite(p.percent_of_roof) ? fmt::format("{}{:.0f} %", about, p.percent_of_roof) : "-");
  cells.push_back(source_of(p));
  table.add(cells);
  if (p.status != Status::ok) table.add_line(wrapped(fmt::format("{}: {}", to_string(p.status), p.reason), 118, "      "));
}

std::string as_text(const std::vector<Placement>& placements) {
  Table table({{"case", Align::left},
               {"a sweep"},
               {"GFLOP/s"},
               {"AI L1"},
               {"L2"},
               {"L3"},
               {"mem"},
               {"bound"},
               {"of roof"},
               {"bytes by", Align::left}});
  std::set<std::string> nodes;
  for (const auto& p : placements) nodes.insert(p.node);
  std::string group;
  for (const auto& p : placements) {
    const std::string heading = p.of->kernel + (nodes.size() > 1 ? " on " + p.node : "");
    if (heading != group) table.add_line(heading);
    group = heading;
    add_row(table, p);
  }
  return table.text();
}

/// Whether the table has a "~" for it.
bool is_marked(const Placement& p) {
  const auto open = [](const LevelIntensity& level) { return level.status == Status::ok && level.is_interval(); };
  return (!p.bound.empty() && !p.bound_is_certain) || (p.join == Join::model && std::any_of(p.levels.begin(), p.levels.end(), open));
}

std::vector<std::string> notes_of(const std::vector<Placement>& placements, const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> notes{"AI: FLOP/byte across a level's boundary towards the core, drawn against that level's bandwidth"};
  if (std::any_of(placements.begin(), placements.end(), is_marked))
    notes.emplace_back("~: from an interval; an AI is its middle, a bound and its percentage are by the least traffic that it allows");
  if (ceilings.empty()) notes.emplace_back("no ceilings in this file, so nothing is bound; a campaign's [ceilings] table measures them");
  std::set<std::string> seen;
  for (const auto& p : placements)
    for (const auto& note : p.notes)
      if (seen.insert(note).second) notes.push_back(note);
  return notes;
}

/// What cannot be counted by the set, for the notes.
std::string set_note(const CounterSet& set) {
  std::string text = fmt::format("counters as chosen on {}:", set.machine);
  for (const auto& chosen : set.counters) text += fmt::format(" {} ({}),", chosen.counter.name, chosen.grade);
  text.back() = '.';
  for (const auto& one : set.uncovered) text += fmt::format(" {}: {}.", one.quantity, one.reason);
  return text + " An AI's interval is theirs";
}

Exit show(const Selection& selection, const std::string& set_file) {
  const Results results = load_selected(selection);
  std::vector<std::string> notes;
  const auto set = chosen_counters(results, set_file);
  if (set) notes.push_back(set_note(*set));
  const auto ceilings = fit_ceilings(results.ceilings, node_facts(results, notes));
  const Measurements measurements = measurements_of(results);
  const auto placements = place(measurements, ceilings, set ? &*set : nullptr);
  for (const auto& note : notes_of(placements, ceilings)) notes.push_back(note);
  Json rows = Json::array();
  for (const auto& placement : placements) rows.push_back(row_of(placement));
  if (selection.format == Format::json) print(document("show", selection.file, rows, notes));
  if (selection.format == Format::csv) print(csv(rows));
  if (selection.format == Format::text) print(as_text(placements) + note_lines(notes));
  return Exit::ok;
}

}  // namespace

void add_show(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("show", "the cases of a result file on the roofline: times, FLOP/s, arithmetic intensities, bounds");
  auto selection = std::make_shared<Selection>();
  add_selection(*command, *selection);
  auto set_file = std::make_shared<std::string>();
  command->add_option("--counters", *set_file, "a set that 'plumbline score --choose' wrote: FLOPs and bytes are its counters'");
  command->callback([&chosen, selection, set_file] { chosen = [selection, set_file] { return show(*selection, *set_file); }; });
}

}  // namespace plumbline::app
