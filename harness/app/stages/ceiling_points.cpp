#include "app/stages/ceiling_points.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/stages/ceilings_stage.hpp"
#include "app/stages/gpu_ceilings_stage.hpp"
#include "app/stages/gpu_points.hpp"
#include "model/comparing/observation.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

std::string name_of(const CeilingCase& point) { return point_name(described(point)); }

std::string placement_json(const TeamCpus& team, const std::string& host) {
  json ranks = json::array();
  for (std::size_t rank = 0; rank < team.cpus.size(); ++rank) ranks.push_back({{"rank", rank}, {"host", host}, {"cpus", team.cpus[rank]}});
  return json{{"ranks", ranks}, {"oversubscribed", team.oversubscribed}}.dump();
}

}  // namespace

CeilingPoints::CeilingPoints(const std::vector<CeilingCase>& of_cpus, const DrivenGpus& of_gpus,
                             const std::function<TeamCpus(const Team&)>& place, Communicator& ranks, GpuInUse& in_use, std::string session)
    : place_(place), ranks_(ranks), in_use_(in_use), session_(std::move(session)) {
  for (const auto& point : of_cpus) of_cpus_[name_of(point)] = &point;
  for (const auto& gpu : of_gpus.all)
    for (std::size_t i = 0; i < gpu.points.size(); ++i) of_gpus_[name_of(gpu.points[i])] = {&gpu, i};
}

double CeilingPoints::turn_seconds(const std::string& name) const {
  if (const auto found = of_cpus_.find(name); found != of_cpus_.end()) return app::turn_seconds(*found->second);
  const auto found = of_gpus_.find(name);
  if (found == of_gpus_.end()) return 0;
  const auto& [gpu, point] = found->second;
  return app::turn_seconds(gpu->points[point], gpu->gpu);
}

std::optional<Finished> CeilingPoints::measure(const std::string& name) {
  const auto found = of_cpus_.find(name);
  return found == of_cpus_.end() ? measure_on_gpu(name) : measure_on_cpus(name, *found->second);
}

std::optional<Finished> CeilingPoints::measure_on_cpus(const std::string& name, const CeilingCase& point) {
  const std::vector<CeilingCase> repetitions = repetitions_of(point);
  CeilingsStage stage(repetitions, session_, ranks_, place_);
  auto sampled = stage.measure(0);
  if (!sampled || sampled->ceilings.empty()) return std::nullopt;
  sampled->outcome.placement = placement_json(place_(point.measured.team), ranks_.host());
  return as_times(name, point, *sampled);
}

/// The leader does not know which rank has it: whoever has sends the finished unit.
std::optional<Finished> CeilingPoints::measure_on_gpu(const std::string& name) {
  std::optional<Finished> mine;
  if (const auto found = of_gpus_.find(name); found != of_gpus_.end()) {
    const auto& [gpu, point] = found->second;
    mine = as_times(name, gpu->points[point], measured_on(*gpu, point));
  }
  auto units = gather_units(mine, ranks_.local());
  if (units.empty()) return std::nullopt;
  return std::move(units.front());
}

Finished CeilingPoints::measured_on(const DrivenGpu& gpu, std::size_t point) {
  DrivenGpu of_point = gpu;
  of_point.points = repetitions_of(gpu.points[point]);
  of_point.first_link = point < gpu.first_link ? of_point.points.size() : 0;
  GpuPoints points(of_point, session_, ranks_.host(), in_use_);
  points.begin(0);
  points.measure_alone();
  points.measure_links();
  return points.finish(ranks_.local().rank());
}

Finished CeilingPoints::as_times(const std::string& name, const CeilingCase& point, const Finished& sampled) const {
  Finished unit;
  unit.case_row.id = name;
  unit.outcome = round_outcome(name, ranks_.host(), session_);
  unit.outcome.placement = sampled.outcome.placement;
  unit.outcome.status = sampled.outcome.status;
  unit.outcome.reason = sampled.outcome.reason;
  for (const auto& row : sampled.ceilings) {
    if (row.status != Status::ok) {
      unit.outcome.status = row.status;
      unit.outcome.reason = how_and_why(row);
      continue;
    }
    unit.times.push_back(
        {.case_id = name, .node = row.node, .session = row.session, .repetition = static_cast<int>(unit.times.size()), .rank = -1});
    unit.times.back().seconds = seconds_per_sweep(row, point);
    unit.times.back().clock_hz = row.clock_hz;
  }
  return unit;
}

}  // namespace plumbline::app
