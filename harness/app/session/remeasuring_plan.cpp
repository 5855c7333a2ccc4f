#include "app/session/remeasuring_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "app/nodes/node_report.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "campaign/estimate.hpp"
#include "core/gpu_device.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

bool is_given_up(const RunRecord& record, const RemeasuringGroup& group, const std::string& id) {
  const auto nodes = group.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
    const auto found = record.earlier().overdue.find({id, node, std::string(again_pass)});
    return found != record.earlier().overdue.end() && found->second.given_up;
  });
}

/// Turns of all nodes of the group that can have it; none where it failed on one of them.
int turns_kept(const RunRecord& record, const RemeasuringGroup& group, const std::string& id, const ComparedThings& compared,
               const KeptTurns& kept) {
  auto nodes = group.nodes();
  std::erase_if(nodes, [&](const std::string& node) { return !compared.contains({id, node}); });
  const bool all = std::all_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
    return record.earlier().finished.contains({id, node, std::string(again_pass)});
  });
  return all ? kept.of(id, nodes) : 0;
}

/// A GPU of which a round failed is not asked again: its rows are like those that were never measured. In words those that are suspicious.
std::vector<std::string> leave_out_failed(const FailedGpus& failed, NodeComparison& comparison) {
  std::set<std::string> told;
  for (auto& row : comparison.rows) {
    const auto device = gpu_of_ceiling(row.key.what);
    const auto node = failed.find(row.key.node);
    if (!device || node == failed.end() || !node->second.contains(*device)) continue;
    if (row.judged.finding == NightFinding::slower)
      told.insert(fmt::format("suspicious: {} of {}; not measured again: a round of it failed: {}", gpu_word(*device), row.key.node,
                              node->second.at(*device)));
    row.status = Status::unavailable;
  }
  return {told.begin(), told.end()};
}

/// Leaves out what `is_left_out`, which is asked for a group and an id.
template <class IsLeftOut>
void leave_out(std::vector<RemeasuringGroup>& groups, IsLeftOut is_left_out) {
  for (auto& group : groups) std::erase_if(group.cases, [&](const std::string& id) { return is_left_out(group, id); });
  std::erase_if(groups, [](const auto& group) { return group.cases.empty(); });
}

/// Nodes that take turns add up, and so do their groups; else they all measure together.
double seconds_of_turn(const RemeasuringPlan& plan, bool one_at_a_time) {
  double sum = 0;
  for (const auto& step : steps_of(plan.groups, {}, 1, one_at_a_time)) {
    double longest = 0;
    for (const auto& [group, id] : step.things) {
      const double nodes = one_at_a_time ? static_cast<double>(group->nodes().size()) : 1;
      longest = std::max(longest, nodes * plan.seconds.at(id).estimated);
    }
    sum += longest;
  }
  return sum;
}

}  // namespace

RemeasuringPlan plan_remeasuring_of(const RunRecord& record, const std::vector<std::string>& present, std::optional<double> seconds_left) {
  RemeasuringPlan again;
  again.seconds_left = seconds_left;
  const SeenNodes seen = seen_in_run(record.files());
  NodeComparison comparison = compare_nodes(seen.side, {}, {});
  again.left_out = leave_out_failed(seen.failed_gpus, comparison);
  again.groups = plan_remeasuring(comparison, {present.begin(), present.end()});
  const ComparedThings compared = compared_things(comparison);
  const KeptTurns kept(seen.remeasured);
  leave_out(again.groups, [&](const RemeasuringGroup& group, const std::string& id) { return is_given_up(record, group, id); });
  again.taken = go_on(again.groups,
                      [&](const RemeasuringGroup& group, const std::string& id) { return turns_kept(record, group, id, compared, kept); });
  return again;
}

void to_json(json& told, const RemeasuringPlan& plan) {
  auto groups = json::array(), taken = json::array();
  for (const auto& group : plan.groups) groups.push_back({{"suspects", group.suspects}, {"peers", group.peers}, {"cases", group.cases}});
  for (const auto& [key, turns] : plan.taken) taken.push_back({key.what, key.node, turns});
  told = {{"groups", groups}, {"taken", taken}, {"seconds_left", plan.seconds_left ? json(*plan.seconds_left) : json()}};
}

void from_json(const json& told, RemeasuringPlan& plan) {
  for (const auto& group : told["groups"]) plan.groups.push_back({group["suspects"], group["peers"], group["cases"]});
  for (const auto& one : told["taken"]) plan.taken[{one[0], one[1]}] = one[2];
  if (told["seconds_left"].is_number()) plan.seconds_left = told["seconds_left"].get<double>();
}

void agree_on(RemeasuringPlan& plan, const std::function<TurnSeconds(const std::string& id)>& here, bool one_at_a_time, Group& world) {
  for (const auto& group : plan.groups)
    for (const auto& id : group.cases) plan.seconds[id];
  for (auto& [id, seconds] : plan.seconds) {
    const TurnSeconds mine = here(id);
    seconds = {world.max(mine.estimated), world.max(mine.at_most)};
  }
  leave_out(plan.groups, [&](const RemeasuringGroup&, const std::string& id) { return plan.seconds.at(id).at_most <= 0; });
  plan.turns = turns_within(plan.seconds_left, seconds_of_turn(plan, one_at_a_time));
}

std::vector<std::string> to_lines(const RemeasuringPlan& plan) {
  const auto fewest =
      std::min_element(plan.taken.begin(), plan.taken.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const int before = fewest == plan.taken.end() ? 0 : fewest->second;
  std::vector<std::string> lines;
  for (const auto& group : plan.groups)
    lines.push_back(fmt::format("suspicious: {}; measured again beside {}: {} cases and ceilings, {} turns{}",
                                fmt::join(group.suspects, ", "), fmt::join(group.peers, ", "), group.cases.size(), plan.turns,
                                before == 0 ? "" : fmt::format(", {} of them by earlier sessions", before)));
  return lines;
}

TimingProtocol turn_protocol(const Timing& wanted) {
  return {.min_seconds = wanted.min_seconds,
          .ci_relative = wanted.ci_relative,
          .max_repetitions = turn_repetitions,
          .min_repetitions = turn_repetitions,
          .budget_seconds = 0};
}

}  // namespace plumbline::app
