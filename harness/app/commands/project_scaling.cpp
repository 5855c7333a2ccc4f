#include "app/commands/project_scaling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "app/commands/schemas.hpp"
#include "app/results/application_schedule.hpp"
#include "app/results/placed_file.hpp"
#include "app/results/projection_record_file.hpp"
#include "app/results/scaling_table.hpp"
#include "app/terminal/streams.hpp"
#include "model/ceilings/mpi_ceilings.hpp"
#include "model/projecting/projection_record.hpp"
#include "model/scaling/ranks_record.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline::app {
namespace {

constexpr std::uint64_t most_nodes_asked = 10'000'000;
constexpr double half = 0.5;

// ------------------------------------------------------------------------------------------------------------------- links

LinkEnds links_of(const ScalingOptions& options, std::span<const Ceiling> ceilings, std::vector<std::string>& notes) {
  LinkEnds ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto end = static_cast<SampleEnd>(i);
    const auto inside = link_of(ceilings, "inside a node", end);
    auto between = link_of(ceilings, "between nodes", end);
    if (!inside && !between)
      throw user_error(
          fmt::format("{} has no ceilings of messages (MPI latency, one way); run its campaign on two ranks at least, with "
                      "[ceilings] mode = \"quick\"",
                      options.file));
    ends[i].inside = inside ? *inside : *between;
    if (options.link_latency_seconds)
      between = MessageLink{.latency_seconds = *options.link_latency_seconds,
                            .gap_seconds = ends[i].inside.gap_seconds,
                            .one_way_gbs = *options.link_gbs,
                            .both_ways_gbs = 2 * *options.link_gbs};
    ends[i].between = between;
    if (end != SampleEnd::middle) continue;
    const auto told = [](const MessageLink& link) {
      return fmt::format("{}, {} GB/s one way", duration(link.latency_seconds), plain(link.one_way_gbs));
    };
    if (inside) notes.push_back("messages inside a node: " + told(*inside) + " (measured)");
    if (!inside) notes.push_back("messages inside a node were not measured: they are told as those between nodes");
    if (between)
      notes.push_back("messages between nodes: " + told(*between) +
                      (options.link_latency_seconds ? " (assumed: --link-latency, --link-gbs)" : " (measured)"));
  }
  return ends;
}

// ------------------------------------------------------------------------------------------------------------- applications

/// Whether one case shows a node at work better than another of the same work: more of its cores, more ranks, faster.
bool fills_better(const TimedApplication& one, const TimedApplication& other) {
  if (one.oversubscribed != other.oversubscribed) return !one.oversubscribed;
  const auto workers = [](const TimedApplication& timed) { return timed.of->ranks * timed.of->threads; };
  if (workers(one) != workers(other)) return workers(one) > workers(other);
  if (one.of->ranks != other.of->ranks) return one.of->ranks > other.of->ranks;
  return one.scaled.seconds < other.scaled.seconds;
}

/// The case of each work that fills most of a node's cores, which is what each node of an allocation does.
std::vector<const TimedApplication*> homes_of(const std::vector<TimedApplication>& all, std::vector<std::string>& notes) {
  std::map<std::string, const TimedApplication*> by_work;
  std::vector<std::string> order;
  for (const auto& one : all) {
    const auto [at, is_new] = by_work.try_emplace(one.of->work, &one);
    if (is_new) order.push_back(one.of->work);
    if (!is_new && fills_better(one, *at->second)) at->second = &one;
  }
  std::vector<const TimedApplication*> homes;
  for (const auto& work : order) {
    if (by_work[work]->oversubscribed)
      notes.push_back("left out: " + work + " ran on more ranks than cores only");
    else
      homes.push_back(by_work[work]);
  }
  if (homes.size() < all.size())
    notes.emplace_back("of each work that team and flavor is told which has most of a node's cores, then most ranks, then the least time");
  return homes;
}

// ------------------------------------------------------------------------------------------------------------------ record

