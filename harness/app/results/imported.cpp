#include "app/results/imported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <sstream>

#include "app/results/case_names.hpp"
#include "app/terminal/table.hpp"
#include "core/error.hpp"
#include "ert/upper_case.hpp"
#include "model/placement/profiled.hpp"

namespace plumbline::app {
namespace {

constexpr const char* session = "import";

MetricValues values_of(const ProfiledLaunch& launch) {
  MetricValues values;
  for (const auto& [name, value] : launch.metrics)
    values[name] = std::isnan(value) ? Reported{absent, Status::unavailable, "the profiler gives none"} : Reported{value, Status::ok, {}};
  return values;
}

std::vector<std::string> kernels_of(const std::vector<ProfiledLaunch>& launches) {
  std::vector<std::string> kernels;
  for (const auto& launch : launches) kernels.push_back(launch.kernel);
  return kernels;
}

/// The parameter of a case that tells a profiler's launches of one kernel apart.
std::string parameter_of(const std::string& tool) {
  if (tool == "ncu") return "launch";
  if (tool == "likwid") return "group";
  return tool == "advisor" ? "loop" : "run";
}

class Importer {
 public:
  Importer(const std::vector<ProfiledLaunch>& launches, const ProfilerMetrics& table, std::vector<std::string>& notes)
      : names_(kernels_of(launches)), table_(table), notes_(notes), parameter_(parameter_of(table.tool)) {
    std::set<std::string> processes, nodes;
    for (const auto& launch : launches) processes.insert(launch.process);
    several_processes_ = processes.size() > 1;
    for (const auto& launch : launches) add(launch);
  }
  Results take() { return std::move(results_); }

 private:
  void add(const ProfiledLaunch& launch) {
    for (const auto& remark : launch.remarks) tell(remark);
    const MetricValues values = values_of(launch);
    std::vector<std::string> undefined;
    const ProfilerMetrics table = metrics_of_gpu(table_, launch.node, launch.chip, undefined);
    const Profiled time = launch.seconds.empty() ? profiled(table, std::string(launch_seconds), values, absent, launch.chip) : Profiled{};
    const std::vector<double> seconds = launch.seconds.empty() && time.ok() ? std::vector{time.value} : launch.seconds;
    const auto flops = profiled_flops(table, values, seconds.empty() ? absent : seconds.front(), launch.chip);
    const CaseRow row = case_of(launch, main_precision(flops));
    if (time.ok()) tell(time, row);
    results_.cases.push_back(row);
    add_times(launch, row, seconds, time.reason);
    add_counts(launch, row);
  }

  CaseRow case_of(const ProfiledLaunch& launch, const std::string& precision) const {
    CaseRow row;
    row.precision = precision;
    row.row = static_cast<std::int64_t>(results_.cases.size());
    row.gpus = launch.threads == 0 ? 1 : 0;
    row.threads = std::max(1, launch.threads);
    Json parameters = Json::object();
    if (several_processes_) parameters["process"] = launch.process;
    parameters[parameter_] = launch.launch;
    row.kernel = std::string(imported_suite) + names_.of(launch.kernel);
    row.flavor = launch.threads > 0 ? "native" : launch.chip > 0 ? fmt::format("cuda-sm_{}", launch.chip) : "cuda";
    row.work = row.kernel + "/" + precision;
    for (const auto& [key, value] : parameters.items()) row.work += fmt::format("/{}={}", key, value.get<std::string>());
    row.id = fmt::format("{}/{}/{}", row.work, row.gpus > 0 ? "g1" : fmt::format("r1t{}", row.threads), row.flavor);
    row.params = parameters.dump();
    return row;
  }

  void add_times(const ProfiledLaunch& launch, const CaseRow& row, const std::vector<double>& seconds, const std::string& why_not) {
    Json placement{{"ranks", Json::array()}, {"function", launch.kernel}, {"launches", launch.launches}};
    for (const auto& [key, text] : launch.shape) placement[key] = text;
    OutcomeRow outcome{
        .case_id = row.id, .pass = "time", .reason = {}, .node = launch.node, .placement = placement.dump(), .session = session};
    if (seconds.empty()) {
      outcome.status = Status::unavailable;
      outcome.reason = why_no_time(why_not);
    }
    results_.outcomes.push_back(outcome);
    for (std::size_t i = 0; i < seconds.size(); ++i)
      results_.times.push_back({.case_id = row.id,
                                .node = launch.node,
                                .session = session,
                                .repetition = static_cast<std::int32_t>(i),
                                .rank = -1,
                                .seconds = seconds[i]});
  }

  std::string why_no_time(const std::string& otherwise) const {
    if (table_.tool == "nvprof") return "no table of times has this kernel: give the CSV of nvprof's summary or trace as one more FILE";
    if (table_.tool == "perf") return "no event tells the time: perf stat -e duration_time,... does";
    return otherwise;
  }

  void add_counts(const ProfiledLaunch& launch, const CaseRow& row) {
    OutcomeRow outcome{.case_id = row.id, .pass = "count", .reason = {}, .node = launch.node, .placement = "{}", .session = session};
    if (launch.metrics.empty()) {
      outcome.status = Status::unavailable;
      outcome.reason = "none of the metrics that are known was collected";
    }
    results_.outcomes.push_back(outcome);
    for (const auto& [name, value] : launch.metrics) {
      const bool there = !std::isnan(value);
      const bool whole = there && value >= 0 && value < 0x1p63;
      results_.counts.push_back({.case_id = row.id,
                                 .node = launch.node,
                                 .session = session,
                                 .event = name,
                                 .backend = table_.tool,
                                 .raw = whole ? static_cast<std::uint64_t>(std::llround(value)) : 0,
                                 .net = value,
                                 .status = there ? Status::ok : Status::unavailable});
    }
  }

