// The command plumbline show FILE tells where each case lies on the roofline, what bounds it, and how near it comes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/schemas.hpp"
#include "app/gpu_kernels/stored_kernels.hpp"
#include "app/here/profiler_metrics.hpp"
#include "app/programs/stored_profile.hpp"
#include "app/results/counter_conditions.hpp"
#include "app/results/google_benchmark.hpp"
#include "app/results/imported.hpp"
#include "app/results/intensity.hpp"
#include "app/results/machine_table.hpp"
#include "app/results/result_file.hpp"
#include "app/results/scored_counters.hpp"
#include "app/results/show_cells.hpp"
#include "app/results/show_columns.hpp"
#include "app/results/uncounted.hpp"
#include "app/terminal/output_file.hpp"
#include "app/terminal/streams.hpp"
#include "core/error.hpp"

namespace plumbline::app {
namespace {

/// Notes that say what the words of distance_text() stand for, of those that are said.
std::vector<std::string> distance_notes(const std::vector<RooflinePlacement>& placements) {
  const auto any = [&](const auto& is) { return std::any_of(placements.begin(), placements.end(), is); };
  const auto has = [&](Limit limit) {
    return any([&](const RooflinePlacement& p) {
      return p.shortfall && std::find(p.shortfall->limits.begin(), p.shortfall->limits.end(), limit) != p.shortfall->limits.end();
    });
  };
  std::vector<std::string> notes;
  if (!any([](const RooflinePlacement& p) { return p.shortfall.has_value(); })) return notes;
  std::string words;
  if (has(Limit::unoptimized)) words += "; O0 code: each operand is stored and loaded again";
  if (has(Limit::scalar)) words += "; scalar arithmetic: the same FLOPs have a lower roof where each instruction works on one number";
  if (has(Limit::core))
    words +=
        "; its core: the instructions alone, with all data in L1, take a simulated core most of the time (core_cycles): they wait for "
        "each other, for pipes or for code";
  if (has(Limit::instructions)) words += "; instructions: each core does as many a cycle as few cores exceed";
  if (has(Limit::waiting)) words += "; waiting: so few instructions a cycle of a core wait for earlier results or for data";
  notes.push_back(fmt::format("limited also by: what the file tells of cases below {:.0f} % of their roof{}", far_below_roof, words));
  return notes;
}

/// The reasons why levels have no intensity, once for all cases.
std::set<std::string> unseen_levels(const std::vector<RooflinePlacement>& placements) {
  std::set<std::string> reasons;
  for (const auto& p : placements)
    for (const auto& level : p.levels)
      if (level.status != Status::ok && level.source.empty()) reasons.insert(fmt::format("{}: {}", level.level, level.reason));
  return reasons;
}

/// Says what gives these cases a roof.
std::string no_ceilings(const std::vector<RooflinePlacement>& placements) {
  const bool imported = std::any_of(placements.begin(), placements.end(), [](const RooflinePlacement& p) { return is_imported(*p.of); });
  return fmt::format("no ceilings in this file, so nothing is bound; {}",
                     imported ? "'plumbline import ... --ceilings FILE' takes them" : "a campaign's [ceilings] table measures them");
}

/// Says that there is nothing to show, and what shows what else is there.
std::string no_cases(const std::vector<Ceiling>& ceilings, const std::string& file) {
  return "no cases in this file" + (ceilings.empty() ? "" : fmt::format("; 'plumbline ceilings {}' shows its ceilings", file));
}

/// Whether the table has a "~" for it.
bool is_marked(const RooflinePlacement& p) {
  const auto open = [](const LevelIntensity& level) { return level.status == Status::ok && level.is_interval(); };
  return (!p.bound.empty() && !p.bound_is_certain) || (p.join == Join::model && std::any_of(p.levels.begin(), p.levels.end(), open));
}

/// Notes on metrics that say different things of the same, once for all launches.
std::vector<std::string> disagreement_notes(const std::vector<RooflinePlacement>& placements) {
  struct Spread {
    double least = HUGE_VAL, most = 0;
    std::size_t cases = 0;
  };
  std::map<std::array<std::string, 3>, Spread> pairs;
  for (const auto& p : placements)
    for (const auto& one : p.disagreements) {
      Spread& spread = pairs[{one.quantity, one.used, one.other}];
      spread.least = std::min(spread.least, one.ratio);
      spread.most = std::max(spread.most, one.ratio);
      ++spread.cases;
    }
  std::vector<std::string> notes;
  for (const auto& [pair, spread] : pairs)
    notes.push_back(fmt::format("{}: two metrics disagree in {} of {} cases: {} is {} to {} times {}, which is the one shown", pair[0],
                                spread.cases, placements.size(), pair[2], plain(spread.least), plain(spread.most), pair[1]));
  return notes;
}

/// The metrics by which each level of imported cases was counted.
std::set<std::string> metric_notes(const std::vector<RooflinePlacement>& placements) {
  std::set<std::string> notes;
  for (const auto& p : placements)
    for (const auto& level : p.levels)
      if (!level.metrics.empty()) notes.insert(fmt::format("{} by {}: {}", level.level, bytes_source_text(p), level.metrics));
  return notes;
}

/// Notes on single cases, each said once for all that have it, and of which it is.
std::vector<std::string> case_notes(const std::vector<RooflinePlacement>& placements) {
  struct Told {
    std::string note, first;
    std::size_t cases = 0;
  };
  std::vector<Told> all;
  for (const auto& p : placements)
    for (const auto& note : p.notes) {
      auto found = std::find_if(all.begin(), all.end(), [&](const Told& one) { return one.note == note; });
      if (found == all.end()) found = all.insert(all.end(), {note, p.of->id});
      ++found->cases;
    }
  std::vector<std::string> notes;
  for (const auto& one : all)
    notes.push_back(one.cases == placements.size() ? one.note
                    : one.cases == 1               ? fmt::format("{} ({})", one.note, one.first)
                                                   : fmt::format("{} ({} cases, the first {})", one.note, one.cases, one.first));
  return notes;
}

std::vector<std::string> show_notes(const std::vector<RooflinePlacement>& placements, const std::vector<Ceiling>& ceilings,
                                    const std::optional<std::string>& uncounted) {
  if (placements.empty()) return ceilings.empty() ? std::vector{no_ceilings(placements)} : std::vector<std::string>{};
  std::vector<std::string> notes{
      "a case's name: precision, parameters, team (r2t1: 2 ranks of 1 thread each; g1: one GPU) and flavor (gcc12-O3-v3: compiler, "
      "optimization level, instruction set x86-64-v3); its time and GFLOP/s are the whole team's, of one sweep: the kernel's work done "
      "once",
      "AI: arithmetic intensity, FLOP/byte across a level's boundary towards the core, drawn against that level's bandwidth; none: no "
      "bytes "
      "cross it",
      "bound: the ceiling that limits a case most at its intensities; of roof: how much of that ceiling it reaches; bytes by: who counted "
      "them"};
  if (std::any_of(placements.begin(), placements.end(), [](const RooflinePlacement& p) { return !phase_of(p.of->id).empty(); }))
    notes.emplace_back(
        "#: a phase of the application above it, all its entries in a sweep; where ranks only exchange (halo, sum) it has no FLOPs, and "
        "its "
        "time is that of the messages and of waiting for the others");
  for (const auto& note : distance_notes(placements)) notes.push_back(note);
  if (std::any_of(placements.begin(), placements.end(), is_marked))
    notes.emplace_back("~: from an interval; an AI is its middle, a bound and its percentage are by the least traffic that it allows");
  if (ceilings.empty()) notes.emplace_back(no_ceilings(placements));
  if (uncounted) notes.push_back(*uncounted);
  for (const auto& note : metric_notes(placements)) notes.push_back(note);
  for (const auto& note : disagreement_notes(placements)) notes.push_back(note);
  for (const auto& reason : unseen_levels(placements)) notes.push_back(reason);
  for (const auto& note : case_notes(placements)) notes.push_back(note);
  return notes;
}

/// Notes on what the import of another profiler's file had to say.
std::vector<std::string> import_notes(const Results& results) {
  const Json provenance = Json::parse(results.provenance, nullptr, false);
  std::vector<std::string> notes;
  if (!provenance.is_object() || !provenance.contains("imported")) return notes;
  for (const auto& note : provenance["imported"].value("notes", Json::array()))
    if (note.is_string()) notes.push_back(note.get<std::string>());
  return notes;
}

/// Says by which convention GPUs' numbers are, where it is another one than ours, and of which cases they are not.
std::vector<std::string> convention_notes(const std::vector<RooflinePlacement>& placements, const std::string& convention) {
  const auto note = convention_note(convention);
  if (!note) return {};
  const auto others = std::count_if(placements.begin(), placements.end(), [](const RooflinePlacement& p) { return p.convention.empty(); });
  if (others == 0) return {*note};
  return {*note, fmt::format("convention '{}' is not defined for {} of {} cases, which no GPU's counters counted: these are by ours",
                             convention, others, placements.size())};
}

/// Counts that are there and not gone by; nullopt where there are none.
std::optional<std::string> without_set_note(const Measurements& measurements, const std::string& file) {
  if (events_counted(measurements, "cupti").empty()) return std::nullopt;
  return fmt::format(
      "the GPU's counters counted, and nothing here goes by them before they are scored: 'plumbline score {} --choose SET.toml' says which "
      "can be trusted, 'plumbline show {} --counters SET.toml' goes by those",
      file, file);
}

/// A note on what cannot be counted by the set.
std::string set_note(const CounterSet& set, const std::vector<NodeFacts>& nodes) {
  const bool here = std::all_of(nodes.begin(), nodes.end(), [&](const NodeFacts& node) { return set.chosen_on(node.core.name); });
  std::string text = fmt::format("counters as chosen on {}{}:", set.machine, here ? "" : ", another machine than this file's");
  for (const auto& chosen : set.counters)
    text += fmt::format(" {} ({}{}),", chosen.counter.name, chosen.grade, here ? "" : ", chosen elsewhere");
  text.back() = '.';
  for (const auto& one : set.uncovered) text += fmt::format(" {}: {}.", one.quantity, one.reason);
  return text + " An AI's interval is theirs";
}

struct ShowOptions : Selection {
  std::string set_file;          // empty: the run's own set, if it has one
  std::string by;                // a counter for the bytes, besides; empty: none
  std::string convention;        // of counting; empty: the file's
  std::string google_benchmark;  // file; empty: none
  bool machine = false;          // the nodes instead of the cases
};

/// Says where each case would lie by the counter of this name, if one is named; cases are in the order of the measured ones.
void displace(std::vector<ShownCase>& cases, const std::string& name, const Measurements& measurements, const Results& results) {
  if (name.empty()) return;
  const auto counters = scored_counters(results, measurements).counters;
  const auto found = std::find_if(counters.begin(), counters.end(),
                                  [&](const Counter& counter) { return counter.name == name && counter.convention == Convention::flow; });
  if (found == counters.end()) throw user_error(fmt::format("--by '{}' is no counter of this file; 'plumbline score' lists them", name));
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].displaced = displaced(cases[i].at, measurements.cases[i], *found);
}

Exit show_machine(const Results& results, const ShowOptions& selection) {
  const Json rows = machine_rows(results.machines);
  const Json provenance = Json::parse(results.provenance, nullptr, false);
  if (selection.format == Format::json)
    print(document("show-machine", selection.file, rows, {},
                   row_json(beside_machines_columns(), ShownMachines{results.machines, provenance})));
  if (selection.format == Format::csv) print(csv(rows));
  if (selection.format == Format::markdown) print(markdown(rows));
  if (selection.format == Format::text) print(machine_text(results.machines) + "\n" + provenance_text(provenance));
  return Exit::ok;
}

/// The profile of a program above its cases; empty where the file is of none.
std::string profile_part(const StoredProfile* profile, Format format) {
  if (profile == nullptr) return {};
  const auto kernels = stored_kernels(profile->shown.words, profile->rows);
  const std::string text = kernels ? kernels_text(*kernels) : shown_text(profile->shown);
  return format == Format::markdown ? fmt::format("```\n{}```\n\n", text) : text + "\n";
}

struct BesideCases {
  const StoredProfile* profile;  // null: the file is of no profiled program
};

Columns<BesideCases> beside_cases_columns() {
  return {object_column<BesideCases>("profile", "of a profiled program what was shown when it had run", stored_profile_columns(),
                                     &BesideCases::profile)
              .when([](const BesideCases& beside) { return beside.profile != nullptr; })};
}

Exit show_cases(const ShowOptions& selection) {
  const Results results = load_selected(selection);
  if (selection.machine) return show_machine(results, selection);
  constexpr std::size_t most_differences = 8;
  std::vector<std::string> notes = difference_notes(results.machines, most_differences);
  for (const auto& note : import_notes(results)) notes.push_back(note);
  const auto set = chosen_counters(results, selection.set_file);
  const auto nodes = node_facts(results, notes);
  if (set) notes.push_back(set_note(*set, nodes));
  const auto ceilings = fit_ceilings(results.ceilings, nodes);
  const Measurements measurements = measurements_of(results);
  if (!set && convention_for(results, selection.convention) == own_convention)
    if (const auto note = without_set_note(measurements, selection.file)) notes.push_back(*note);
  const auto placements = place(measurements, ceilings, set ? &*set : nullptr, profiler_metrics_for(results, selection.convention));
  for (const auto& note : convention_notes(placements, convention_for(results, selection.convention))) notes.push_back(note);
  for (const auto& note : show_notes(placements, ceilings, nothing_counted(results))) notes.push_back(note);
  if (selection.set_file.empty() && selection.convention.empty())
    if (const auto note = difference_from_file(selection.file, intensity_rows(placements, measurements, set ? &*set : nullptr)))
      notes.push_back(*note);
  const auto conditions = counter_conditions(results, measurements);
  for (const auto& note : conditions_notes(conditions)) notes.push_back(note);
  const auto theoretical = theoretical_occupancies(results, measurements);
  std::vector<ShownCase> cases;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    cases.push_back({placements[i], conditions[i], {}, {}, theoretical[i]});
    if (conditions[i]) cases.back().occupancy_roof = occupancy_roof(placements[i], conditions[i]->occupancy, ceilings);
  }
  displace(cases, selection.by, measurements, results);
  if (!selection.google_benchmark.empty()) write_output(selection.google_benchmark, google_benchmark_json(results));
  const auto profile = selection.kernel.empty() ? stored_profile(selection.file, results, placements) : nullptr;
  const auto rows = [&] { return rows_json(shown_case_columns(), cases); };
  const auto tables = [&] {
    return profile_part(profile.get(), selection.format) +
           (cases.empty() ? no_cases(ceilings, selection.file) + "\n" : cases_text(cases, selection.format));
  };
  if (selection.format == Format::json)
    print(document("show", selection.file, rows(), notes, row_json(beside_cases_columns(), BesideCases{profile.get()})));
  if (selection.format == Format::csv) print(csv(rows()));
  if (selection.format == Format::markdown) print(tables() + markdown_notes(notes));
  if (selection.format == Format::text) print(tables() + note_lines(notes));
  return Exit::ok;
}

}  // namespace