/// A projection from an application's home; `to`: the case that it is projected to, null where nobody ran it. The file tells runs apart.
RanksPair ranks_pair(const ScalingOptions& options, const TimedApplication& from, const TimedApplication* to, Scaling scaling) {
  const std::string run = std::filesystem::path(options.file).stem().string() + " ";
  return {.from = run + from.of->id,
          .to = to == nullptr ? "" : run + to->of->id,
          .from_machine = from.scaled.side.machine,
          .to_machine = from.scaled.side.machine,
          .kernel = from.of->kernel,
          .scaling = scaling};
}

/// Adds the pairs whose truth is known, but those that are no fair test.
void extend_record(const ScalingOptions& options, const std::vector<HeldScaling>& held, ProjectionRecord& record,
                   std::vector<std::string>& notes) {
  if (options.record.empty()) return;
  std::vector<RecordRow> rows;
  for (const auto& one : held)
    if (one.remark().empty()) rows.push_back(row_of(ranks_pair(options, *one.from, one.to, one.scaling), one.told, one.to->scaled.seconds));
  extend(record, rows);
  write_record(options.record, record);
  notes.push_back(fmt::format("{} holds {} pairs now", options.record, record.rows.size()));
}

// ------------------------------------------------------------------------------------------------------------------- rows

/// The numbers of nodes that a problem is told for: those asked for, up to the last that it can be cut for.
std::vector<std::uint64_t> told_sizes(std::vector<std::uint64_t> sizes, const std::optional<std::uint64_t>& most) {
  if (!most || sizes.back() <= *most) return sizes;
  const bool has_some = sizes.front() <= *most;
  std::erase_if(sizes, [&](std::uint64_t nodes) { return nodes > *most; });
  if (has_some && sizes.back() != *most) sizes.push_back(*most);
  return sizes;
}

struct AllTold {
  std::vector<ScalingRow> rows = {};
  std::vector<ScalingSummary> summaries = {};
  std::vector<HeldScaling> held = {};
};

/// The size where communication takes half has a row of its own, between the doubled ones.
void tell_half(const TimedApplication& home, const ScalingModel& model, Scaling scaling, const ScalingSummary& summary, AllTold& all) {
  if (!summary.half_nodes) return;
  const auto is_of_it = [&](const ScalingRow& row) { return row.of == &home && row.scaling == scaling; };
  const auto behind = std::ranges::find_if(
      all.rows, [&](const ScalingRow& row) { return is_of_it(row) && row.told.allocation.nodes >= *summary.half_nodes; });
  if (behind != all.rows.end() && behind->told.allocation.nodes == *summary.half_nodes) return;
  all.rows.insert(behind, {&home, scaling, model.at({*summary.half_nodes, home.scaled.ranks_of_node}, scaling)});
}

void tell(const TimedApplication& home, const ScalingModel& model, Scaling scaling, const std::vector<std::uint64_t>& asked, AllTold& all) {
  ScalingSummary summary{.of = &home, .scaling = scaling, .most_nodes = model.most_nodes(scaling), .calibration = model.calibration()};
  std::uint64_t before = 0;
  for (const std::uint64_t nodes : told_sizes(asked, summary.most_nodes)) {
    all.rows.push_back({&home, scaling, model.at({nodes, home.scaled.ranks_of_node}, scaling)});
    const bool is_half = all.rows.back().told.communication() >= half;
    if (!summary.half_nodes && before == 0 && is_half) summary.half_nodes = nodes;
    // Sums take more rounds where ranks are no power of two, so that it may be half behind the last size, and not at this one.
    const auto is_half_behind = [&] { return model.at({before + 1, home.scaled.ranks_of_node}, scaling).communication() >= half; };
    if (!summary.half_nodes && before > 0 && (is_half || (nodes - before > 1 && is_half_behind())))
      summary.half_nodes = model.first_half(before, nodes, scaling);
    before = nodes;
  }
  tell_half(home, model, scaling, summary, all);
  all.summaries.push_back(summary);
}

