#include "app/stages/remeasuring_estimate.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "app/stages/ceilings_estimate.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/gpu_points.hpp"
#include "campaign/estimate.hpp"
#include "model/comparing/node_remeasuring.hpp"

namespace plumbline::app {
namespace {

constexpr int most_turns = 15;
constexpr int calibration = 2;  // of a turn, in repetitions, about

}  // namespace

double turn_seconds(const Case& measured, const Campaign& campaign) {
  Campaign of_turn = campaign;
  of_turn.timing.max_repetitions = turn_repetitions + calibration;
  return estimate(measured, of_turn).time_seconds;
}

double turn_seconds(const CeilingCase& point) { return ceilings_seconds(repetitions_of(point), 1); }

double turn_seconds(const CeilingCase& point, const GpuProperties& gpu) { return gpu_part_seconds(repetitions_of(point), gpu); }

int turns_within(std::optional<double> seconds, double turn) {
  if (!seconds || turn <= 0) return most_turns;
  return std::clamp(static_cast<int>(std::min(*seconds / turn, 1.0 * most_turns)), static_cast<int>(least_turns), most_turns);
}

double remeasuring_seconds(const std::vector<Case>& cases, const std::vector<CeilingCase>& ceilings, const Campaign& campaign, int nodes,
                           std::optional<double> seconds_left) {
  if (nodes < 2 || !campaign.nodes.remeasure || !campaign.time || campaign.placement != Placement::every_node) return 0;
  std::vector<double> of_cases, of_points;
  for (const auto& one : cases) of_cases.push_back(turn_seconds(one, campaign));
  for (const auto& one : ceilings) of_points.push_back(turn_seconds(one));
  const PlannedGpu planned = longest_gpu_ceilings(campaign);
  for (const auto& one : planned.points) of_points.push_back(turn_seconds(one, planned.gpu));
  double turn = 0;
  for (auto* all : {&of_cases, &of_points}) {
    std::sort(all->begin(), all->end(), std::greater<>());
    all->resize(std::min(all->size(), cases_of_suspect));
    turn += std::accumulate(all->begin(), all->end(), 0.0);
  }
  if (campaign.nodes.turns) turn *= std::min(nodes, 1 + static_cast<int>(least_peers));
  return turns_within(seconds_left, turn) * turn;
}

}  // namespace plumbline::app
