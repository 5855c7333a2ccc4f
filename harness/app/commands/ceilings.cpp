// The command plumbline ceilings FILE shows what this machine can do, fitted from the samples of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/schemas.hpp"
#include "app/results/ceiling_columns.hpp"
#include "app/results/ert_table.hpp"
#include "app/results/gpu_ceilings_table.hpp"
#include "app/results/node_links_table.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/streams.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "model/ceilings/disturbances.hpp"
#include "model/ceilings/mpi_ceilings.hpp"

namespace plumbline::app {
namespace {

/// The line over the points of ERT's sweep, whose table says of itself only what it is by.
constexpr const char* points_title = "kernel ert/vector, ERT's sweep over FLOPs an element\n\n";

/// A heading and a table of each kind, for each node and team.
std::string teams_text(const std::vector<Ceiling>& ceilings, Format format) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<Ceiling>> teams;
  for (const auto& ceiling : ceilings) teams[{ceiling.node, ceiling.ranks, ceiling.threads}].push_back(ceiling);
  std::string text;
  for (const auto& [team, members] : teams) {
    const auto& [node, ranks, threads] = team;
    const std::string& scope = members.front().scope;
    text += fmt::format("{}{}: {} rank{} of {} thread{}{}\n", text.empty() ? "" : "\n", node, ranks, ranks == 1 ? "" : "s", threads,
                        threads == 1 ? "" : "s",
                        scope.empty() ? "" : ", which fill" + std::string(ranks * threads == 1 ? "s" : "") + " a " + scope);
    for (const auto table : {CeilingTable::compute, CeilingTable::memory, CeilingTable::latency, CeilingTable::points})
      if (const std::string shown = ceilings_text(table, members, format); !shown.empty())
        text += "\n" + std::string(table == CeilingTable::points ? points_title : "") + shown;
  }
  return text;
}

/// A table of messages between ranks for each node that has any.
std::string messages_text(const std::vector<Ceiling>& messages, Format format) {
  std::map<std::string, std::vector<Ceiling>> nodes;
  for (const auto& ceiling : messages) nodes[ceiling.node].push_back(ceiling);
  std::string text;
  for (const auto& [node, members] : nodes)
    text += fmt::format("\n{}: messages between two ranks\n\n{}", node, ceilings_text(CeilingTable::messages, members, format));
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
  if (any([](const Ceiling& c) { return table_of(c) == CeilingTable::memory || table_of(c) == CeilingTable::latency; }))
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
                                  c.ranks, c.threads, percent_or_dash(c.fraction_of_limit()), c.limit_source));
  return notes;
}

/// The parts beside the rows are there where the run has them.
struct Beside {
  std::vector<ErtRow> compiled;
  std::optional<std::vector<MeasuredGpu>> gpus;  // nullopt: no ceiling is of a GPU
  std::vector<LinkMap> links;
};

Columns<Beside> ceilings_members() {
  using Row = Beside;
  return {list_column<Row>("ert_table", "ERT's loop by compiler (Kwack et al. 2018, Table I)", ert_columns(), &Row::compiled)
              .when([](const Row& beside) { return !beside.compiled.empty(); }),
          list_column<Row>("gpus", "GPUs that ceilings are of", gpu_columns(), [](const Row& beside) { return *beside.gpus; })
              .when([](const Row& beside) { return beside.gpus.has_value(); }),
          list_column<Row>("links", "maps of the links between nodes, one for each kind of message", link_map_columns(), &Row::links)
              .when([](const Row& beside) { return !beside.links.empty(); })};
}

/// GPUs' ceilings, out of the others: nothing that is said of a node's cores and caches is of them.
std::vector<Ceiling> take_gpus(std::vector<Ceiling>& fitted) {
  const auto first = std::stable_partition(fitted.begin(), fitted.end(), [](const Ceiling& c) { return table_of(c) != CeilingTable::gpu; });
  std::vector<Ceiling> of_gpus(std::make_move_iterator(first), std::make_move_iterator(fitted.end()));
  fitted.erase(first, fitted.end());
  return of_gpus;
}

/// All ceilings of a file, with what the file has beside them.
struct FittedFile {
  std::vector<Ceiling> of_cpus, of_gpus, messages;
  std::vector<NodeFacts> nodes;
  GpuPlaces places;
  Beside beside;
};

