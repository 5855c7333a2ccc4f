#include "app/remeasuring_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/ceilings_stage.hpp"
#include "app/node_report.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

constexpr int most_turns = 15, least_turns = 5;

bool leads(Communicator& ranks) { return ranks.local().rank() == 0; }

/// Of a case and a node: the session that measured it again.
using SessionsAgain = std::map<SeriesKey, std::string>;

SessionsAgain sessions_of(const std::vector<RemeasuredRow>& rows) {
  SessionsAgain sessions;
  for (const auto& row : rows) sessions[{row.case_id, row.node}] = row.session;
  return sessions;
}

std::string name_of(const CeilingCase& point) { return point_name(described(point)); }

/// By all nodes of the group that can have it, in one session: what two sessions measured is no pair.
bool is_done(const RunRecord& record, const RemeasuringGroup& group, const std::string& id, const ComparedThings& compared,
             const SessionsAgain& sessions) {
  auto nodes = group.nodes();
  std::erase_if(nodes, [&](const std::string& node) { return !compared.contains({id, node}); });
  const auto session_of = [&](const std::string& node) {
    const auto found = sessions.find({id, node});
    return found == sessions.end() ? std::string() : found->second;
  };
  const auto has = [&](const std::string& node) {
    return record.finished().contains({id, node, std::string(again_pass)}) && session_of(node) == session_of(nodes.front());
  };
  const auto gave_up = [&](const std::string& node) {
    const auto found = record.overdue().find({id, node, std::string(again_pass)});
    return found != record.overdue().end() && found->second.given_up;
  };
  return std::all_of(nodes.begin(), nodes.end(), has) || std::any_of(nodes.begin(), nodes.end(), gave_up);
}

/// Only what this campaign still has.
void keep_what_is_to_do(RemeasuringGroup& group, const RunRecord& record, const RunPlan& plan, const ComparedThings& compared,
                        const SessionsAgain& sessions) {
  std::erase_if(group.cases, [&](const std::string& id) {
    const bool planned = std::any_of(plan.cases.begin(), plan.cases.end(), [&](const Case& one) { return one.id() == id; }) ||
                         std::any_of(plan.ceilings.begin(), plan.ceilings.end(), [&](const auto& one) { return name_of(one) == id; });
    return !planned || is_done(record, group, id, compared, sessions);
  });
}

constexpr int turn_repetitions = 3;
constexpr int calibration = 2;  // of a turn, in repetitions, about

/// A turn's repetitions, for an estimate.
Campaign of_one_turn(Campaign campaign) {
  campaign.timing.max_repetitions = turn_repetitions + calibration;
  return campaign;
}

/// As many as fit.
int turns_within(std::optional<double> seconds, double turn) {
  if (!seconds || turn <= 0) return most_turns;
  return std::clamp(static_cast<int>(std::min(*seconds / turn, 1.0 * most_turns)), least_turns, most_turns);
}

/// They share their data.
std::vector<CeilingCase> repetitions_of(const CeilingCase& point) { return std::vector<CeilingCase>(turn_repetitions, point); }

std::string placement_json(const TeamCpus& team, const std::string& host) {
  json ranks = json::array();
  for (std::size_t rank = 0; rank < team.cpus.size(); ++rank) ranks.push_back({{"rank", rank}, {"host", host}, {"cpus", team.cpus[rank]}});
  return json{{"ranks", ranks}, {"oversubscribed", team.oversubscribed}}.dump();
}

/// Nodes that take turns add up, and so do their groups; else they all measure together.
double seconds_of_turn(const RunPlan& plan, const std::vector<RemeasuringGroup>& groups, const Campaign& campaign) {
  const Campaign turn = of_one_turn(campaign);
  double sum = 0, longest = 0;
  for (const auto& group : groups) {
    double of_node = 0;
    const auto has = [&](const std::string& id) { return std::find(group.cases.begin(), group.cases.end(), id) != group.cases.end(); };
    for (const auto& one : plan.cases)
      if (has(one.id())) of_node += estimate(one, turn).time_seconds;
    for (const auto& one : plan.ceilings)
      if (has(name_of(one))) of_node += ceilings_seconds(repetitions_of(one), 1);
    sum += of_node * static_cast<double>(group.nodes().size());
    longest = std::max(longest, of_node);
  }
  return campaign.nodes.turns ? sum : longest;
}

}  // namespace

