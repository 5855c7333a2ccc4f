// plumbline show FILE: where each case lies on the roofline, what bounds it, and how near it comes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/command.hpp"
#include "app/result_file.hpp"
#include "app/scored_counters.hpp"
#include "app/streams.hpp"
#include "core/error.hpp"
#include "model/displacement.hpp"

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

Json displacement_json(const Displacement& by) {
  return {{"counter", by.counter},
          {"level", text_or_null(by.level)},
          {"bytes", number(by.bytes)},
          {"ai", number(by.ai)},
          {"status", std::string(to_string(by.status))},
          {"reason", text_or_null(by.reason)}};
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

std::string displacement_text(const Displacement& by, const Placement& p) {
  if (by.status != Status::ok) return fmt::format("by {}: {}: {}", by.counter, to_string(by.status), by.reason);
  return fmt::format("by {}: AI {} {} instead of {}", by.counter, by.level, plain(by.ai), intensity(p, by.level));
}

void add_row(Table& table, const Placement& p, const Displacement* by) {
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
  if (by != nullptr) table.add_line(wrapped(displacement_text(*by, p), 118, "      "));
}

/// `by` is empty, or has one for each placement.
std::string as_text(const std::vector<Placement>& placements, const std::vector<Displacement>& by) {
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
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const Placement& p = placements[i];
    const std::string heading = p.of->kernel + (nodes.size() > 1 ? " on " + p.node : "");
    if (heading != group) table.add_line(heading);
    group = heading;
    add_row(table, p, by.empty() ? nullptr : &by[i]);
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

struct ShowOptions : Selection {
  std::string set_file;  // empty: the run's own set, if it has one
  std::string by;        // a counter for the bytes, besides; empty: none
};

/// Of each placement; they are in the order of the measured cases.
std::vector<Displacement> displacements(const std::string& name, const std::vector<Placement>& placements, const Measurements& measurements,
                                        const Results& results) {
  std::vector<Displacement> all;
  if (name.empty()) return all;
  const auto counters = scored_counters(results, measurements).counters;
  const auto found = std::find_if(counters.begin(), counters.end(),
                                  [&](const Counter& counter) { return counter.name == name && counter.convention == Convention::flow; });
  if (found == counters.end()) throw user_error(fmt::format("--by '{}' is no counter of this file; 'plumbline score' lists them", name));
  for (std::size_t i = 0; i < placements.size(); ++i) all.push_back(displaced(placements[i], measurements.cases[i], *found));
  return all;
}

Exit show(const ShowOptions& selection) {
  const Results results = load_selected(selection);
  std::vector<std::string> notes;
  const auto set = chosen_counters(results, selection.set_file);
  if (set) notes.push_back(set_note(*set));
  const auto ceilings = fit_ceilings(results.ceilings, node_facts(results, notes));
  const Measurements measurements = measurements_of(results);
  const auto placements = place(measurements, ceilings, set ? &*set : nullptr);
  for (const auto& note : notes_of(placements, ceilings)) notes.push_back(note);
  const auto by = displacements(selection.by, placements, measurements, results);
  Json rows = Json::array();
  for (const auto& placement : placements) rows.push_back(row_of(placement));
  for (std::size_t i = 0; i < by.size(); ++i) rows[i]["displaced"] = displacement_json(by[i]);
  if (selection.format == Format::json) print(document("show", selection.file, rows, notes));
  if (selection.format == Format::csv) print(csv(rows));
  if (selection.format == Format::text) print(as_text(placements, by) + note_lines(notes));
  return Exit::ok;
}

}  // namespace

void add_show(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("show", "the cases of a result file on the roofline: times, FLOP/s, arithmetic intensities, bounds");
  auto selection = std::make_shared<ShowOptions>();
  add_selection(*command, *selection);
  command->add_option("--by", selection->by,
                      "also where each case would lie with this counter's bytes, rejected or not ('accesses x 16 B')");
  command->add_option("--counters", selection->set_file, "a set that 'plumbline score --choose' wrote: FLOPs and bytes are its counters'");
  command->callback([&chosen, selection] { chosen = [selection] { return show(*selection); }; });
}

}  // namespace plumbline::app
