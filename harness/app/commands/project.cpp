// The command plumbline project FROM --to TO tells run times on other nodes, from where each part of a program is bound here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/commands/command.hpp"
#include "app/commands/schemas.hpp"
#include "app/programs/profile_parts.hpp"
#include "app/results/projection_spec.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/columns.hpp"
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

/// Reads a side: a spec, or the first node of a result file with what it measured: of a profile the program by its functions, of which
/// `about_program` then tells.
ProjectionSpec side_of(const std::string& path, const std::string& kernel, std::vector<std::string>& notes,
                       std::vector<std::string>& about_program) {
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
  const auto placements = place(measurements, ceilings, set ? &*set : nullptr);
  if (!results.profile.empty() && kernel.empty())
    side.application = application_of(results.profile, placements, nodes.front().node, about_program);
  else
    side.application = {.name = "one sweep of each case", .groups = groups_of(placements, nodes.front().node)};
  if (side.node.ceilings.empty())
    throw user_error(fmt::format("{} has no ceilings; measure them with a [ceilings] table in the campaign", path));
  return side;
}

Rest rest_named(const std::string& word) {
  for (const Rest rest : {Rest::scaled, Rest::constant})
    if (word == to_string(rest)) return rest;
  throw user_error(fmt::format("--rest is '{}', but it must be constant or scaled", word));
}

// ------------------------------------------------------------------------------------------------------------------- columns

std::string kind_of(const ApplicationGroup& group) {
  return group.scope == "node" ? "threaded" : group.scope == "numa" ? "serial" : group.scope == "gpu" ? "GPU" : "single core";
}

std::string time_text(double seconds) { return seconds >= 1 ? fmt::format("{:.1f} s", seconds) : duration(seconds); }

std::string unit_suffix_of(const ProjectedGroup& p) { return p.from.unit == "GB/s" ? "gbs" : "gflops"; }

Columns<ProjectedGroup> projected_group_columns() {
  using Row = ProjectedGroup;
  return {Column<Row>("group", "part of the program", [](const Row& row) { return row.group.name; }).in_row("group", Align::left),
          Column<Row>("kind", "who does the part", [](const Row& row) { return kind_of(row.group); })
              .one_of({"threaded", "serial", "GPU", "single core"})
              .in_row("kind", Align::left),
          Column<Row>("bound", "name of the ceiling that bounds it", [](const Row& row) { return row.group.bound; })
              .in_row("bound by", Align::left, [](const Row& row) { return fmt::format("{} ({})", row.group.bound, row.group.scope); }),
          {"scope", "who shares that ceiling: node, numa, core or gpu", [](const Row& row) { return row.group.scope; }},
          {"seconds", "time of the part here", [](const Row& row) { return row.group.seconds; }},
          {"projected_seconds", "time of the part there", &Row::seconds},
          Column<Row>("from_value", "the ceiling here", [](const Row& row) { return row.from.value; })
              .in_row("here", Align::right, [](const Row& row) { return plain(row.from.value, 4); }),
          Column<Row>("to_value", "the ceiling there", [](const Row& row) { return row.to.value; })
              .in_row("there", Align::right, [](const Row& row) { return plain(row.to.value, 4); }),
          Column<Row>("unit", "unit of both", [](const Row& row) { return row.from.unit; }).in_row("unit", Align::left),
          Column<Row>(Heading{"before"}, [](const Row& row) { return time_text(row.group.seconds); }),
          Column<Row>(Heading{"projected"}, [](const Row& row) { return time_text(row.seconds); }),
          {"from_method", "how the ceiling here was found", [](const Row& row) { return row.from.method; }},
          {"to_method", "how the ceiling there was found", [](const Row& row) { return row.to.method; }},
          Column<Row>("from_{}", "the ceiling here", [](const Row& row) { return row.from.value; }).in_unit(unit_suffix_of),
          Column<Row>("to_{}", "the ceiling there", [](const Row& row) { return row.to.value; }).in_unit(unit_suffix_of)};
}

std::pair<Status, std::string> measured_there(const Projection& p) {
  const bool known = std::isfinite(p.measured_seconds);
  return {known ? Status::ok : Status::unavailable, known ? "" : "the target's spec has no measured_seconds"};
}

