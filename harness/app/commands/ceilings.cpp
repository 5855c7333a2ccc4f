// The command plumbline ceilings FILE shows what this machine can do, fitted from the samples of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "app/commands/command.hpp"
#include "app/results/ert_table.hpp"
#include "app/results/gpu_ceilings_table.hpp"
#include "app/results/mpi_ceilings_table.hpp"
#include "app/results/node_links_table.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/streams.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "model/ceilings/disturbances.hpp"
#include "model/ceilings/mpi_ceilings.hpp"

namespace plumbline::app {
namespace {

/// The same numbers under names that carry the unit.
void add_in_units(Json& row, const Ceiling& ceiling) {
  const std::string unit = ceiling.unit == "GFLOP/s" ? "gflops" : ceiling.unit == "GB/s" ? "gbs" : ceiling.unit;
  for (const char* key : {"value", "min", "median", "max", "limit"}) row[std::string(key) + "_" + unit] = row[key];
}

/// Says why a number of a ceiling that is there has no place: what it does not have, or what was not measured often enough.
void explain_absent(Json& row, const Ceiling& ceiling) {
  const auto unless = [&](const char* stem, double value, const std::string& reason) {
    const bool there = std::isfinite(value);
    const bool ok = ceiling.status == Status::ok;
    explain(row, stem, there ? Status::ok : ok ? Status::unavailable : ceiling.status, there ? "" : ok ? reason : ceiling.reason);
  };
  const bool messages = ceiling.level == CeilingKind::mpi || ceiling.level == CeilingKind::host_dev,
             memory = ceiling.unit == "GB/s" && !messages;
  const std::string no_memory = messages ? "messages, not a level of memory" : "a rate of arithmetic, not of a level of memory";
  unless("cv", ceiling.cv, "one sample has no spread");
  unless("size", ceiling.size_bytes, memory ? "measured without a working set" : no_memory);
  unless("size_lo", ceiling.size_lo_bytes, memory ? "the level has no upper end, or too few samples to resample" : no_memory);
  unless("size_hi", ceiling.size_hi_bytes, memory ? "the level has no upper end, or too few samples to resample" : no_memory);
  unless("confidence", ceiling.confidence, memory ? "not a level that the sweeps showed" : no_memory);
  unless("topology", ceiling.topology_bytes, memory ? "the topology tells no size of this level" : no_memory);
  unless("limit", ceiling.limit,
         ceiling.limit_reason.empty() ? "no limit is known for this core, level and pattern" : ceiling.limit_reason);
  unless("clock", ceiling.clock_hz, "the clock was not measured beside it");
  unless("traffic", ceiling.traffic_gbs, memory ? "the pattern's fills and write-backs are not known" : no_memory);
}

/// The other loops of the contest for it, at what the contest saw of them, the fastest first.
Json runners_up(const Ceiling& ceiling) {
  Json all = Json::array();
  for (const auto& one : ceiling.runners_up) all.push_back({{"form", one.form}, {"value", number(one.rate)}, {"unit", ceiling.unit}});
  return all;
}

Json row_of(const Ceiling& ceiling) {
  Json row{{"name", ceiling.name},
           {"precision", ceiling.precision},
           {"level", ceiling.level.word()},
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
           {"form", ceiling.form},
           {"runners_up", runners_up(ceiling)},
           {"status", std::string(to_string(ceiling.status))},
           {"reason", text_or_null(ceiling.reason)},
           {"doubt", ceiling.doubt},
           {"size_bytes", number(ceiling.size_bytes)},
           {"traffic_gbs", number(ceiling.traffic_gbs)},
           {"size_lo_bytes", number(ceiling.size_lo_bytes)},
           {"size_hi_bytes", number(ceiling.size_hi_bytes)},
           {"confidence", number(ceiling.confidence)},
           {"topology_bytes", number(ceiling.topology_bytes)},
           {"scope", ceiling.scope},
           {"clock_hz", number(ceiling.clock_hz)},
           {"limit", number(ceiling.limit)},
           {"fraction_of_limit", number(ceiling.fraction_of_limit())},
           {"limit_basis", to_string(ceiling.limit_basis)},
           {"limit_source", ceiling.limit_source},
           {"limit_remark", ceiling.limit_remark}};
  add_in_units(row, ceiling);
  explain_absent(row, ceiling);
  return row;
}

std::string percent(double part) { return std::isfinite(part) ? fmt::format("{:.1f} %", 100 * part) : "-"; }

/// The group that a ceiling is shown among: rates of arithmetic, of memory, its latency, or points of ERT's sweep over FLOPs an element.
enum class Among { compute, memory, latency, points };

Among among(const Ceiling& ceiling) {
  if (ceiling.level == CeilingKind::vector) return Among::points;
  return ceiling.is_compute() ? Among::compute : ceiling.unit == "seconds" ? Among::latency : Among::memory;
}

Table table_of(Among kind) {
  std::vector<Heading> columns{{kind == Among::points ? "FLOPs an element" : "ceiling", Align::left}, {"precision", Align::left}};
  columns.push_back({kind == Among::memory ? "GB/s" : kind == Among::latency ? "best ns" : "best GFLOP/s"});
  if (kind == Among::memory) columns.push_back({"traffic"});
  if (kind == Among::compute || kind == Among::memory) columns.push_back({"of limit"});
  for (const char* heading : {"median", kind == Among::latency ? "max" : "min", "CV", "n"}) columns.push_back({heading});
  if (kind != Among::compute) columns.push_back({kind == Among::points ? "working set" : "reaches"});
  columns.push_back({"how", Align::left});
  return Table(columns);
}

/// The traffic of a ceiling, where fills for stores make it more than the algorithmic rate.
std::string traffic_of(const Ceiling& c) { return std::isfinite(c.traffic_gbs) && c.traffic_gbs != c.value ? plain(c.traffic_gbs, 4) : ""; }

/// The part of the limit in words: "~94.4 %" where the limit is inferred.
std::string limit_cell(const Ceiling& c) {
  if (!std::isfinite(c.limit)) return "";
  return (c.limit_basis == LimitBasis::inferred ? "~" : "") + percent(c.fraction_of_limit());
}

/// The spread of a ceiling's samples: "1.7 %", and "!" where it is more than on a quiet machine.
std::string cv_cell(const Ceiling& c) { return percent(c.cv) + (c.cv > quiet_cv(c.level) ? "!" : ""); }

/// A ceiling's name in its table: "16" of "vector k=16", since the column says of what; else the whole name.
std::string name_cell(const Ceiling& c) {
  constexpr std::string_view points = "vector k=";
  return c.name.starts_with(points) ? c.name.substr(points.size()) : c.name;
}

/// A note on a contest of loops: "; compiled v4 1.04 x bumped v4", as the contest saw both, which is not at the working set of
/// the ceiling. (Where it chose the plan's own loop `method` does not name it.)
std::string before_others(const Ceiling& c) {
  if (c.runners_up.empty() || !std::isfinite(c.contest_rate)) return "";
  const auto& [form, rate] = c.runners_up.front();
  return fmt::format("; {} {:.2f} x {}", c.form, c.contest_rate / rate, form);
}

void add_row(Table& table, const Ceiling& c) {
  const Among kind = among(c);
  const double in_unit = kind == Among::latency ? 1e9 : 1;
  std::vector<std::string> cells{name_cell(c), c.precision, plain(in_unit * c.value, 4)};
  if (kind == Among::memory) cells.push_back(traffic_of(c));
  if (kind == Among::compute || kind == Among::memory) cells.push_back(limit_cell(c));
  for (const double value : {c.median, kind == Among::latency ? c.max : c.min}) cells.push_back(plain(in_unit * value, 4));
  cells.push_back(cv_cell(c));
  cells.push_back(std::to_string(c.n));
  if (kind != Among::compute) cells.push_back(c.level == "mem" ? "" : size_in_bytes(c.size_bytes));
  cells.push_back(c.status == Status::ok ? c.method + before_others(c) : "");
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
    const std::string& scope = members.front()->scope;
    text += fmt::format("{}{}: {} rank{} of {} thread{}{}\n", text.empty() ? "" : "\n", node, ranks, ranks == 1 ? "" : "s", threads,
                        threads == 1 ? "" : "s",
                        scope.empty() ? "" : ", which fill" + std::string(ranks * threads == 1 ? "s" : "") + " a " + scope);
    for (const Among kind : {Among::compute, Among::memory, Among::latency, Among::points}) {
      Table table = table_of(kind);
      for (const auto* ceiling : members)
        if (among(*ceiling) == kind) add_row(table, *ceiling);
      if (!table.empty()) text += "\n" + table.text();
    }
  }
  return text;
}

std::string disturbance_note(const Disturbances& d) {
  return fmt::format(
      "{}{}: {} of {} samples were disturbed ({} shared their core with another hardware thread, {} lost their CPU for a while, {} had a "
      "slow clock); {} involuntary switches; clock {:.2f} to {:.2f} GHz, usually {:.2f}",
      is_disturbed(d) ? "disturbed run, " : "", d.node, d.disturbed, d.samples, d.shared_core, d.lost_cpu, d.slow_clock, d.switches,
      1e-9 * d.clock_lowest_hz, 1e-9 * d.clock_highest_hz, 1e-9 * d.clock_usual_hz);
}

/// The levels of each node's smallest team: how far they reach, between what, how surely, and what the topology says.
std::vector<std::string> levels_found(const std::vector<Ceiling>& ceilings) {
  std::map<std::string, std::map<std::string, const Ceiling*>> nodes;
  for (const auto& c : ceilings)
    if (std::isfinite(c.confidence))
      if (const Ceiling*& known = nodes[c.node][c.level]; known == nullptr || c.ranks * c.threads < known->ranks * known->threads)
        known = &c;
  std::vector<std::string> notes;
  for (const auto& [node, levels] : nodes) {
    std::string text;
    for (const auto& [level, c] : levels) {
      if (level == "mem" || !std::isfinite(c->size_bytes)) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", level, size_in_bytes(c->size_bytes));
      if (std::isfinite(c->size_lo_bytes))
        text += fmt::format(" ({} to {} within this run)", size_in_bytes(c->size_lo_bytes), size_in_bytes(c->size_hi_bytes));
      text += fmt::format(", confidence {:.2f}", c->confidence);
      if (std::isfinite(c->topology_bytes)) text += fmt::format(", by the system's topology {}", size_in_bytes(c->topology_bytes));
    }
    if (!text.empty()) notes.push_back(fmt::format("{}: levels as the sweeps show them: {}", node, text));
  }
  return notes;
}

/// Memory that may be partly a cache: why, and which ceilings.
std::vector<std::string> doubtful_memory(const std::vector<Ceiling>& ceilings) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::string>, std::vector<std::string>> patterns;
  for (const auto& c : ceilings)
    if (!c.doubt.empty()) patterns[{c.node, c.ranks, c.threads, c.doubt}].push_back(c.pattern);
  std::vector<std::string> notes;
  for (const auto& [which, names] : patterns) {
    const auto& [node, ranks, threads, doubt] = which;
    notes.push_back(fmt::format("mem of {} (r{}t{}; {}) may be partly a cache's, or was disturbed: {}", node, ranks, threads,
                                fmt::join(names, ", "), doubt));
  }
  return notes;
}

