#include "app/session/remeasuring.hpp"

#include <utility>

#include "app/session/remeasuring_plan.hpp"
#include "app/session/remeasuring_stage.hpp"
#include "comm/told.hpp"

namespace plumbline::app {
namespace {

/// Judges, collectively, who measures what again, before all agree how often.
RemeasuringPlan judge(RunContext& run) {
  run.deadlines.begin_judging(run.plan);
  const auto hosts = gather(run.ranks.world(), run.ranks.host());
  RemeasuringPlan again;
  if (run.ranks.rank() == 0) run.keep([&] { again = plan_remeasuring_of(run.record, hosts, run.budget_left()); });
  for (const auto& line : again.left_out) run.progress.say(line);
  return broadcast(run.ranks.world(), again);
}

}  // namespace

void measure_suspicious_again(RunContext& run) {
  if (!run.compares_nodes() || !run.campaign().nodes.remeasure) return;
  run.keep([&] { run.record.sync(); });
  if (run.stop_here()) return;
  RemeasuringPlan again = judge(run);
  if (again.groups.empty()) return;
  std::vector<RemeasuredRow> earlier;
  run.keep([&] { earlier = run.record.remeasured(run.ranks.host()); });
  RemeasuringStage stage({run.plan, run.ranks, run.runner, run.deadlines, run.campaign(), run.session, std::move(earlier)});
  const bool one_at_a_time = run.campaign().nodes.turns;
  agree_on(
      again, [&](const std::string& id) { return stage.turn_seconds(id); }, one_at_a_time, run.ranks.world());
  if (again.groups.empty()) return;
  for (const auto& line : to_lines(again)) run.progress.say(line);
  for (const auto& step : steps_of(again.groups, again.taken, again.turns, one_at_a_time))
    if (!stage.measure(again, step, [&] { return run.stop_here(); })) break;
  // Each turn that a case's nodes have finished is kept when a run stops: a resumed one goes on from there, however short it is.
  for (const auto& unit : stage.finished()) run.accept(unit);
}

}  // namespace plumbline::app
