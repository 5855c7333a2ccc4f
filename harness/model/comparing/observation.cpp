#include "model/comparing/observation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/gpu_device.hpp"
#include "core/link_name.hpp"
#include "model/cases/believed_times.hpp"
#include "model/ceilings/disturbances.hpp"
#include "model/ceilings/gpu_ceilings.hpp"
#include "model/ceilings/gpu_limits.hpp"
#include "model/ceilings/mpi_ceilings.hpp"
#include "model/placement/roofline.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

/// Times as long as a thread takes at most beside others on its caches, on its core and at its clock; of rows whose CPU share told what
/// they took, none took 1.7 times as long beyond that (tests/golden/night_real.json). Threads that wait for each other spin: their CPU
/// share tells that much less.
constexpr double beside_others = 2;

/// Samples of one thing while they are collected.
struct Samples {
  std::map<std::string, std::vector<double>> by_session;
  std::vector<double> clocks;
  std::vector<double> unshared, left;
  std::string point;  // of a ceiling
  bool any_undisturbed = false;

  /// Adds a sample. `part_left`: the part of its time that others left of the CPU.
  void add(const std::string& session, double value, double clock_hz, bool less_is_better, bool disturbed = false, double part_left = 1) {
    if (!std::isfinite(value) || value <= 0) return;
    by_session[session].push_back(value);
    unshared.push_back(less_is_better ? value * part_left : value / part_left);
    left.push_back(part_left);
    any_undisturbed |= !disturbed;
    if (std::isfinite(clock_hz) && clock_hz > 0) clocks.push_back(clock_hz);
  }
  void give_to(Observation& observation, std::int64_t threads) {
    observation.disturbed = !by_session.empty() && !any_undisturbed;
    if (observation.disturbed) {
      observation.unshared = median_of(unshared);
      observation.excuse = beside_others * static_cast<double>(threads) / median_of(left);
    }
    for (auto& [session, values] : by_session) observation.sessions.push_back(std::move(values));
    observation.clock_hz = median_of(clocks);
    if (!observation.sessions.empty() || observation.status != Status::ok) return;
    observation.status = Status::unavailable;
    observation.reason = "no sample was stored";
  }
};

// --------------------------------------------------------------------------------------------------------------------- cases

std::map<SeriesKey, std::string> bounds_of(const Results& results, std::span<const Ceiling> ceilings) {
  std::map<SeriesKey, std::string> bounds;
  if (ceilings.empty()) return bounds;
  const Measurements measurements = measurements_of(results);
  for (const auto& placement : place(measurements, ceilings)) bounds[{placement.of->id, placement.node}] = placement.bound;
  return bounds;
}

std::vector<Observation> cases_of(const Results& results, std::span<const Ceiling> ceilings) {
  std::map<SeriesKey, Samples> samples;
  const BelievedTimes times = believed_times(results);
  for (std::size_t i = 0; i < results.times.size(); ++i)
    if (const TimeRow& row = results.times[i]; times.believed[i])
      samples[{row.case_id, row.node}].add(row.session, row.seconds, row.clock_hz, true, times.disturbed[i], times.left[i]);
  std::map<std::string_view, std::int64_t> threads;
  for (const auto& row : results.cases) threads[row.id] = row.ranks * row.threads;
  std::map<SeriesKey, const OutcomeRow*> outcomes;
  for (const auto& row : results.outcomes)
    if (row.pass == "time" && !row.case_id.starts_with("ceilings/")) outcomes[{row.case_id, row.node}] = &row;  // not a round of ceilings
  for (const auto& [key, outcome] : outcomes) samples[key];
  const auto bounds = bounds_of(results, ceilings);
  std::vector<Observation> cases;
  for (auto& [key, of_case] : samples) {
    Observation observation{.key = key, .unit = "seconds"};
    const auto bound = bounds.find(key);
    observation.row_class = bound == bounds.end() || bound->second.empty() ? "case" : bound->second;
    if (const auto outcome = outcomes.find(key); outcome != outcomes.end() && outcome->second->status != Status::ok) {
      observation.status = outcome->second->status;
      observation.reason = outcome->second->reason;
      of_case.by_session.clear();
    }
    of_case.give_to(observation, threads.contains(key.what) ? threads.at(key.what) : 1);
    cases.push_back(std::move(observation));
  }
  return cases;
}