/// Remarks on cores that reach about half of their limit, where some models of them cannot reach more.
std::set<std::string> limit_remarks(const std::vector<Ceiling>& ceilings) {
  constexpr double half = 0.55;
  std::set<std::string> notes;
  for (const auto& c : ceilings)
    if (!c.limit_remark.empty() && c.fraction_of_limit() < half) notes.insert(fmt::format("{}: {}", c.node, c.limit_remark));
  return notes;
}

/// Notes that say what the columns of the tables are.
std::vector<std::string> column_notes(const std::vector<Ceiling>& ceilings) {
  if (ceilings.empty()) return {};
  std::vector<std::string> notes{
      "the first rate is the best; median, min and CV (standard deviation over mean) are of n samples; how: the flavor that was measured "
      "(gcc12-O3-v4: "
      "compiler, optimization level, instruction set x86-64-v4)"};
  const auto any = [&](const auto& is) { return std::any_of(ceilings.begin(), ceilings.end(), is); };
  if (any([](const Ceiling& c) { return !before_others(c).empty(); }))
    notes.emplace_back(
        "how, behind the semicolon: the loop that a contest of several chose, and its rate over the next best loop's in that contest; "
        "where that is "
        "below 1 the other was not faster beyond doubt");
  if (any([](const Ceiling& c) { return among(c) == Among::memory || among(c) == Among::latency; }))
    notes.emplace_back("reaches: the largest working set, of all ranks and threads together, that the level still serves at its rate");
  return notes;
}