RemeasuringPlan plan_remeasuring_of(const RunRecord& record, const RunPlan& plan, const std::vector<std::string>& present,
                                    const Campaign& campaign, std::optional<double> seconds) {
  RemeasuringPlan again{.groups = {}, .turns = most_turns};
  const SeenNodes seen = seen_in_run(record.store());
  const auto comparison = compare_nodes(seen.side, {}, {});
  again.groups = plan_remeasuring(comparison, {present.begin(), present.end()});
  const ComparedThings compared = compared_things(comparison);
  const SessionsAgain sessions = sessions_of(seen.remeasured);
  for (auto& group : again.groups) keep_what_is_to_do(group, record, plan, compared, sessions);
  std::erase_if(again.groups, [](const auto& group) { return group.cases.empty(); });
  again.turns = turns_within(seconds, seconds_of_turn(plan, again.groups, campaign));
  return again;
}

double remeasuring_seconds(const std::vector<Case>& cases, const std::vector<CeilingCase>& ceilings, const Campaign& campaign, int nodes,
                           std::optional<double> seconds) {
  if (nodes < 2 || !campaign.nodes.remeasure || !campaign.time || campaign.placement != Placement::every_node) return 0;
  const Campaign once = of_one_turn(campaign);
  std::vector<double> of_cases, of_points;
  for (const auto& one : cases) of_cases.push_back(estimate(one, once).time_seconds);
  for (const auto& one : ceilings) of_points.push_back(ceilings_seconds(repetitions_of(one), 1));
  double turn = 0;
  for (auto* all : {&of_cases, &of_points}) {
    std::sort(all->begin(), all->end(), std::greater<>());
    all->resize(std::min(all->size(), cases_of_suspect));
    turn += std::accumulate(all->begin(), all->end(), 0.0);
  }
  if (campaign.nodes.turns) turn *= std::min(nodes, 1 + static_cast<int>(least_peers));
  return turns_within(seconds, turn) * turn;
}

std::string to_text(const RemeasuringPlan& plan) {
  json groups = json::array();
  for (const auto& group : plan.groups) groups.push_back({{"suspects", group.suspects}, {"peers", group.peers}, {"cases", group.cases}});
  return json{{"groups", groups}, {"turns", plan.turns}}.dump();
}

RemeasuringPlan remeasuring_plan_from(const std::string& text) {
  const json told = json::parse(text);
  RemeasuringPlan plan{.groups = {}, .turns = told["turns"]};
  for (const auto& group : told["groups"]) plan.groups.push_back({group["suspects"], group["peers"], group["cases"]});
  return plan;
}

std::vector<std::string> to_lines(const RemeasuringPlan& plan) {
  std::vector<std::string> lines;
  for (const auto& group : plan.groups)
    lines.push_back(fmt::format("suspicious: {}; measured again beside {}: {} cases and ceilings, {} turns",
                                fmt::join(group.suspects, ", "), fmt::join(group.peers, ", "), group.cases.size(), plan.turns));
  return lines;
}

TimingProtocol turn_protocol(const Timing& wanted) {
  return {.min_seconds = wanted.min_seconds,
          .ci_relative = wanted.ci_relative,
          .max_repetitions = turn_repetitions,
          .min_repetitions = turn_repetitions,
          .budget_seconds = 0};
}

RemeasuringStage::RemeasuringStage(Setting setting, const RemeasuringPlan& again) : setting_(std::move(setting)), again_(again) {
  for (std::size_t i = 0; i < setting_.plan.cases.size(); ++i) index_[setting_.plan.cases[i].id()] = i;
  for (const auto& point : setting_.plan.ceilings) points_[name_of(point)] = &point;
}

/// A group's case is measured by all of its nodes before the next one is: what a turn compares lies close together in time.
bool RemeasuringStage::turn(int number, const std::function<bool()>& stop_here) {
  double longest = 0;  // of any group: where the nodes measure together, so do the groups
  for (const auto& group : again_.groups) {
    double of_group = 0;
    for (const auto& id : group.cases) {
      auto nodes = group.nodes();
      std::rotate(nodes.begin(), nodes.begin() + number % static_cast<int>(nodes.size()), nodes.end());  // nobody is always the first
      of_group += patience(id);
      const bool mine = std::find(nodes.begin(), nodes.end(), setting_.ranks.host()) != nodes.end();
      if (setting_.one_at_a_time) {
        if (!one_after_the_other(nodes, id, number, stop_here)) return false;
      } else if (mine) {
        measure(id, number);
        setting_.deadlines.wait_again(patience(id));
        setting_.ranks.local().wait_for_all();  // who is not of the team rests until it is done
      }
    }
    longest = std::max(longest, of_group);
  }
  wait(longest);
  return true;
}