/// Projections from the fewest ranks of each application onto more of them in the same node, by both kinds of scaling.
std::vector<HeldScaling> held_of(const ScalingOptions& options, const std::vector<TimedApplication>& all, const LinkEnds& links,
                                 const std::vector<RecordRow>& record) {
  std::vector<HeldScaling> held;
  for (const Scaling scaling : options.scalings)
    for (const auto& from : all) {
      const auto is_alike = [&](const TimedApplication& other) {
        return scaling == Scaling::weak ? other.works_alike() == from.works_alike() : are_one_problem(from, other);
      };
      const auto is_before = [&](const TimedApplication& other) { return is_alike(other) && other.of->ranks < from.of->ranks; };
      if (from.oversubscribed || std::ranges::any_of(all, is_before)) continue;
      std::optional<ScalingModel> model;
      for (const auto& to : all) {
        if (!is_alike(to) || to.of->ranks <= from.of->ranks) continue;
        if (!model) model.emplace(from.scaled, links, options.seed);
        held.push_back({&from, &to, scaling, model->at({1, static_cast<std::uint64_t>(to.of->ranks)}, scaling, {&to.scaled.side, record})});
        take_interval(held.back().told, ranks_pair(options, from, &to, scaling), record);
      }
    }
  return held;
}

// --------------------------------------------------------------------------------------------------------------- printing

std::vector<std::string> reading_notes(const AllTold& all) {
  std::vector<std::string> notes;
  for (const auto& summary : all.summaries)
    if (const auto& d = summary.of->scaled.decomposition; summary.most_nodes == 0)
      notes.push_back(fmt::format("no strong scaling is told of {}: its ranks' {} are not cut", summary.of->of->kernel, d.layer));
  std::size_t inside = 0;
  std::vector<double> errors, sizes;
  for (const auto& held : all.held) {
    if (!held.remark().empty()) continue;
    inside += held.is_inside() ? 1 : 0;
    errors.push_back(held.error_percent());
    sizes.push_back(std::abs(errors.back()));
  }
  if (!errors.empty())
    notes.push_back(
        fmt::format("held against measurement: {} of {} intervals hold what was measured, the error is {:.1f} % in the median, with its "
                    "sign {:+.1f} %{}",
                    inside, errors.size(), median_of(sizes), median_of(errors),
                    errors.size() == all.held.size()
                        ? ""
                        : fmt::format(" ({} more are no fair test, as their remarks say)", all.held.size() - errors.size())));
  else
    notes.push_back(all.held.empty() ? "held against nothing: the file has no application on several numbers of ranks"
                                     : "held against nothing: no pair of the same file is a fair test, as their remarks say");
  notes.emplace_back("communication is all but computing: exchanging, summing, and waiting for slower ranks");
  notes.emplace_back("waiting: for the slowest ranks, which are never slower than in the slowest repetition that was measured");
  if (const auto learned = std::ranges::find_if(all.held, [](const auto& one) { return one.told.learned_pairs > 0; });
      learned != all.held.end())
    notes.push_back(fmt::format(
        "intervals onto other ranks come from {} projections of other applications in the record ({}), whose truth is known; onto "
        "more ranks than those have they are at least as wide",
        learned->told.learned_pairs, learned->told.learned_from));
  else if (!all.held.empty())
    notes.push_back(fmt::format(
        "intervals onto other ranks are the model's own: the record has fewer than {} projections of other applications onto more ranks",
        least_pairs));
  notes.emplace_back(
      "interval (90 %): what was seen at home, carried on; it does not know of links that others use too, of unlike nodes, or of slower "
      "moments, so that it is too narrow on many nodes");
  return notes;
}

template <class Row>
std::string rows_as(Format format, const Columns<Row>& columns, const std::vector<Row>& rows) {
  return rows.empty() ? "" : format == Format::markdown ? markdown(columns, rows) : aligned(columns, rows);
}

/// The rows of the three tables, each with its table's name first.
Json rows_of_all_tables(const AllTold& all) {
  Json rows = Json::array();
  const auto add = [&](const char* table, const Json& more) {
    for (const auto& one : more) {
      Json row{{"table", table}};
      row.update(one);
      rows.push_back(std::move(row));
    }
  };
  add("scaling", rows_json(scaling_columns(), all.rows));
  add("applications", rows_json(scaling_summary_columns(), all.summaries));
  add("held", rows_json(held_scaling_columns(), all.held));
  return rows;
}