/// Notes that say what limits are, and of each node what they were inferred from where no document tells them.
std::vector<std::string> limit_notes(const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> notes;
  const auto any = [&](LimitBasis basis) {
    return std::any_of(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.limit_basis == basis; });
  };
  const std::string what = "of limit: of what the team's cores could do at the clock measured beside the best sample, ";
  if (any(LimitBasis::vendor)) notes.push_back(what + "by their vendor's documents; empty where these say nothing");
  if (!ceilings.empty() && !any(LimitBasis::vendor) && !any(LimitBasis::inferred))
    notes.emplace_back("of limit: empty, since this CPU is in no vendor's table");
  if (!any(LimitBasis::inferred)) return notes;
  notes.push_back(what + "with ~ by what undisturbed samples tell of a CPU that is in no vendor's table");
  std::map<std::string, std::set<std::string>> sources;
  for (const auto& c : ceilings)
    if (c.limit_basis == LimitBasis::inferred) sources[c.node].insert(c.pattern + ", " + c.limit_source);
  for (const auto& [node, told] : sources)
    for (const auto& source : told) notes.push_back(node + ": " + source);
  return notes;
}

/// Says what keeps the numbers from being a quiet machine's: what was seen beside the samples, their spread, and what cannot be.
std::vector<std::string> doubts(const std::vector<Ceiling>& ceilings, const Results& results) {
  std::vector<std::string> notes;
  for (const auto& d : find_disturbances(results.ceilings)) notes.push_back(disturbance_note(d));
  const auto unsteady = std::count_if(ceilings.begin(), ceilings.end(), [](const Ceiling& c) { return c.cv > quiet_cv(c.level); });
  if (unsteady != 0)
    notes.push_back(fmt::format(
        "disturbed: {} of {} ceilings, marked !, spread more between rounds than a quiet machine's (CV 2 % compute and L1, 5 % L2 "
        "and L3, 10 % memory)",
        unsteady, ceilings.size()));
  for (const auto& c : ceilings)
    if (c.fraction_of_limit() > most_of_limit)
      notes.push_back(fmt::format("{} of {} (r{}t{}) is {} of its limit: the clock beside it or the limit is wrong ({})", c.name, c.node,
                                  c.ranks, c.threads, percent(c.fraction_of_limit()), c.limit_source));
  return notes;
}