Json show_schema() {
  return document_schema("show", "The cases of a result file on the roofline", row_schema(shown_case_columns()),
                         row_schema(beside_cases_columns()));
}

Json show_machine_schema() {
  return document_schema("show-machine", "The nodes of a result file: how each is set up, and in what like nodes differ", machine_schema(),
                         row_schema(beside_machines_columns()));
}

void add_show(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("show", "the cases of a result file on the roofline: times, FLOP/s, arithmetic intensities, bounds");
  auto selection = std::make_shared<ShowOptions>();
  add_selection(*command, *selection);
  CLI::Option* const of_cases[] = {
      command->add_option("--by", selection->by,
                          "also where each case would lie with this counter's bytes, rejected or not ('accesses x 16 B')"),
      add_convention(*command, selection->convention),
      command->add_option("--counters", selection->set_file,
                          "a set that 'plumbline score --choose' wrote: FLOPs and bytes are its counters'"),
      command
          ->add_option("--google-benchmark", selection->google_benchmark,
                       "also write the times there as Google Benchmark's JSON, which its compare.py reads")
          ->type_name("FILE")};
  auto* machine = command->add_flag("--machine", selection->machine,
                                    "the nodes instead of the cases: how each is set up, and in what like nodes differ");
  for (auto* option : of_cases) machine->excludes(option);
  command->callback([&chosen, selection] { chosen = [selection] { return show_cases(*selection); }; });
}

}  // namespace plumbline::app