  void tell(const std::string& remark) {
    if (told_.insert(remark).second) notes_.push_back(remark);
  }

  /// Tells what a launch's time came from, once; and where another metric says otherwise.
  void tell(const Profiled& time, const CaseRow& row) {
    if (!time.by->remark.empty()) tell(time.by->remark);
    for (const auto& one : time.disagreements)
      notes_.push_back(fmt::format("{}: the time by {} is {:.2f} times that by {}, which counts", row.id, one.other, one.ratio, one.used));
  }

  CaseNames names_;
  const ProfilerMetrics& table_;
  std::vector<std::string>& notes_;
  std::string parameter_;
  bool several_processes_ = false;
  std::set<std::string> told_;
  Results results_;
};

/// The place of a stated ceiling by its name: "compute fp64 no FMA" -> compute, fp64, "no FMA"; "L2 ERT" -> L2, "-", "ERT".
struct RoofPlace {
  std::string level, precision = "-", pattern;
};

std::optional<RoofPlace> roof_place(const NodeCeiling& ceiling, bool is_gpu) {
  constexpr std::array of_gpu{"L1", "shared", "L2", "mem", "system"}, of_cpu{"L1", "L2", "L3", "mem", "mem"};
  const auto& levels = is_gpu ? of_gpu : of_cpu;
  std::istringstream words(ceiling.name);
  RoofPlace place;
  words >> place.level;
  const bool compute = place.level == "compute";
  if (compute && !(words >> place.precision)) return std::nullopt;
  if (!compute && std::find(levels.begin(), levels.end(), place.level) == levels.end()) return std::nullopt;
  if (ceiling.unit != (compute ? "GFLOP/s" : "GB/s")) return std::nullopt;
  return place;
}

/// The name under which a stated ceiling is drawn: "FP64 no FMA" for "compute fp64 no FMA".
std::string title_of(const NodeCeiling& ceiling, const RoofPlace& place) {
  if (place.level != "compute") return ceiling.name;
  return upper_case(place.precision) + ceiling.name.substr(ceiling.name.find(place.precision) + place.precision.size());
}

}  // namespace

WantedMetrics wanted_metrics(std::span<const ProfilerMetrics> tables) {
  WantedMetrics wanted;
  for (const auto& table : tables)
    for (const auto& row : table.rows) {
      for (const auto& term : row.terms) wanted.insert(term.event);
      for (const auto& factor : row.times)
        if (factor != launch_seconds) wanted.insert(factor);
      if (!row.over.empty()) wanted.insert(row.over);
    }
  return wanted;
}

Results imported_results(const std::vector<ProfiledLaunch>& launches, const ProfilerMetrics& table, std::vector<std::string>& notes) {
  return Importer(launches, table, notes).take();
}

void add_stated_ceilings(Results& results, const NodeSpec& spec, const std::string& path) {
  std::set<std::string> nodes;
  for (const auto& row : results.outcomes) nodes.insert(row.node);
  std::set<std::int64_t> teams;
  for (const auto& row : results.cases) teams.insert(row.threads);
  const bool is_gpu = std::any_of(results.cases.begin(), results.cases.end(), [](const CaseRow& row) { return row.gpus > 0; });
  for (const auto& ceiling : spec.ceilings) {
    const auto place = roof_place(ceiling, is_gpu);
    if (!place)
      throw user_error(
          fmt::format("{}: '{}' ({}) is no ceiling of a {}; name them 'compute fp64', 'compute fp64 no FMA' (GFLOP/s) and {} (GB/s)", path,
                      ceiling.name, ceiling.unit, is_gpu ? "GPU" : "CPU",
                      is_gpu ? "'L1', 'shared', 'L2', 'mem', 'system'" : "'L1', 'L2', 'L3', 'mem'"));
    for (const auto& node : nodes)
      for (const auto threads : teams)
        results.ceilings.push_back({.name = title_of(ceiling, *place),
                                    .precision = place->precision,
                                    .level = place->level,
                                    .pattern = "stated",
                                    .threads = threads,
                                    .node = node,
                                    .session = session,
                                    .value = ceiling.value,
                                    .unit = ceiling.unit,
                                    .method = fmt::format("{}, {}", spec.name, ceiling.method),
                                    .scope = is_gpu ? gpu_scope : ""});
  }
  if (!is_gpu || !std::isfinite(spec.launch_seconds)) return;
  for (const auto& node : nodes)
    results.ceilings.push_back({.name = "launch, stream",
                                .precision = "-",
                                .level = CeilingKind::overhead,
                                .pattern = "stream",
                                .threads = 1,
                                .node = node,
                                .session = session,
                                .value = spec.launch_seconds,
                                .unit = "s",
                                .method = spec.name + ", stated",
                                .scope = gpu_scope});
}

void add_measured_ceilings(Results& results, const Results& measured, const std::string& path) {
  std::set<std::string> nodes;
  for (const auto& row : results.outcomes) nodes.insert(row.node);
  if (measured.ceilings.empty())
    throw user_error(fmt::format("{} has no ceilings: 'plumbline run' measures them where the campaign has a [ceilings] table", path));
  const std::string first = measured.ceilings.front().node;
  for (const auto& node : nodes)
    for (CeilingRow ceiling : measured.ceilings) {
      if (ceiling.node != first) continue;
      ceiling.node = node;
      results.ceilings.push_back(std::move(ceiling));
    }
}

}  // namespace plumbline::app
