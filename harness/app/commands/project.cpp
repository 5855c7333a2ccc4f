// The command plumbline project FROM --to TO tells run times on other nodes, from where each part of a program is bound here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/project_matrix.hpp"
#include "app/commands/project_notes.hpp"
#include "app/commands/project_scaling.hpp"
#include "app/commands/schemas.hpp"
#include "app/programs/profile_parts.hpp"
#include "app/results/placed_file.hpp"
#include "app/results/projection_record_file.hpp"
#include "app/results/projection_spec.hpp"
#include "app/results/projection_table.hpp"
#include "app/terminal/columns.hpp"
#include "app/terminal/streams.hpp"
#include "model/placement/node_ceilings.hpp"
#include "model/projecting/projected_program.hpp"

namespace plumbline::app {
namespace {

struct ProjectOptions {
  std::vector<std::string> from;
  std::string application, record;
  std::vector<std::string> to;
  std::string kernel;
  Rest rest = Rest::scaled;
  Format format = Format::text;
  std::optional<std::vector<Method>> methods = {};  // preset: methods_for()
  bool matrix = false;
  HeldOut left_out = HeldOut::kernel;
  double limit_seconds = 60;
  ScalingOptions scaling = {};  // --nodes
};

bool is_toml(const std::string& path) { return std::filesystem::path(path).extension() == ".toml"; }

/// Reads a side: a spec, or the first node of a result file with what it measured: of a profile the program by its functions, of which
/// `about_program` then tells.
ProjectionSpec side_of(const std::string& path, const std::string& kernel, std::vector<std::string>& notes,
                       std::vector<std::string>& about_program) {
  if (is_toml(path)) return read_spec(path);
  const PlacedFile file(path, kernel, notes);
  const auto& nodes = file.nodes;
  if (nodes.empty())
    throw user_error(fmt::format("{} describes no machine, so it cannot be one side of a projection; {}", path,
                                 file.results.profile.empty() ? "measure it again with plumbline run" : "profile the program with roofs"));
  if (nodes.size() > 1) notes.push_back(fmt::format("{} has {} nodes; {} stands for it", path, nodes.size(), nodes.front().node));
  ProjectionSpec side{.node = node_spec(nodes.front(), file.ceilings), .application = {}};
  if (!file.results.profile.empty() && kernel.empty())
    side.application = application_of(file.results.profile, file.placements, nodes.front().node, about_program);
  else
    side.application = {.name = "one sweep of each case", .groups = groups_of(file.placements, nodes.front().node)};
  if (side.node.ceilings.empty())
    throw user_error(fmt::format("{} has no ceilings; measure them with a [ceilings] table in the campaign", path));
  return side;
}

std::vector<Method> methods_named(const std::string& words) {
  if (words == "all") return {Method::bandwidth, Method::roofline, Method::efficiency, Method::overlap, Method::ensemble};
  for (std::size_t i = 0; i < method_count; ++i)
    if (words == to_string(static_cast<Method>(i))) return {static_cast<Method>(i)};
  throw user_error(fmt::format("--method is '{}', but it must be bandwidth, roofline, efficiency, overlap, ensemble or all", words));
}

HeldOut left_out_named(const std::string& word) {
  if (word == "kernel") return HeldOut::kernel;
  if (word == "machine") return HeldOut::machine;
  throw user_error(fmt::format("--leave is '{}', but it must be kernel or machine", word));
}

std::vector<Scaling> scalings_named(const std::string& word) {
  if (word == "both") return {Scaling::strong, Scaling::weak};
  for (const Scaling scaling : {Scaling::strong, Scaling::weak})
    if (word == to_string(scaling)) return {scaling};
  throw user_error(fmt::format("--scaling is '{}', but it must be strong, weak or both", word));
}

Rest rest_named(const std::string& word) {
  for (const Rest rest : {Rest::scaled, Rest::constant})
    if (word == to_string(rest)) return rest;
  throw user_error(fmt::format("--rest is '{}', but it must be constant or scaled", word));
}

// ---------------------------------------------------------------------------------------------------------------- projecting

/// The record that overlaps and intervals come from: the user's, or the one that came along.
ProjectionRecord record_for(const ProjectOptions& options) {
  return options.record.empty() ? shared_record() : read_record(options.record, true);
}

/// The rows tell how far each method erred where a target's true time is known.
std::vector<RecordRow> known_rows(const std::vector<TargetProjections>& targets, const std::string& program) {
  std::vector<RecordRow> rows;
  const auto waits = [](const ProjectedGroup& one) { return one.group.waits; };
  for (const auto& [plain, told] : targets) {
    if (std::ranges::all_of(plain.groups, waits) || !std::isfinite(plain.measured_seconds)) continue;
    RecordRow row{.part = program,
                  .kernel = program,
                  .from = plain.source,
                  .to = plain.target,
                  .from_machine = plain.source,
                  .to_machine = plain.target,
                  .kind = "machine",
                  .bound_class = "machine, " + std::ranges::find(plain.groups, false, waits)->group.bound};
    ByMethod seconds = {absent, absent, absent, absent, absent};
    for (const auto& one : told) seconds[index_of(one.told.method)] = one.told.seconds;
    for (std::size_t i = 0; i < method_count; ++i) row.log_error[i] = std::log(seconds[i] / plain.measured_seconds);
    row.scale = expected_scale(0, seconds);
    rows.push_back(row);
  }
  return rows;
}

/// The methods that are asked: those named, else the equations; what these do not know of, distances of reuse, is asked of the ensemble.
std::vector<Method> methods_for(const ProjectOptions& options, const Application& application) {
  if (options.methods) return *options.methods;
  const bool has_reuse = std::ranges::any_of(application.groups, [](const ApplicationGroup& one) { return one.reuse.has_value(); });
  return has_reuse ? std::vector{Method::bandwidth, Method::ensemble} : std::vector{Method::bandwidth};
}

struct Target {
  std::string path;
  NodeSpec node;
};

/// Nodes of one name, of which there are many in a cloud, are told apart by their files, too.
void tell_apart(const std::string& from, NodeSpec& source, std::vector<Target>& targets) {
  std::map<std::string, std::set<std::string>> files;  // by name
  files[source.name].insert(from);
  for (const Target& one : targets) files[one.node.name].insert(one.path);
  const auto tell = [&](NodeSpec& one, const std::string& path) {
    if (files[one.name].size() > 1) one.name += fmt::format(" ({})", std::filesystem::path(path).filename().string());
  };
  tell(source, from);
  for (Target& one : targets) tell(one.node, one.path);
}

TargetProjections project_onto(const NodeSpec& target, const ProjectOptions& options, const Application& application,
                               const NodeSpec& source, const ProjectionRecord& record, std::vector<std::string>& notes) {
  TargetProjections one{.plain = project(application, source, target, options.rest)};
  const auto all = project_program(one.plain, application, source, target, record.overlaps, record.rows);
  for (auto& group : one.plain.groups) group.there = group_bytes(group.group, source, target);
  for (const Method method : methods_for(options, application)) {
    ToldProjection& told = one.told.emplace_back(ToldProjection{one.plain, all[index_of(method)]});
    for (std::size_t i = 0; i < told.plain.groups.size(); ++i) told.plain.groups[i].seconds = told.told.group_seconds[i];
  }
  note_unsaid(one, application, source, target, notes);
  return one;
}

/// A target that something is wrong with is left out, and the others stay. The last one to be left out throws, for all.
class LeftOut {
 public:
  explicit LeftOut(std::size_t targets) : remaining_(targets) {}

