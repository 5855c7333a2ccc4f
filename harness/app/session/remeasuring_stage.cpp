#include "app/session/remeasuring_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "machine/gpu_watch.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

/// Joins what was seen of a GPU in earlier turns before what `later` has seen, where both have.
void join_gpu_conditions(const std::string& earlier, std::string& later) {
  const json before = json::parse(earlier);
  json after = json::parse(later);
  for (std::size_t rank = 0; rank < after.value("ranks", json::array()).size(); ++rank) {
    const json::json_pointer conditions(fmt::format("/ranks/{}/gpu/conditions", rank));
    if (before.contains(conditions) && after.contains(conditions))
      after[conditions] = json::parse(joined_spans(before[conditions].dump(), after[conditions].dump()));
  }
  later = after.dump();
}

bool leads(Communicator& ranks) { return ranks.local().rank() == 0; }

}  // namespace

RemeasuringStage::RemeasuringStage(Setting setting)
    : setting_(std::move(setting)),
      points_(setting_.plan.ceilings, setting_.plan.gpus, setting_.plan.place, setting_.ranks, setting_.runner.gpu_in_use(),
              setting_.session) {
  for (std::size_t i = 0; i < setting_.plan.cases.size(); ++i) index_[setting_.plan.cases[i].id()] = i;
}

TurnSeconds RemeasuringStage::turn_seconds(const std::string& id) const {
  if (const auto found = index_.find(id); found != index_.end()) {
    const Case& measured = setting_.plan.cases[found->second];
    return {app::turn_seconds(measured, setting_.campaign), setting_.deadlines.time_seconds(measured)};
  }
  const double estimated = points_.turn_seconds(id);
  if (estimated <= 0) return {};
  return {estimated, setting_.deadlines.point_seconds(estimated)};
}

/// A group's case is measured by all of its nodes before the next one is: what a turn compares lies close together in time.
bool RemeasuringStage::measure(const RemeasuringPlan& again, const RemeasuringStep& step, const std::function<bool()>& stop_here) {
  const bool whole = setting_.campaign.nodes.turns ? one_after_the_other(step, again, stop_here) : together(step, again, stop_here);
  if (whole)
    for (const auto& [group, id] : step.things) turns_[id] = step.turn + 1;
  return whole;
}

/// All ranks of all nodes meet after each node, whichever of them measured: so they are in step before each.
bool RemeasuringStage::one_after_the_other(const RemeasuringStep& step, const RemeasuringPlan& again,
                                           const std::function<bool()>& stop_here) {
  for (const auto& [group, id] : step.things) {
    auto nodes = group->nodes();
    std::rotate(nodes.begin(), nodes.begin() + step.turn % static_cast<int>(nodes.size()), nodes.end());  // nobody is always the first
    for (const auto& node : nodes) {
      if (stop_here()) return false;
      const double patience = again.seconds.at(id).at_most;
      if (node == setting_.ranks.host()) measure_here(id, step.turn, patience);
      wait(patience);
    }
  }
  return true;
}

/// The nodes of a group measure at the same time, and so do the groups.
bool RemeasuringStage::together(const RemeasuringStep& step, const RemeasuringPlan& again, const std::function<bool()>& stop_here) {
  if (stop_here()) return false;
  double longest = 0;
  for (const auto& [group, id] : step.things) {
    const auto nodes = group->nodes();
    const double patience = again.seconds.at(id).at_most;
    longest = std::max(longest, patience);
    if (std::find(nodes.begin(), nodes.end(), setting_.ranks.host()) == nodes.end()) continue;
    measure_here(id, step.turn, patience);
    setting_.deadlines.wait_again(patience);
    setting_.ranks.local().wait_for_all();  // who is not of the team rests until it is done
  }
  wait(longest);
  return true;
}

void RemeasuringStage::wait(double seconds) {
  setting_.deadlines.wait_again(seconds);
  setting_.ranks.world().wait_for_all();
}

void RemeasuringStage::measure_here(const std::string& id, int turn, double patience) {
  const auto before = leads(setting_.ranks) ? read_conditions() : std::vector<Condition>();
  const double began = now_seconds();
  std::optional<Finished> unit;
  if (const auto found = index_.find(id); found != index_.end()) {
    unit = measure_case(found->second);
  } else {
    setting_.deadlines.begin_point(setting_.plan, id, std::string(again_pass), patience);
    unit = points_.measure(id);
  }
  if (unit) add(id, turn, std::move(*unit), between(before, read_conditions()), now_seconds() - began);
}

std::optional<Finished> RemeasuringStage::measure_case(std::size_t index) {
  const Case& measured = setting_.plan.cases[index];
  const TeamCpus placement = setting_.plan.place(measured.team);
  if (!placement.refusal.empty() || setting_.ranks.local().rank() >= measured.team.ranks) return std::nullopt;
  setting_.deadlines.begin_pass(setting_.plan, index, std::string(again_pass));
  return setting_.runner.time(measured, placement, turn_protocol(setting_.campaign.timing));
}

void RemeasuringStage::add(const std::string& id, int turn, Finished&& measured, const std::vector<Condition>& conditions, double seconds) {
  Unit& unit = units_[id];
  auto rows = std::move(unit.finished.remeasured);
  for (const auto& time : measured.times)
    if (time.rank == -1 && time.phase.empty())
      rows.push_back({id, time.node, time.session, turn, time.repetition, time.seconds, time.clock_hz});
  if (!unit.finished.case_row.id.empty()) join_gpu_conditions(unit.finished.outcome.placement, measured.outcome.placement);
  if (unit.finished.case_row.id.empty() || unit.finished.outcome.status == Status::ok) {
    const auto started = unit.finished.outcome.started_unix_ns;
    unit.finished = std::move(measured);
    if (started != 0) unit.finished.outcome.started_unix_ns = started;
  }
  unit.finished.times.clear();
  unit.finished.remeasured = std::move(rows);
  add_span(unit.conditions, conditions);
  unit.seconds += seconds;
}

std::vector<Finished> RemeasuringStage::finished() const {
  std::vector<Finished> all;
  for (const auto& [id, unit] : units_) {
    const auto found = turns_.find(id);
    const int turns = found == turns_.end() ? 0 : found->second;
    if (turns == 0 && unit.finished.outcome.status == Status::ok) continue;
    Finished one = unit.finished;
    one.outcome.pass = again_pass;
    std::erase_if(one.remeasured, [&](const RemeasuredRow& row) { return row.turn >= turns; });
    std::copy_if(setting_.earlier.begin(), setting_.earlier.end(), std::back_inserter(one.remeasured),
                 [&wanted = id](const RemeasuredRow& row) { return row.case_id == wanted; });
    json placement = json::parse(one.outcome.placement);
    placement["conditions"] = json::parse(conditions_json(unit.conditions));
    placement["conditions"]["seconds"] = {{"value", unit.seconds}};
    one.outcome.placement = placement.dump();
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace plumbline::app
