// The command plumbline project FROM --to TO tells run times on other nodes, from where each part of a program is bound here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/commands/command.hpp"
#include "app/results/projection_spec.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/streams.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "model/placement/node_ceilings.hpp"

namespace plumbline::app {
namespace {

struct ProjectOptions {
  std::string from, application;
  std::vector<std::string> to;
  std::string kernel;
  Rest rest = Rest::scaled;
  Format format = Format::text;
};

bool is_toml(const std::string& path) { return std::filesystem::path(path).extension() == ".toml"; }

/// Reads a side: a spec, or the first node of a result file with what it measured.
ProjectionSpec side_of(const std::string& path, const std::string& kernel, std::vector<std::string>& notes) {
  if (is_toml(path)) return read_spec(path);
  Selection selection;
  selection.file = path;
  selection.kernel = kernel;
  const Results results = load_selected(selection);
  const auto nodes = node_facts(results, notes);
  if (nodes.empty()) throw user_error(fmt::format("{} describes no machine, so it cannot be one side of a projection", path));
  if (nodes.size() > 1) notes.push_back(fmt::format("{} has {} nodes; {} stands for it", path, nodes.size(), nodes.front().node));
  auto ceilings = fit_ceilings(results.ceilings, nodes);
  hold_to_limits(ceilings, results.ceilings, nodes);
  const Measurements measurements = measurements_of(results);
  const auto set = chosen_counters(results, "");
  ProjectionSpec side{.node = node_spec(nodes.front(), ceilings), .application = {}};
  side.application = {.name = "one sweep of each case",
                      .groups = groups_of(place(measurements, ceilings, set ? &*set : nullptr), nodes.front().node)};
  if (side.node.ceilings.empty())
    throw user_error(fmt::format("{} has no ceilings; measure them with a [ceilings] table in the campaign", path));
  return side;
}

std::string_view word_of(Rest rest) { return rest == Rest::scaled ? "scaled" : "constant"; }

Rest rest_named(const std::string& word) {
  for (const Rest rest : {Rest::scaled, Rest::constant})
    if (word == word_of(rest)) return rest;
  throw user_error(fmt::format("--rest is '{}', but it must be constant or scaled", word));
}

// ---------------------------------------------------------------------------------------------------------------------- JSON

std::string kind_of(const ApplicationGroup& group) {
  return group.scope == "node" ? "threaded" : group.scope == "numa" ? "serial" : group.scope == "gpu" ? "GPU" : "single core";
}

Json group_json(const ProjectedGroup& p) {
  const std::string unit = p.from.unit == "GB/s" ? "gbs" : "gflops";
  return {{"group", p.group.name},      {"kind", kind_of(p.group)},       {"bound", p.group.bound},     {"scope", p.group.scope},
          {"seconds", p.group.seconds}, {"projected_seconds", p.seconds}, {"from_value", p.from.value}, {"to_value", p.to.value},
          {"unit", p.from.unit},        {"from_method", p.from.method},   {"to_method", p.to.method},   {"from_" + unit, p.from.value},
          {"to_" + unit, p.to.value}};
}

Json row_of(const Projection& p) {
  Json groups = Json::array();
  for (const auto& group : p.groups) groups.push_back(group_json(group));
  Json row{{"from", p.source},
           {"to", p.target},
           {"rest", std::string(word_of(p.rest))},
           {"covered_fraction", number(p.covered_fraction)},
           {"seconds", number(p.seconds_before)},
           {"projected_seconds", number(p.seconds)},
           {"speedup", number(p.speedup)},
           {"measured_seconds", number(p.measured_seconds)},
           {"error_percent", number(p.error_percent)},
           {"status", "ok"},
           {"reason", nullptr},
           {"groups", groups}};
  const bool known = std::isfinite(p.measured_seconds);
  explain(row, "measured", known ? Status::ok : Status::unavailable, known ? "" : "the target's spec has no measured_seconds");
  return row;
}

/// The rows for CSV: a line a group, then the whole.
Json flat_rows(const std::vector<Projection>& projections) {
  Json rows = Json::array();
  for (const auto& p : projections) {
    for (const auto& group : p.groups) {
      Json row{{"from", p.source}, {"to", p.target}};
      row.update(group_json(group));
      rows.push_back(row);
    }
    Json whole = row_of(p);
    whole.erase("groups");
    whole["group"] = "overall";
    rows.push_back(whole);
  }
  return rows;
}

// ---------------------------------------------------------------------------------------------------------------------- text

std::string time_text(double seconds) { return seconds >= 1 ? fmt::format("{:.1f} s", seconds) : duration(seconds); }

std::string as_text(const Projection& p) {
  std::string text = fmt::format("{} -> {}\n\n", p.source, p.target);
  Table table({{"group", Align::left},
               {"kind", Align::left},
               {"bound by", Align::left},
               {"here"},
               {"there"},
               {"unit", Align::left},
               {"before"},
               {"projected"}});
  for (const auto& group : p.groups)
    table.add({group.group.name, kind_of(group.group), fmt::format("{} ({})", group.group.bound, group.group.scope),
               plain(group.from.value, 4), plain(group.to.value, 4), group.from.unit, time_text(group.group.seconds),
               time_text(group.seconds)});
  double covered = 0, covered_after = 0;
  for (const auto& group : p.groups) {
    covered += group.group.seconds;
    covered_after += group.seconds;
  }
  if (p.seconds_before > covered || p.seconds > covered_after)
    table.add({"the rest", std::string(word_of(p.rest)), "", "", "", "", time_text(p.seconds_before - covered),
               time_text(p.seconds - covered_after)});
  table.add({"overall", "", "", "", "", "", time_text(p.seconds_before), time_text(p.seconds)});
  text += table.text() + fmt::format("\nspeed-up {}", plain(p.speedup, 3));
  if (std::isfinite(p.measured_seconds))
    text += fmt::format("; measured there: {}, so the projection errs by {:+.1f} %", time_text(p.measured_seconds), p.error_percent);
  return text + "\n";
}

std::string rest_in_words(const Projection& p) {
  if (p.rest == Rest::constant) return "the rest, not covered by groups, is held constant";
  return fmt::format("the rest scales as the groups do: their sum is divided by the covered fraction, {}", plain(p.covered_fraction, 4));
}

Exit project_file(const ProjectOptions& options) {
  std::vector<std::string> notes;
  const ProjectionSpec source = side_of(options.from, options.kernel, notes);
  const Application application = options.application.empty() ? source.application : read_application(options.application);
  if (application.groups.empty())
    throw user_error(fmt::format("{} has no [[groups]]; name the program's groups with --app app.toml", options.from));
  std::vector<Projection> projections;
  for (const auto& path : options.to) projections.push_back(project(application, source.node, side_of(path, "", notes).node, options.rest));
  for (const auto& projection : projections)
    for (const auto& warning : projection.warnings) notes.push_back("warning: " + warning);
  const auto of_mix = [](const ProjectedGroup& group) { return group.is_of_mix; };
  if (std::any_of(projections.front().groups.begin(), projections.front().groups.end(), of_mix))
    notes.emplace_back("what arithmetic bounds goes by the roof of its own FMAs, sums and products on either side");
  notes.push_back(rest_in_words(projections.front()));

  Json rows = Json::array();
  for (const auto& projection : projections) rows.push_back(row_of(projection));
  if (options.format == Format::json) print(document("project", options.from, rows, notes));
  if (options.format == Format::csv) print(csv(flat_rows(projections)));
  if (options.format != Format::text) return Exit::ok;
  std::string text;
  for (const auto& projection : projections) text += (text.empty() ? "" : "\n\n") + as_text(projection);
  print(text + note_lines(notes));
  return Exit::ok;
}

}  // namespace

void add_project(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("project", "run times on other nodes, by the ceilings that bound each part of a program");
  auto options = std::make_shared<ProjectOptions>();
  command->footer(
      "A spec.toml holds a node's ceilings, an app.toml a program's groups:\n"
      "  spec  schema = \"plumbline-spec/1\"  name  [measured_seconds]  [[ceilings]] name value unit [scope] method\n"
      "  app   schema = \"plumbline-app/1\"  [name] [rest_seconds] [covered_fraction]  [[groups]] name seconds [kind] [bound]\n"
      "  unit: GB/s or GFLOP/s; scope: node, numa, core or gpu [node]; kind: threaded, serial or gpu [threaded]; bound: a ceiling's name "
      "[mem]\n"
      "A spec may hold the keys of an app too. Explained, with an example: harness/model/README.md");
  command->add_option("FROM", options->from, "where the times come from: a result file (.h5), or a spec.toml with the node's ceilings")
      ->required();
  command->add_option("--to", options->to, "the other node: a result file or a spec.toml; may be repeated")
      ->required()
      ->expected(1)
      ->take_all();
  command->add_option("--app", options->application, "app.toml with the program's groups; preset: those of FROM, or its measured cases");
  command->add_option("--kernel", options->kernel, "of the measured cases only these (glob)");
  command
      ->add_option_function<std::string>(
          "--rest", [options](const std::string& word) { options->rest = rest_named(word); },
          "what becomes of time that no group covers: scaled or constant")
      ->option_text("scaled|constant [scaled]");
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return project_file(*options); }; });
}

}  // namespace plumbline::app