Columns<Projection> projection_columns() {
  using Row = Projection;
  Columns<Row> columns{{"from", "node that it was measured on", &Row::source},
                       {"to", "node that it is projected to", &Row::target},
                       {"rest", "what becomes of time that no group covers", &Row::rest},
                       {"covered_fraction", "part of the time that groups cover", &Row::covered_fraction},
                       {"seconds", "time of the program here", &Row::seconds_before},
                       {"projected_seconds", "time of the program there", &Row::seconds},
                       {"speedup", "how many times as fast it is there", &Row::speedup},
                       {"measured_seconds", "time of the program there as it was measured", &Row::measured_seconds},
                       {"error_percent", "how far the projection lies off that", &Row::error_percent},
                       Column<Row>("status", "ok", [](const Row&) { return "ok"; }).one_of({"ok"}),
                       {"reason", "null", [](const Row&) { return OrNull{}; }},
                       list_column<Row>("groups", "parts of the program", projected_group_columns(), &Row::groups)};
  add_explained(columns, "measured", "measured_seconds", measured_there);
  return columns;
}

/// The rows for CSV: a line a group, then the whole.
Json flat_rows(const std::vector<Projection>& projections) {
  Json rows = Json::array();
  for (const auto& p : projections) {
    for (const auto& group : p.groups) {
      Json row{{"from", p.source}, {"to", p.target}};
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

// ---------------------------------------------------------------------------------------------------------------------- text

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

std::string title_of(const Projection& p) { return fmt::format("{} -> {}\n\n", p.source, p.target); }

std::string result_of(const Projection& p) {
  std::string text = fmt::format("\nspeed-up {}", plain(p.speedup, 3));
  if (std::isfinite(p.measured_seconds))
    text += fmt::format("; measured there: {}, so the projection errs by {:+.1f} %", time_text(p.measured_seconds), p.error_percent);
  return text + "\n";
}

std::string projection_text(const Projection& p) {
  Table table(headings(projected_group_columns()));
  for (auto& line : lines_of(p)) table.add(std::move(line));
  return title_of(p) + table.text() + result_of(p);
}

std::string as_markdown(const Projection& p) {
  return title_of(p) + markdown(headings(projected_group_columns()), lines_of(p)) + result_of(p);
}

std::string rest_in_words(const Projection& p) {
  if (p.rest == Rest::constant) return "the rest, not covered by groups, is held constant";
  return fmt::format("the rest scales as the groups do: their sum is divided by the covered fraction, {}", plain(p.covered_fraction, 4));
}

Exit project_file(const ProjectOptions& options) {
  std::vector<std::string> notes;
  std::vector<std::string> about_program, about_others;
  const ProjectionSpec source = side_of(options.from, options.kernel, notes, about_program);
  const Application application = options.application.empty() ? source.application : read_application(options.application);
  if (application.groups.empty())
    throw user_error(fmt::format("{} has no [[groups]]; name the program's groups with --app app.toml{}", options.from,
                                 about_program.empty() ? "" : fmt::format(" (of its functions: {})", fmt::join(about_program, "; "))));
  if (options.application.empty()) notes.insert(notes.end(), about_program.begin(), about_program.end());
  std::vector<Projection> projections;
  for (const auto& path : options.to)
    projections.push_back(project(application, source.node, side_of(path, "", notes, about_others).node, options.rest));
  for (const auto& projection : projections)
    for (const auto& warning : projection.warnings) notes.push_back("warning: " + warning);
  const auto of_mix = [](const ProjectedGroup& group) { return group.is_of_mix; };
  if (std::any_of(projections.front().groups.begin(), projections.front().groups.end(), of_mix))
    notes.emplace_back("what arithmetic bounds goes by the roof of its own FMAs, sums and products on either side");
  notes.push_back(rest_in_words(projections.front()));

  if (options.format == Format::json) print(document("project", options.from, rows_json(projection_columns(), projections), notes));
  if (options.format == Format::csv) print(csv(flat_rows(projections)));
  const auto joined = [&](std::string (*form)(const Projection&)) {
    std::string text;
    for (const auto& projection : projections) text += (text.empty() ? "" : "\n\n") + form(projection);
    return text;
  };
  if (options.format == Format::markdown) print(joined(as_markdown) + markdown_notes(notes));
  if (options.format == Format::text) print(joined(projection_text) + note_lines(notes));
  return Exit::ok;
}

}  // namespace

Json project_schema() { return document_schema("project", "Run times on other nodes", row_schema(projection_columns()), Json()); }

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
