#include "app/remeasuring_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "machine/gpu_watch.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

/// What was seen of a GPU in earlier turns goes before what `later` has seen, where both have.
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
    : setting_(std::move(setting)), points_(setting_.plan, setting_.ranks, setting_.runner.gpu_in_use(), setting_.session) {
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
bool RemeasuringStage::turn(const RemeasuringPlan& again, int number, const std::function<bool()>& stop_here) {
  double longest = 0;  // of any group: where the nodes measure together, so do the groups
  for (const auto& group : again.groups) {
    double of_group = 0;
    for (const auto& id : group.cases) {
      auto nodes = group.nodes();
      std::rotate(nodes.begin(), nodes.begin() + number % static_cast<int>(nodes.size()), nodes.end());  // nobody is always the first
      const double patience = again.seconds.at(id).at_most;
      of_group += patience;
      const bool mine = std::find(nodes.begin(), nodes.end(), setting_.ranks.host()) != nodes.end();
      if (setting_.campaign.nodes.turns) {
        if (!one_after_the_other(nodes, id, number, patience, stop_here)) return false;
      } else if (mine) {
        measure(id, number, patience);
        setting_.deadlines.wait_again(patience);
        setting_.ranks.local().wait_for_all();  // who is not of the team rests until it is done
      }
    }
    longest = std::max(longest, of_group);
  }
  wait(longest);
  return true;
}

/// All ranks of all nodes meet after each node, whichever of them measured: so they are in step before each.
bool RemeasuringStage::one_after_the_other(const std::vector<std::string>& nodes, const std::string& id, int turn, double patience,
                                           const std::function<bool()>& stop_here) {
  for (const auto& node : nodes) {
    if (stop_here()) return false;
    if (node == setting_.ranks.host()) measure(id, turn, patience);
    wait(patience);
  }
  return true;
}

void RemeasuringStage::wait(double seconds) {
  setting_.deadlines.wait_again(seconds);
  setting_.ranks.world().wait_for_all();
}

void RemeasuringStage::measure(const std::string& id, int turn, double patience) {
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
    if (time.rank == -1) rows.push_back({id, time.node, time.session, turn, time.repetition, time.seconds, time.clock_hz});
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

std::vector<Finished> RemeasuringStage::finished(int turns) const {
  std::vector<Finished> all;
  for (const auto& [id, unit] : units_) {
    Finished one = unit.finished;
    one.outcome.pass = again_pass;
    std::erase_if(one.remeasured, [&](const RemeasuredRow& row) { return row.turn >= turns; });
    json placement = json::parse(one.outcome.placement);
    placement["conditions"] = json::parse(conditions_json(unit.conditions));
    placement["conditions"]["seconds"] = {{"value", unit.seconds}};
    one.outcome.placement = placement.dump();
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace plumbline::app