// ------------------------------------------------------------------------------------------------------------------ ceilings

std::string class_of(const Ceiling& ceiling) {
  if (ceiling.level == CeilingKind::mpi) return ceiling.unit == "seconds" ? "MPI latency" : "MPI bandwidth";
  return ceiling.unit == "seconds" ? "latency" : ceiling.level;
}

/// The name of a ceiling, or of a sample.
template <class Named>
std::string name_of(const Named& one) {
  const std::string precision = one.precision.empty() || one.precision == "-" ? "" : "/" + one.precision;
  return "ceiling/" + one.name + precision + "/r" + std::to_string(one.ranks) + "t" + std::to_string(one.threads);
}

/// Links are not alike: what a GPU reaches of the host and of others depends on where in the node it is.
std::string like_gpus(const Ceiling& ceiling) {
  const auto gpu = gpu_of_method(ceiling.method);
  const bool is_link = ceiling.level == CeilingKind::host_dev || ceiling.level == gpu_system;
  if (ceiling.scope != gpu_scope || is_link || !gpu) return {};
  Ceiling of_any = ceiling;
  of_any.name = name_on_gpu(ceiling.name, 0);
  return name_of(of_any) + " of " + gpu->name;
}

bool is_sample_of(const CeilingRow& row, const Ceiling& ceiling, bool from_sweep) {
  const bool same_size =
      row.working_set_bytes == ceiling.samples_bytes || (std::isnan(row.working_set_bytes) && std::isnan(ceiling.samples_bytes));
  const bool of_gpu = ceiling.scope == gpu_scope;
  const bool same_device = (row.scope == gpu_scope) == of_gpu && (!of_gpu || row.device == ceiling.device);
  return row.status == Status::ok && same_device && same_size && row.form == ceiling.samples_form &&
         (from_sweep ? row.level == CeilingKind::sweep || row.level == CeilingKind::gemm : ceiling_level(row) == ceiling.level) &&
         (from_sweep || name_without_form(row) == ceiling.name) && row.pattern == ceiling.pattern && row.precision == ceiling.precision &&
         row.ranks == ceiling.ranks && row.threads == ceiling.threads && row.node == ceiling.node && row.unit == ceiling.unit;
}

/// Whether a row's point can be measured by itself.
bool is_point(const CeilingRow& row, bool from_sweep) {
  return row.scope == gpu_scope ? is_gpu_sample(row) : from_sweep || row.level == CeilingKind::compute;
}

/// Rows of one node; a sample without a record of what went on beside it is not known to be disturbed.
struct NodeRows {
  std::vector<CeilingRow> rows;
  std::vector<bool> disturbed;
};

Samples samples_of(const Ceiling& ceiling, const NodeRows& node) {
  Samples samples;
  for (const bool from_sweep : {false, true}) {
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      const CeilingRow& row = node.rows[i];
      if (!is_sample_of(row, ceiling, from_sweep)) continue;
      samples.add(row.session, row.value, row.clock_hz, less_is_better(row.unit), node.disturbed[i],
                  std::isfinite(row.cpu_share) ? std::clamp(row.cpu_share, 0.01, 1.0) : 1);
      if (samples.point.empty() && is_point(row, from_sweep)) samples.point = point_name(row);
    }
    if (!samples.by_session.empty()) break;
  }
  return samples;
}