  template <class Work>
  void attempt(const std::string& path, Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      leave_out(path, error.what());
      if (remaining_ == 0) throw Error(error.code(), lines_.size() == 1 ? error.what() : fmt::format("{}", fmt::join(lines_, "; ")));
    } catch (const Json::exception& error) {
      leave_out(path, fmt::format("a document in it is not as plumbline writes it ({})", error.what()));
      if (remaining_ == 0) throw;
    }
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void leave_out(const std::string& path, const std::string& why) {
    --remaining_;
    lines_.push_back(fmt::format("{} is left out: {}", path, why));
  }

  std::size_t remaining_;
  std::vector<std::string> lines_;
};

std::vector<TargetProjections> project_all(const ProjectOptions& options, const Application& application, NodeSpec source,
                                           const ProjectionRecord& record, std::vector<std::string>& notes, LeftOut& left_out) {
  std::vector<Target> nodes;
  std::vector<std::string> about_others;
  for (const auto& path : options.to) left_out.attempt(path, [&] { nodes.push_back({path, side_of(path, "", notes, about_others).node}); });
  tell_apart(options.from.front(), source, nodes);
  std::vector<TargetProjections> targets;
  for (const auto& [path, target] : nodes)
    left_out.attempt(path, [&] { targets.push_back(project_onto(target, options, application, source, record, notes)); });
  note_doubts(targets.front(), application, source, notes);
  return targets;
}

void print_all(const ProjectOptions& options, const std::vector<TargetProjections>& targets, const std::vector<std::string>& notes) {
  std::vector<ToldProjection> rows;
  for (const auto& target : targets) rows.insert(rows.end(), target.told.begin(), target.told.end());
  if (options.format == Format::json) print(document("project", options.from.front(), rows_json(projection_columns(), rows), notes));
  if (options.format == Format::csv) print(csv(flat_rows(rows)));
  const auto joined = [&](std::string (*form)(const TargetProjections&)) {
    std::string text;
    for (const auto& target : targets) text += (text.empty() ? "" : "\n\n") + form(target);
    return text;
  };
  if (options.format == Format::markdown) print(joined(projection_markdown) + markdown_notes(notes));
  if (options.format == Format::text) print(joined(projection_text) + note_lines(notes));
}

Exit project_file(const ProjectOptions& options) {
  std::vector<std::string> notes, about_program;
  const ProjectionSpec source = side_of(options.from.front(), options.kernel, notes, about_program);
  if (!options.kernel.empty() && (!options.application.empty() || is_toml(options.from.front())))
    throw user_error("--kernel is of measured cases; " +
                     std::string(options.application.empty() ? "a spec.toml has none" : "with --app the groups are those of its file"));
  Application application = options.application.empty() ? source.application : read_application(options.application);
  if (application.groups.empty())
    throw user_error(fmt::format("{} has no [[groups]]; name the program's groups with --app app.toml{}", options.from.front(),
                                 about_program.empty() ? "" : fmt::format(" (of its functions: {})", fmt::join(about_program, "; "))));
  if (options.application.empty()) notes.insert(notes.end(), about_program.begin(), about_program.end());
  if (application.name.empty()) application.name = std::filesystem::path(options.from.front()).stem().string();
  ProjectionRecord record = record_for(options);
  LeftOut left_out(options.to.size());
  const auto targets = project_all(options, application, source.node, record, notes, left_out);
  add_projection_notes(targets, notes);
  notes.insert(notes.end(), left_out.lines().begin(), left_out.lines().end());
  if (!options.record.empty()) {
    extend(record, known_rows(targets, application.name));
    write_record(options.record, record);
    notes.push_back(fmt::format("{} holds {} pairs now", options.record, record.rows.size()));
  }
  print_all(options, targets, notes);
  for (const std::string& line : left_out.lines())
    if (options.format == Format::csv) say(fmt::format("plumbline: {}\n", line));  // CSV has no notes
  return left_out.lines().empty() ? Exit::ok : Exit::io_or_failed_case;
}

Exit project_as_asked(const ProjectOptions& options) {
  if (options.matrix) {
    if (!options.to.empty() || !options.application.empty())
      throw user_error("--matrix projects each side onto each other; --to and --app are for one projection");
    return project_matrix({.files = options.from,
                           .kernel = options.kernel,
                           .left_out = options.left_out,
                           .record = options.record,
                           .limit_seconds = options.limit_seconds,
                           .format = options.format});
  }
  if (options.from.size() > 1) throw user_error("project takes one FROM; several files are for --matrix");
  if (!options.scaling.nodes.empty()) {
    if (!options.to.empty() || !options.application.empty())
      throw user_error("--nodes is for more nodes like those of FROM; --to and --app are for other nodes");
    if (is_toml(options.from.front())) throw user_error("--nodes takes a result file, for a spec.toml has no application timed by phases");
    ScalingOptions scaling = options.scaling;
    scaling.file = options.from.front(), scaling.kernel = options.kernel, scaling.format = options.format, scaling.record = options.record;
    return project_scaling(scaling);
  }
  if (options.to.empty())
    throw user_error("project needs --to, the other node (a result file or a spec.toml), --nodes FROM:TO, or --matrix");
  return project_file(options);
}

void add_scaling_options(CLI::App& command, ScalingOptions& options, const std::vector<CLI::Option*>& others) {
  auto* const nodes = command
                          .add_option("--nodes", options.nodes,
                                      "the applications of FROM that were timed by phases, on so many nodes: their strong and weak scaling")
                          ->option_text("FROM:TO");
  for (CLI::Option* const other : others) nodes->excludes(other);
  command
      .add_option_function<std::string>(
          "--scaling", [&options](const std::string& word) { options.scalings = scalings_named(word); },
          "of --nodes: strong (the problem stays), weak (every rank keeps its share), or both")
      ->needs(nodes)
      ->option_text("strong|weak|both [both]");
  command
      .add_option("--link-latency", options.link_latency_seconds,
                  "of --nodes: seconds that a small message takes between nodes, in the place of what FROM measured")
      ->needs(nodes)
      ->check(number_within(1e-9, 1.0, "a number of seconds"))
      ->option_text("SECONDS");
  command.add_option("--link-gbs", options.link_gbs, "of --nodes: bandwidth between nodes one way")
      ->needs(nodes)
      ->check(number_within(1e-3, 1e5, "a number of GB/s"))
      ->option_text("GB/S");
  constexpr std::uint64_t least_seed = 0, largest_seed = 1'000'000'000'000'000'000;
  command.add_option("--seed", options.seed, "of --nodes: seed of the simulation of waiting")
      ->needs(nodes)
      ->check(number_within(least_seed, largest_seed, "a whole number"))
      ->option_text("NUMBER [1]");
}

}  // namespace

Json project_schema() { return document_schema("project", "Run times on other nodes", row_schema(projection_columns()), Json()); }

void add_project(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("project", "run times on other nodes, by the ceilings that bound each part of a program");
  auto options = std::make_shared<ProjectOptions>();
  command->footer(
      "A spec.toml holds a node's ceilings, an app.toml a program's groups:\n"
      "  spec  schema = \"plumbline-spec/1\"  name  [machine] [cores] [issue_width] [measured_seconds] [launch_seconds]  [[ceilings]] name "
      "value unit [scope] [size_bytes] [ways] [clock_hz] method\n"
      "  app   schema = \"plumbline-app/1\"  [name] [rest_seconds] [covered_fraction]  [[groups]] name seconds [kind] [bound] [precision] "
      "[flops] [fma_part] [scalar_part] [instructions] [bytes] [working_set_bytes] [launches]\n"
      "  unit: GB/s or GFLOP/s; scope: node, numa, core or gpu [node]; kind: threaded, serial or gpu [threaded]; bound: a ceiling's name "
      "[mem]\n"
      "A spec may hold the keys of an app too. Explained, with an example: harness/model/README.md");
  command
      ->add_option(
          "FROM", options->from,
          "where the times come from: a result file (.h5), or a spec.toml with the node's ceilings; of --matrix one or several files")
      ->required();
  command
      ->add_option("--to", options->to,
                   "the other node: a result file or a spec.toml; may be repeated: one that is wrong is left out, with exit code 1")
      ->expected(1)
      ->take_all();
  command->add_option("--app", options->application, "app.toml with the program's groups; preset: those of FROM, or its measured cases");
  command->add_option("--kernel", options->kernel, "of the measured cases only these (glob)");
  auto* const rest = command
                         ->add_option_function<std::string>(
                             "--rest", [options](const std::string& word) { options->rest = rest_named(word); },
                             "what becomes of time that no group covers: scaled or constant")
                         ->option_text("scaled|constant [scaled]");
  auto* const method = command
                           ->add_option_function<std::string>(
                               "--method", [options](const std::string& words) { options->methods = methods_named(words); },
                               "how to project: bandwidth (equations 5 to 7), roofline, efficiency, overlap, ensemble, or all")
                           ->option_text("NAME [bandwidth; with reuse distances ensemble, too]");
  command->add_option("--record", options->record,
                      "JSON file of projections whose truth is known: intervals come from it, and what becomes known here is added");
  auto* const matrix =
      command
          ->add_flag("--matrix", options->matrix,
                     "project every case from each kind of node, team and instruction set to each other, and judge the methods by it")
          ->excludes(method)
          ->excludes(rest);
  command
      ->add_option_function<std::string>(
          "--leave", [options](const std::string& word) { options->left_out = left_out_named(word); },
          "of --matrix: what is left out of all that a pair is told by: its kernel, or its target's machine")
      ->needs(matrix)
      ->option_text("kernel|machine [kernel]");
  command->add_option("--limit", options->limit_seconds, "of --matrix: seconds that it may take")
      ->needs(matrix)
      ->check(number_within(1e-9, 1e6, "a number"))
      ->option_text("SECONDS [60]");
  add_scaling_options(*command, options->scaling, {matrix, method, rest});
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return project_as_asked(*options); }; });
}

}  // namespace plumbline::app