/// All ranks of all nodes meet after each node, whichever of them measured: so they are in step before each.
bool RemeasuringStage::one_after_the_other(const std::vector<std::string>& nodes, const std::string& id, int turn,
                                           const std::function<bool()>& stop_here) {
  for (const auto& node : nodes) {
    if (stop_here()) return false;
    if (node == setting_.ranks.host()) measure(id, turn);
    wait(patience(id));
  }
  return true;
}

double RemeasuringStage::patience(const std::string& id) const {
  if (const auto point = points_.find(id); point != points_.end())
    return setting_.deadlines.ceilings_seconds(repetitions_of(*point->second));
  if (const auto found = index_.find(id); found != index_.end()) return setting_.deadlines.time_seconds(setting_.plan.cases[found->second]);
  return setting_.deadlines.ceilings_seconds(setting_.plan.ceilings);  // a point of another kind of node, which this one only waits for
}

void RemeasuringStage::wait(double seconds) {
  setting_.deadlines.wait_again(seconds);
  setting_.ranks.world().wait_for_all();
}

void RemeasuringStage::measure(const std::string& id, int turn) {
  const auto before = leads(setting_.ranks) ? read_conditions() : std::vector<Condition>();
  const double began = now_seconds();
  const auto point = points_.find(id);
  auto unit = point == points_.end() ? measure_case(index_.at(id)) : measure_point(id, *point->second);
  if (unit) add(id, turn, std::move(*unit), between(before, read_conditions()), now_seconds() - began);
}

std::optional<Finished> RemeasuringStage::measure_case(std::size_t index) {
  const Case& measured = setting_.plan.cases[index];
  const TeamCpus placement = setting_.plan.place(measured.team);
  if (!placement.refusal.empty() || setting_.ranks.local().rank() >= measured.team.ranks) return std::nullopt;
  setting_.deadlines.begin_pass(setting_.plan, index, std::string(again_pass));
  return setting_.runner.time(measured, placement, setting_.protocol);
}

/// As the times of a case that has the point's name.
std::optional<Finished> RemeasuringStage::measure_point(const std::string& id, const CeilingCase& point) {
  setting_.deadlines.begin_point(setting_.plan, id, std::string(again_pass), patience(id));
  const std::vector<CeilingCase> repetitions = repetitions_of(point);
  CeilingsStage stage(repetitions, setting_.session, setting_.ranks, setting_.plan.place);
  const auto sampled = stage.measure(0);
  if (!sampled || sampled->ceilings.empty()) return std::nullopt;
  Finished unit;
  unit.case_row.id = id;
  unit.outcome = round_outcome(id, setting_.ranks.host(), setting_.session);
  unit.outcome.placement = placement_json(setting_.plan.place(point.measured.team), setting_.ranks.host());
  for (const auto& row : sampled->ceilings) {
    if (row.status != Status::ok) {
      unit.outcome.status = row.status;
      unit.outcome.reason = row.method;
      continue;
    }
    unit.times.push_back(
        {.case_id = id, .node = row.node, .session = row.session, .repetition = static_cast<int>(unit.times.size()), .rank = -1});
    unit.times.back().seconds = seconds_per_sweep(row, point);
    unit.times.back().clock_hz = row.clock_hz;
  }
  return unit;
}

void RemeasuringStage::add(const std::string& id, int turn, Finished&& measured, const std::vector<Condition>& conditions, double seconds) {
  Unit& unit = units_[id];
  auto rows = std::move(unit.finished.remeasured);
  for (const auto& time : measured.times)
    if (time.rank == -1) rows.push_back({id, time.node, time.session, turn, time.repetition, time.seconds, time.clock_hz});
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
    Finished one = unit.finished;
    one.outcome.pass = again_pass;
    json placement = json::parse(one.outcome.placement);
    placement["conditions"] = json::parse(conditions_json(unit.conditions));
    placement["conditions"]["seconds"] = {{"value", unit.seconds}};
    one.outcome.placement = placement.dump();
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace plumbline::app