std::vector<Observation> ceilings_of(const Results& results, std::span<const Ceiling> ceilings) {
  std::map<std::string, NodeRows> of_node;  // or every ceiling would look through all nodes' rows
  for (const auto& row : results.ceilings) of_node[row.node].rows.push_back(row);
  for (auto& [name, node] : of_node) node.disturbed = known_disturbed(node.rows);
  std::vector<Observation> all;
  for (const auto& ceiling : ceilings) {
    if (ceiling.level == CeilingKind::vector || ceiling.unit == "bytes") continue;
    Observation observation{.key = {name_of(ceiling), ceiling.node}, .row_class = class_of(ceiling), .unit = ceiling.unit};
    observation.flavor = ceiling.method.substr(0, ceiling.method.find(','));
    observation.form = ceiling.form;
    observation.like = like_gpus(ceiling);
    observation.status = ceiling.status;
    observation.reason = ceiling.reason;
    Samples samples = ceiling.status == Status::ok ? samples_of(ceiling, of_node[ceiling.node]) : Samples();
    samples.give_to(observation, ceiling.ranks * ceiling.threads);
    observation.point = std::move(samples.point);
    all.push_back(std::move(observation));
  }
  return all;
}

/// The key of a link. Both ways are measured at once: whichever end keeps the samples, it is the same link.
SeriesKey key_of_link(const CeilingRow& row) {
  CeilingRow of_kind = row;
  of_kind.name = kind_of_link(row.name);
  const auto& [first, second] = std::minmax(row.node, row.peer);
  return {name_of(of_kind), first + " with " + second};
}

std::vector<Observation> links_of(const Results& results) {
  std::map<SeriesKey, Samples> samples;
  std::map<SeriesKey, const CeilingRow*> last;
  for (const auto& row : results.ceilings) {
    if (row.level != CeilingKind::link || row.peer.empty()) continue;
    const SeriesKey key = key_of_link(row);
    last[key] = &row;
    if (row.status == Status::ok) samples[key].add(row.session, row.value, row.clock_hz, less_is_better(row.unit));
  }
  std::vector<Observation> links;
  for (const auto& [key, row] : last) {
    Observation link{.key = key, .row_class = less_is_better(row->unit) ? link_latency_class : link_bandwidth_class, .unit = row->unit};
    if (samples[key].by_session.empty()) {
      link.status = row->status == Status::ok ? Status::failed : row->status;
      link.reason = "no sample succeeded: " + how_and_why(*row);
    }
    samples[key].give_to(link, 1);
    links.push_back(std::move(link));
  }
  return links;
}

std::string other_node_of(const CeilingRow& row) { return row.peer == row.node ? "" : row.peer; }

}  // namespace

std::vector<Observation> observe(const Results& results, std::span<const NodeFacts> nodes) {
  auto fitted = fit_ceilings(results.ceilings, nodes);
  auto observations = cases_of(results, fitted);
  for (auto& message : fit_mpi_ceilings(results.ceilings)) fitted.push_back(std::move(message));
  for (auto& ceiling : ceilings_of(results, fitted)) observations.push_back(std::move(ceiling));
  for (auto& link : links_of(results)) observations.push_back(std::move(link));
  std::stable_sort(observations.begin(), observations.end(), [](const Observation& a, const Observation& b) { return a.key < b.key; });
  // Two samples of one name (a chase and a load of the same level) would be one series: the first keeps it.
  observations.erase(std::unique(observations.begin(), observations.end(), [](const auto& a, const auto& b) { return a.key == b.key; }),
                     observations.end());
  return observations;
}

std::string series_name(const CeilingRow& row) { return name_of(row); }

std::string point_name(const CeilingRow& row) {
  if (!std::isfinite(row.working_set_bytes)) return name_of(row);
  return name_of(row) + "/bytes=" + std::to_string(static_cast<std::uint64_t>(row.working_set_bytes));
}

std::vector<WrongResult> wrong_results(const Results& results) {
  std::vector<WrongResult> wrong;
  for (const auto& row : results.outcomes)
    if (row.status == Status::wrong_result) wrong.push_back({{row.case_id, row.node}, row.reason, {}});
  for (const auto& row : results.ceilings)
    if (row.status == Status::wrong_result) wrong.push_back({{series_name(row), row.node}, how_and_why(row), other_node_of(row)});
  return wrong;
}

}  // namespace plumbline