void print_told(const ScalingOptions& options, const AllTold& all, const std::vector<std::string>& notes) {
  if (options.format == Format::json)
    return print(document(
        "project-scaling", options.file, rows_json(scaling_columns(), all.rows), notes,
        {{"applications", rows_json(scaling_summary_columns(), all.summaries)}, {"held", rows_json(held_scaling_columns(), all.held)}}));
  if (options.format == Format::csv) return print(csv(rows_of_all_tables(all)));
  std::string text = rows_as(options.format, scaling_columns(), all.rows);
  for (const auto& more :
       {rows_as(options.format, scaling_summary_columns(), all.summaries), rows_as(options.format, held_scaling_columns(), all.held)})
    if (!more.empty()) text += "\n" + more;
  print(text + (options.format == Format::markdown ? markdown_notes(notes) : note_lines(notes)));
}

}  // namespace

std::vector<std::uint64_t> nodes_in(const std::string& range) {
  const auto refuse = [&] {
    throw user_error(fmt::format("--nodes is '{}', but it must be a number or FROM:TO, from 1 to {}, as 1:10000", range, most_nodes_asked));
  };
  const auto number = [&](std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most_nodes_asked) refuse();
    return value;
  };
  const auto colon = range.find(':');
  const std::uint64_t first = number(std::string_view(range).substr(0, colon));
  const std::uint64_t last = colon == range.npos ? first : number(std::string_view(range).substr(colon + 1));
  if (last < first) refuse();
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t nodes = first; nodes < last; nodes *= 2) sizes.push_back(nodes);
  sizes.push_back(last);
  return sizes;
}

Exit project_scaling(const ScalingOptions& options) {
  const auto sizes = nodes_in(options.nodes);
  if (options.link_latency_seconds.has_value() != options.link_gbs.has_value())
    throw user_error("--link-latency and --link-gbs describe a link between nodes together: give both or neither");
  std::vector<std::string> notes;
  const PlacedFile file(options.file, options.kernel, notes);
  const LinkEnds links = links_of(options, fit_mpi_ceilings(file.results.ceilings), notes);
  if (sizes.back() > 1 && !links.front().between)
    throw user_error(
        fmt::format("{} has no ceilings of messages between nodes, for it was measured on one: measure on two, or say what the "
                    "link does by --link-latency SECONDS --link-gbs GB/S",
                    options.file));
  const auto all =
      timed_applications(file.results, file.measurements, file.ceilings, file.nodes, file.placements, application_schedule, notes);
  const auto homes = homes_of(all, notes);
  if (homes.empty()) {
    const auto why = std::ranges::find_if(notes, [](const std::string& note) { return note.starts_with("left out: "); });
    throw user_error(fmt::format("{} has no application to scale: {}", options.file,
                                 why != notes.end()
                                     ? why->substr(std::string_view("left out: ").size())
                                     : "none of its cases was timed by phases (proxies/heat2d, gsrb, multigrid, cg, tfqmr)"));
  }
  AllTold told;
  for (const TimedApplication* const home : homes) {
    const ScalingModel model(home->scaled, links, options.seed);
    for (const Scaling scaling : options.scalings) tell(*home, model, scaling, sizes, told);
  }
  ProjectionRecord record = options.record.empty() ? shared_record() : read_record(options.record, true);
  for (auto& row : told.rows)
    if (row.told.allocation.ranks() > row.of->scaled.ranks_of_node)
      open_interval(row.told, ranks_pair(options, *row.of, nullptr, row.scaling), record.rows);
  told.held = held_of(options, all, links, record.rows);
  for (auto& note : reading_notes(told)) notes.push_back(std::move(note));
  extend_record(options, told.held, record, notes);
  print_told(options, told, notes);
  return Exit::ok;
}

Json project_scaling_schema() {
  ObjectSchema more;
  more.add("applications", "each application by each kind of scaling",
           {{"type", "array"}, {"items", row_schema(scaling_summary_columns())}}, true);
  more.add("held", "projections onto more ranks of a node, beside what those took",
           {{"type", "array"}, {"items", row_schema(held_scaling_columns())}}, true);
  return document_schema("project-scaling", "Strong and weak scaling of applications", row_schema(scaling_columns()), more.json());
}

}  // namespace plumbline::app