/// GPUs' ceilings, out of the others: nothing that is said of a node's cores and caches is of them.
std::vector<Ceiling> take_gpus(std::vector<Ceiling>& fitted) {
  const auto first =
      std::stable_partition(fitted.begin(), fitted.end(), [](const Ceiling& c) { return c.scope != gpu_scope || c.pattern == "stated"; });
  std::vector<Ceiling> of_gpus(std::make_move_iterator(first), std::make_move_iterator(fitted.end()));
  fitted.erase(first, fitted.end());
  return of_gpus;
}

Exit ceilings(const Selection& selection) {
  const Results results = load_selected(selection);
  std::vector<std::string> notes;
  const auto nodes = node_facts(results, notes);
  auto fitted = fit_ceilings(results.ceilings, nodes);
  hold_to_limits(fitted, results.ceilings, nodes);
  const auto of_gpus = take_gpus(fitted);
  const auto messages = fit_mpi_ceilings(results.ceilings);
  const auto links = judge_links(results.ceilings);
  if (fitted.empty() && of_gpus.empty() && messages.empty() && links.empty())
    notes.emplace_back(
        "no ceilings were measured in this run; give the campaign a [ceilings] table with mode = \"quick\" (a map of links, node_pairs, "
        "takes "
        "two nodes or more)");
  if (std::any_of(fitted.begin(), fitted.end(), [](const Ceiling& c) { return std::isfinite(c.traffic_gbs); }))
    notes.emplace_back(
        "best, median and min GB/s are of algorithmic bytes: what the loop reads and writes. traffic (traffic_gbs): the best rate in the "
        "bytes that cross the level's boundary, a store's line read first and written back; the rooflines are drawn with it");
  for (const auto& note : column_notes(fitted)) notes.push_back(note);
  for (const auto& note : limit_notes(fitted)) notes.push_back(note);
  for (const auto& note : gpu_ceilings_notes(of_gpus)) notes.push_back(note);
  const auto compiled = ert_table(results, fitted);
  for (const auto& note : ert_table_notes(compiled)) notes.push_back(note);
  for (const auto& note : levels_found(fitted)) notes.push_back(note);
  for (const auto& note : topology_disagreements(fitted, nodes)) notes.push_back(note);
  for (const auto& note : limit_remarks(fitted)) notes.push_back(note);
  for (const auto& note : doubtful_memory(fitted)) notes.push_back(note);
  for (const auto& note : doubts(fitted, results)) notes.push_back(note);
  for (const auto& map : links)
    if (!map.bad.empty() || !map.nodes_bad.empty())
      notes.push_back(fmt::format("{}: {} links and {} nodes are worse than their like", map.name, map.bad.size(), map.nodes_bad.size()));
  const GpuPlaces places = gpu_places(results.outcomes);
  Json rows = Json::array();
  for (const auto* part : std::initializer_list<const std::vector<Ceiling>*>{&fitted, &of_gpus, &messages})
    for (const auto& ceiling : *part) {
      rows.push_back(row_of(ceiling));
      rows.back()["gpu"] = gpu_json(ceiling, places);
      const bool of_gpu = ceiling.scope == gpu_scope;
      explain(rows.back(), "gpu", of_gpu ? Status::ok : Status::skipped, of_gpu ? "" : "a ceiling of CPUs");
    }
  if (selection.format == Format::json) {
    Json more = Json::object();
    if (!compiled.empty()) more["ert_table"] = ert_table_json(compiled);
    if (!of_gpus.empty()) more["gpus"] = gpus_json(of_gpus, places);
    if (!links.empty()) more["links"] = node_links_json(links);
    print(document("ceilings", selection.file, rows, notes, more));
  }
  if (selection.format == Format::csv) print(csv(rows));
  if (selection.format == Format::markdown) print(markdown(rows) + markdown_notes(notes));
  if (selection.format == Format::text)
    print(as_text(fitted) + gpu_ceilings_text(of_gpus, places) + mpi_ceilings_text(messages) + node_links_text(links) +
          ert_table_text(compiled) + note_lines(notes));
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
