#include "app/results/show_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/results/counter_conditions.hpp"
#include "app/results/imported.hpp"
#include "app/results/time_roofline_columns.hpp"
#include "core/gpu_device.hpp"
#include "model/ceilings/gpu_ceilings.hpp"

namespace plumbline::app {

namespace {

/// The short name of a case, "triad n=1000": the work id without suite and precision.
std::string label_of(const CaseRow& row) {
  std::string label = row.kernel.substr(row.kernel.rfind('/') + 1);
  const std::string head = row.kernel + "/" + row.precision, work = case_of(row.work), phase = phase_of(row.work);
  if (work.size() > head.size()) label += " " + work.substr(head.size() + 1);
  if (!phase.empty()) label += " " + phase;
  for (char& c : label)
    if (c == '/') c = ' ';
  return label;
}

/// A column's value that is of the place of a case, or of the case.
auto of_place(auto value) {
  return [value](const ShownCase& shown) { return std::invoke(value, shown.at); };
}
auto of_case(auto value) {
  return [value](const ShownCase& shown) { return std::invoke(value, *shown.at.of); };
}

Columns<LevelIntensity> intensity_level_columns() {
  using Row = LevelIntensity;
  Columns<Row> columns{
      {"bytes", "bytes that cross the level's boundary towards the core in a sweep, of the whole team", &Row::bytes},
      {"bytes_lo", "lower end of the interval of bytes", &Row::bytes_lo},
      {"bytes_hi", "upper end of the interval of bytes", &Row::bytes_hi},
      {"ai", "arithmetic intensity, FLOP/byte", &Row::ai},
      {"ai_lo", "lower end of the interval of ai", &Row::ai_lo},
      {"ai_hi", "upper end of the interval of ai", &Row::ai_hi},
      {"source", "who counted the bytes: emulated, hardware, model, another profiler", [](const Row& l) { return OrNull{l.source}; }},
      {"status", "ok, or in a word why there is no intensity", &Row::status},
      {"reason", "why there is no intensity", [](const Row& l) { return OrNull{l.reason}; }}};
  add_explained<Row>(
      columns, "ai_hi", "ai_hi",
      [](const Row&) { return std::pair(Status::unavailable, std::string("no traffic across this boundary cannot be ruled out")); },
      [](const Row& l) { return l.status == Status::ok && !std::isfinite(l.ai_hi); });
  columns.push_back(
      Column<Row>("metrics", "another profiler's metrics, by which the bytes were counted", &Row::metrics).when([](const Row& l) {
        return !l.metrics.empty();
      }));
  return columns;
}

std::vector<std::pair<std::string, LevelIntensity>> named_levels(const RooflinePlacement& placement) {
  std::vector<std::pair<std::string, LevelIntensity>> levels;
  for (const auto& level : placement.levels) levels.emplace_back(level.level, level);
  return levels;
}

/// The columns that tell which case it is.
Columns<ShownCase> identity_columns() {
  using Row = ShownCase;
  return {
      Column<Row>("case", "id of the case", of_case(&CaseRow::id)).in_row("case", Align::left, of_case(case_cell)).at_most(46),
      Column<Row>("phase", "phase of an application that the row is of, on a level of a multigrid as red@2; absent for the whole",
                  of_case([](const CaseRow& row) { return phase_of(row.id); }))
          .when([](const Row& shown) { return !phase_of(shown.at.of->id).empty(); }),
      {"kernel", "kernel that was run", of_case(&CaseRow::kernel)},
      {"label", "short name of the case", of_case(label_of)},
      {"precision", "number format of its arithmetic, as fp64", of_case(&CaseRow::precision)},
      {"flavor", "how it was compiled", of_case(&CaseRow::flavor)},
      {"ranks", "ranks of the team that ran it", of_case(&CaseRow::ranks)},
      {"threads", "threads of each rank", of_case(&CaseRow::threads)},
      {"gpus", "GPUs of the team", of_case(&CaseRow::gpus)},
      {"gpu", "which of the node's GPUs ran it, as GPU, or GPU, GPU1", [](const Row& shown) { return OrNull{gpu_words(shown.at.gpus)}; }},
      {"node", "node that it ran on", of_place(&RooflinePlacement::node)}};
}

/// The columns of the roof over a case.
Columns<ShownCase> roof_columns() {
  using Row = ShownCase;
  using Place = RooflinePlacement;
  return {Column<Row>("bound", "level that bounds it, or compute", of_place([](const Place& p) { return OrNull{p.bound}; }))
              .in_row("bound", Align::right, of_place(bound_cell)),
          {"bound_ceiling", "name of the ceiling that bounds it", of_place([](const Place& p) { return OrNull{p.bound_ceiling}; })},
          {"roof_precision", "number format of most of its arithmetic, by which its roof is chosen", of_place(&Place::roof_precision)},
          {"roof_gflops", "roof over it", of_place(&Place::roof_gflops)},
          Column<Row>("percent_of_roof", "part of the roof that the case reaches", of_place(&Place::percent_of_roof))
              .in_row("of roof", Align::right, of_place(percent_of_roof_cell)),
          {"bound_status", "ok, or in a word why it has no bound", of_place(&Place::bound_status)},
          {"bound_reason", "why it has no bound", of_place([](const Place& p) { return OrNull{p.bound_reason}; })},
          {"bound_is_certain", "false: with more traffic than the least there is another bound or percentage",
           of_place(&Place::bound_is_certain)}};
}

Columns<ShownCase> place_columns() {
  using Row = ShownCase;
  using Place = RooflinePlacement;
  Columns<Row> columns = identity_columns();
  columns.push_back(
      Column<Row>("seconds", "time of a sweep", of_place(&Place::seconds)).in_row("sweep time", Align::right, of_place([](const Place& p) {
                                                                                    return duration(p.seconds);
                                                                                  })));
  columns.push_back(Column<Row>("gflops", "rate of the whole team", of_place(&Place::gflops))
                        .in_row("GFLOP/s", Align::right, of_place([](const Place& p) { return plain(p.gflops); })));
  columns.push_back({"flops", "FLOPs of a sweep, of the whole team", of_place(&Place::flops)});
  columns.push_back(named_rows_column<Row>("levels", "its intensity at each level", intensity_level_columns(), of_place(named_levels)));
  columns.append(roof_columns());
  columns.push_back({"join", "how times came to counts: same, transferred, model, none", of_place(&Place::join)});
  columns.push_back(Column<Row>("bytes_source", "who counted the bytes: emulated, hardware, model, mixed, another profiler",
                                of_place([](const Place& p) { return OrNull{p.bytes_source}; }))
                        .in_row("bytes by", Align::left, of_place([](const Place& p) {
                                  return p.join == Join::same ? bytes_source_text(p) : std::string(to_string(p.join));
                                })));
  columns.push_back(Column<Row>("convention", "convention by which its FLOPs and bytes are counted, where it is another one than ours",
                                of_place(&Place::convention))
                        .when([](const Row& shown) { return !shown.at.convention.empty(); }));
  columns.push_back({"status", "ok, or in a word why it has no place", of_place(&Place::status)});
  columns.push_back({"reason", "why it has no place", of_place([](const Place& p) { return OrNull{p.reason}; })});
  columns.push_back({"notes", "what should be known besides, in sentences", of_place(&Place::notes)});
  return columns;
}

/// A number of a shortfall is left out where it is not known.
Column<Shortfall> where_known(const char* key, const char* meaning, double Shortfall::*number) {
  return Column<Shortfall>(key, meaning, number).when([number](const Shortfall& by) { return std::isfinite(by.*number); });
}

Columns<Shortfall> shortfall_columns() {
  return {{"limits", "words for what limits it", &Shortfall::limits},
          where_known("scalar_part", "part of its floating-point instructions that work on one number", &Shortfall::scalar_part),
          where_known("scalar_roof_gflops", "roof of its arithmetic on one number at a time", &Shortfall::scalar_gflops),
          where_known("instructions_per_cycle", "instructions a cycle of each core", &Shortfall::instructions_per_cycle),
          where_known("core_part", "part of the time that its cores need for its instructions alone, their data in L1", &Shortfall::core_part),
          where_known("launch_seconds", "least time of a launch on the GPU", &Shortfall::launch_seconds),
          where_known("launches", "launches of a sweep on each GPU", &Shortfall::launches)};
}

std::pair<Status, std::string> why_no_shortfall(const ShownCase& shown) {
  const auto& by = shown.at.shortfall;
  if (!by) return {Status::skipped, shown.at.bound.empty() ? "the case has no bound" : "the case is not far below its roof"};
  return {by->limits.empty() ? Status::unavailable : Status::ok, by->reason};
}

/// Adds what else limits a case far below its roof, and why one is above it.
void add_distance(Columns<ShownCase>& columns) {
  columns.push_back(object_column<ShownCase>("shortfall", "what else limits it, far below its roof", shortfall_columns(),
                                             [](const ShownCase& shown) { return shown.at.shortfall.value_or(Shortfall{}); }));
  add_explained(columns, "shortfall", "a known limit of the shortfall", why_no_shortfall);
  columns.push_back({"above_roof_reason", "why it may be above its roof, where it is",
                     of_place([](const RooflinePlacement& p) { return OrNull{p.above_roof}; })});
}

std::pair<Status, std::string> why_no_compute_roof(const ShownCase& shown) {
  const ComputeRoof& roof = shown.at.compute;
  if (roof.gflops > 0) return {Status::ok, ""};
  return {Status::unavailable, roof.reason.empty() ? "the case has no place on the roofline" : roof.reason};
}

/// The part of each precision in the FLOPs of a mix.
std::map<std::string, double> parts_of(const ArithmeticMix& mix) {
  double all = 0;
  for (const auto& [precision, share] : mix) all += share.flops;
  std::map<std::string, double> parts;
  for (const auto& [precision, share] : mix) parts[precision] = share.flops / all;
  return parts;
}

/// Adds the roof of arithmetic over the case's own mix, whatever bounds it.
void add_compute_roof(Columns<ShownCase>& columns) {
  const auto of_roof = [](auto value) { return [value](const ShownCase& shown) { return std::invoke(value, shown.at.compute); }; };
  columns.push_back({"compute_roof_gflops", "roof of arithmetic over its own mix, whatever bounds it", of_roof(&ComputeRoof::gflops)});
  columns.push_back({"compute_roof_ceiling", "name of the ceiling under which its arithmetic takes most of the time",
                     of_roof([](const ComputeRoof& roof) { return OrNull{roof.ceiling}; })});
  columns.push_back({"compute_roof_of_kinds", "whether its FMAs, sums and products are known apart",
                     of_roof([](const ComputeRoof& roof) { return roof.gflops > 0 && roof.is_of_kinds; })});
  columns.push_back(Column<ShownCase>("compute_mix", "of arithmetic in several precisions: the part of its FLOPs in each",
                                      by_name(type_schema<double>()), [](const ShownCase& shown) { return Json(parts_of(shown.at.mix)); })
                        .when([](const ShownCase& shown) { return shown.at.mix.size() > 1; }));
  add_explained(columns, "compute_roof", "compute_roof_gflops", why_no_compute_roof);
}

Columns<FmaMix> mix_columns() {
  return {{"fraction", "FMAs over all instructions", &FmaMix::fraction},
          {"add", "sums over all instructions", &FmaMix::add},
          {"mul", "products over all instructions", &FmaMix::mul},
          {"ceiling", "attainable part of the FMA peak", &FmaMix::ceiling},
          {"source", "who counted the instructions", &FmaMix::source}};
}

/// The mix may be unknown where the counts do not tell FMAs from sums and products, and without place where no ceiling stands over them.
std::pair<Status, std::string> why_no_partial_fma(const ShownCase& shown) {
  const RooflinePlacement& p = shown.at;
  if (std::isfinite(p.percent_of_partial_fma)) return {Status::ok, ""};
  return {Status::unavailable, !p.fma_mixes.contains(p.of->precision) ? "FMAs were not counted apart from sums and products"
                               : p.gflops > 0                         ? "no ceiling of FMAs fits the case"
                                                                      : "no FLOP/s"};
}

void add_fma_mix(Columns<ShownCase>& columns) {
  columns.push_back(named_rows_column<ShownCase>("fma_mix", "FMAs, sums and products, by precision", mix_columns(),
                                                 of_place(&RooflinePlacement::fma_mixes)));
  columns.push_back({"partial_fma_gflops", "what its mix leaves of the FMA peak", of_place(&RooflinePlacement::partial_fma_gflops)});
  columns.push_back(
      {"percent_of_partial_fma", "part of partial_fma_gflops that the case reaches", of_place(&RooflinePlacement::percent_of_partial_fma)});
  add_explained(columns, "partial_fma", "percent_of_partial_fma", why_no_partial_fma);
}

Columns<Disagreement> disagreement_columns() {
  using Row = Disagreement;
  Columns<Row> columns{{"quantity", "quantity of which two metrics speak", &Row::quantity},
                       {"used", "the metrics that are used", &Row::used},
                       {"other", "the metrics that say something else", &Row::other},
                       {"ratio", "other over used", &Row::ratio}};
  add_explained<Row>(
      columns, "ratio", "ratio", [](const Row&) { return std::pair(Status::unavailable, std::string("the metric that is used is 0")); },
      [](const Row& one) { return !std::isfinite(one.ratio); });
  return columns;
}

/// Adds what only an imported case has: FLOPs of each precision that was collected, and metrics that contradict each other.
void add_imported(Columns<ShownCase>& columns) {
  using Row = ShownCase;
  const auto imported = [](const Row& shown) { return is_imported(*shown.at.of) || !shown.at.convention.empty(); };
  columns.push_back(Column<Row>("flops_by_precision", "of an imported case, or by a convention: FLOPs of each precision that was collected",
                                by_name(type_schema<double>()), [](const Row& shown) { return Json(shown.at.flops_by_precision); })
                        .when(imported));
  columns.push_back(list_column<Row>("disagreements", "of an imported case: metrics that contradict each other", disagreement_columns(),
                                     of_place(&RooflinePlacement::disagreements))
                        .when(imported));
}

Columns<Displacement> displacement_columns() {
  using Row = Displacement;
  return {{"counter", "counter of the bytes", &Row::counter},
          {"level", "level whose boundary it claims", [](const Row& by) { return OrNull{by.level}; }},
          {"bytes", "bytes of a sweep by it, of the whole team", &Row::bytes},
          {"ai", "arithmetic intensity by it, FLOP/byte", &Row::ai},
          {"rest", "flows that it does not claim, by the emulator's counts", [](const Row& by) { return OrNull{by.rest}; }},
          {"status", "ok, or in a word why the case has no place by it", &Row::status},
          {"reason", "why the case has no place by it", [](const Row& by) { return OrNull{by.reason}; }}};
}

Columns<OccupancyRoof> occupancy_columns() {
  using Row = OccupancyRoof;
  return {{"warps", "warps resident on a multiprocessor while it has any, on average", &Row::warps},
          {"most_warps", "warps that a multiprocessor has room for", &Row::most_warps},
          {"part", "part of the FMA peak that so many warps reach by measurement", &Row::part},
          {"gflops", "roof of arithmetic times that part", &Row::gflops},
          {"status", "ok, or in a word why there is none", &Row::status},
          {"reason", "why there is none", [](const Row& roof) { return OrNull{roof.reason}; }}};
}

/// Adds an object that cases have or not.
template <class Inner>
void add_optional(Columns<ShownCase>& columns, const char* key, const char* meaning, const Columns<Inner>& inner,
                  std::optional<Inner> ShownCase::*part) {
  columns.push_back(Column<ShownCase>(key, meaning, row_schema(inner), [inner, part](const ShownCase& shown) {
                      return row_json(inner, *(shown.*part));
                    }).when([part](const ShownCase& shown) { return (shown.*part).has_value(); }));
}

bool has_intensity(const ShownCase& shown, const std::string& level) {
  return std::ranges::any_of(shown.at.levels, [&](const LevelIntensity& at) { return at.level == level && at.status == Status::ok; });
}

/// The levels that people see: a CPU's, and a GPU's where there are cases of one; the host's memory where a kernel reaches it.
std::vector<std::string> shown_levels(bool cpu, bool gpu, bool system) {
  std::vector<std::string> levels{"L1"};
  if (gpu) levels.emplace_back("shared");
  levels.emplace_back("L2");
  if (cpu) levels.emplace_back("L3");
  levels.emplace_back("mem");
  if (system) levels.emplace_back(gpu_system);
  return levels;
}

Columns<ShownCase> shown_columns(std::span<const ShownCase> cases) {
  using Row = ShownCase;
  bool cpu = cases.empty(), gpu = false;
  std::set<std::string> nodes;
  for (const auto& shown : cases) {
    (shown.at.of->gpus > 0 ? gpu : cpu) = true;
    nodes.insert(shown.at.node);
  }
  const auto all = place_columns();
  auto columns = chosen(all, {{"kernel"}, {"case"}, {"seconds", gpu ? "launch time" : "sweep time"}, {"gflops"}});
  columns.front().above("kernel", text_of<Row>([many = nodes.size() > 1](const Row& shown) {
                          return shown.at.of->kernel + (many ? " on " + shown.at.node : "");
                        }));
  const bool system = std::ranges::any_of(cases, [](const ShownCase& shown) { return has_intensity(shown, gpu_system); });
  for (const auto& level : shown_levels(cpu, gpu, system))
    columns.push_back({Heading{"AI " + level}, [level](const Row& shown) { return intensity_cell(shown.at, level); }});
  columns.append(chosen(all, {{"bound"}, {"percent_of_roof"}, {"bytes_source"}}));
  return columns;
}

std::string remarks_cell(const ShownCase& shown) { return fmt::format("{}", fmt::join(case_remarks(shown), "; ")); }

/// The cases with those of a kernel and a node together, kernels and nodes in the order in which they first come.
std::vector<ShownCase> grouped(std::span<const ShownCase> cases) {
  std::map<std::string, std::size_t> kernels, nodes;
  for (const auto& shown : cases) {
    kernels.try_emplace(shown.at.of->kernel, kernels.size());
    nodes.try_emplace(shown.at.node, nodes.size());
  }
  const auto group = [&](const ShownCase& shown) { return std::pair(kernels.at(shown.at.of->kernel), nodes.at(shown.at.node)); };
  std::vector<ShownCase> rows(cases.begin(), cases.end());
  std::stable_sort(rows.begin(), rows.end(), [&](const ShownCase& a, const ShownCase& b) { return group(a) < group(b); });
  return rows;
}

}  // namespace

Columns<ShownCase> shown_case_columns() {
  auto columns = place_columns();
  add_explained(columns, "gpu", "gpu", [](const ShownCase& shown) -> std::pair<Status, std::string> {
    if (shown.at.of->gpus > 0) return {Status::ok, ""};
    return {Status::skipped, "a case on CPUs"};
  });
  add_distance(columns);
  add_compute_roof(columns);
  add_fma_mix(columns);
  columns.append(other_roofline_columns());
  add_imported(columns);
  add_optional(columns, "counter_conditions", "conditions in which a GPU's counters counted", conditions_columns(), &ShownCase::conditions);
  add_optional(columns, "occupancy_roof", "roof of arithmetic at the occupancy that a GPU's counters counted", occupancy_columns(),
               &ShownCase::occupancy_roof);
  add_optional(columns, "theoretical_occupancy", "resident warps that block, registers and shared memory leave room for",
               theoretical_occupancy_columns(), &ShownCase::theoretical_occupancy);
  add_optional(columns, "displaced", "where it would lie by another counter (--by)", displacement_columns(), &ShownCase::displaced);
  return columns;
}

std::string cases_text(std::span<const ShownCase> cases, Format format) {
  const auto rows = grouped(cases);
  auto columns = shown_columns(rows);
  if (format == Format::text)
    return aligned<ShownCase>(columns, rows, [](const ShownCase& shown) {
      auto remarks = case_remarks(shown);
      for (auto& remark : remarks) remark = wrapped(remark, 118, "      ");
      return remarks;
    });
  if (std::any_of(rows.begin(), rows.end(), [](const ShownCase& shown) { return !case_remarks(shown).empty(); }))
    columns.push_back({Heading{"remarks", Align::left}, remarks_cell});
  return markdown(columns, rows);
}

}  // namespace plumbline::app