/// Fits the ceilings of a file; what is wrong with its nodes is told in `notes`.
FittedFile fit_file(const Results& results, std::vector<std::string>& notes) {
  FittedFile file{.of_cpus = {},
                  .of_gpus = {},
                  .messages = fit_mpi_ceilings(results.ceilings),
                  .nodes = node_facts(results, notes),
                  .places = gpu_places(results.outcomes),
                  .beside = {}};
  file.of_cpus = fit_ceilings(results.ceilings, file.nodes);
  hold_to_limits(file.of_cpus, results.ceilings, file.nodes);
  file.of_gpus = take_gpus(file.of_cpus);
  file.beside = {.compiled = ert_table(results, file.of_cpus), .gpus = {}, .links = judge_links(results.ceilings)};
  if (!file.of_gpus.empty()) file.beside.gpus = measured_gpus(file.of_gpus, file.places);
  return file;
}

/// Notes on what the file as a whole has or lacks.
std::vector<std::string> file_notes(const FittedFile& file, const Results& results) {
  std::vector<std::string> notes;
  if (file.of_cpus.empty() && file.of_gpus.empty() && file.messages.empty() && file.beside.links.empty())
    notes.emplace_back(
        results.campaign.find("[ceilings") != std::string::npos
            ? "no ceilings were measured in this run, although its campaign has a [ceilings] table: the run said why as it began (no "
              "GPU, no driver, one node alone); plumbline doctor says what this node lacks"
            : "no ceilings were measured in this run; give the campaign a [ceilings] table with mode = \"quick\" (a map of links, "
              "node_pairs, takes two nodes or more)");
  if (std::any_of(file.of_cpus.begin(), file.of_cpus.end(), [](const Ceiling& c) { return std::isfinite(c.traffic_gbs); }))
    notes.emplace_back(
        "best, median and min GB/s are of algorithmic bytes: what the loop reads and writes. traffic (traffic_gbs): the best rate in the "
        "bytes that cross the level's boundary, a store's line read first and written back; the rooflines are drawn with it");
  return notes;
}

std::vector<std::string> link_notes(const std::vector<LinkMap>& links) {
  std::vector<std::string> notes;
  for (const auto& map : links)
    if (!map.bad.empty() || !map.nodes_bad.empty())
      notes.push_back(fmt::format("{}: {} links and {} nodes are worse than their like", map.name, map.bad.size(), map.nodes_bad.size()));
  return notes;
}

std::vector<std::string> ceilings_notes(const FittedFile& file, const Results& results) {
  const auto& fitted = file.of_cpus;
  const auto remarks = limit_remarks(fitted);
  std::vector<std::string> notes;
  for (const auto& some : {file_notes(file, results), column_notes(fitted), limit_notes(fitted), gpu_ceilings_notes(file.of_gpus),
                           ert_table_notes(file.beside.compiled), levels_found(fitted), topology_disagreements(fitted, file.nodes),
                           std::vector<std::string>(remarks.begin(), remarks.end()), doubtful_memory(fitted), doubts(fitted, results),
                           link_notes(file.beside.links)})
    notes.insert(notes.end(), some.begin(), some.end());
  return notes;
}

Exit ceilings(const Selection& selection) {
  const Results results = load_selected(selection);
  std::vector<std::string> notes;
  const FittedFile file = fit_file(results, notes);
  for (auto& note : ceilings_notes(file, results)) notes.push_back(std::move(note));
  auto all = file.of_cpus;
  for (const auto* part : {&file.of_gpus, &file.messages}) all.insert(all.end(), part->begin(), part->end());
  const auto rows = [&] { return rows_json(ceiling_columns(file.places), all); };
  const auto tables = [&] {
    return teams_text(file.of_cpus, selection.format) + gpu_ceilings_text(file.of_gpus, file.places, selection.format) +
           messages_text(file.messages, selection.format);
  };
  const auto compilers = [&] { return ert_table_text(file.beside.compiled, selection.format); };
  if (selection.format == Format::json)
    print(document("ceilings", selection.file, rows(), notes, row_json(ceilings_members(), file.beside)));
  if (selection.format == Format::csv) print(csv(rows()));
  if (selection.format == Format::markdown) print(tables() + compilers() + markdown_notes(notes));
  if (selection.format == Format::text) print(tables() + node_links_text(file.beside.links) + compilers() + note_lines(notes));
  return Exit::ok;
}

}  // namespace

Json ceilings_schema() {
  return document_schema("ceilings", "What this machine can do, as a run measured it", row_schema(ceiling_columns()),
                         row_schema(ceilings_members()));
}

void add_ceilings(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("ceilings", "the attainable ceilings of a result file: FLOP/s, and GB/s by level of memory");
  auto selection = std::make_shared<Selection>();
  add_selection(*command, *selection, ByKernel::no);
  command->callback([&chosen, selection] { chosen = [selection] { return ceilings(*selection); }; });
}

}  // namespace plumbline::app
