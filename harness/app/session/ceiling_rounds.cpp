#include "app/session/ceiling_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/here/this_core.hpp"
#include "app/session/form_agreement.hpp"
#include "app/session/run_nodes.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/form_contests_stage.hpp"
#include "app/stages/gpu_ceilings_stage.hpp"
#include "app/stages/last_cache_stage.hpp"
#include "app/stages/mpi_ceilings_stage.hpp"
#include "app/stages/node_links_stage.hpp"
#include "app/stages/numa_stage.hpp"
#include "comm/told.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "store/session_list.hpp"

namespace plumbline::app {
namespace {

/// The stages that a round is made of. Each keeps between the rounds what it needs again.
struct Stages {
  CeilingsStage cpus;
  GpuCeilingsStage gpus;
  MpiCeilingsStage messages;
  NodeLinksStage links;
};

/// Nodes that measure one after the other in a round; 1: all at once.
int nodes_in_turn(const RunContext& run) { return run.campaign().nodes.turns ? run.ranks.nodes() : 1; }

/// Calls `measure` on this node when it is its turn, while the others wait.
template <class Measure>
void by_turns(RunContext& run, Measure measure) {
  const int in_turn = nodes_in_turn(run);
  for (int turn = 0; turn < in_turn; ++turn) {
    if (in_turn == 1 || turn == run.ranks.node()) measure();
    if (in_turn > 1) run.ranks.world().wait_for_all();
  }
}

/// Plans the winners' loops from here on, the same on all ranks of the node.
void take_winners(RunContext& run, const std::vector<CeilingRow>& measured) {
  const std::string kind = kind_of(run.input, run.plan.part);
  const auto chosen = agree_on_forms(measured, kind, run.record.earlier(), run.ranks);
  const auto winners = run.leads() ? winners_of(run.plan.contests, chosen, kind) : std::vector<std::size_t>();
  run.plan.ceilings = with_winners(run.plan.ceilings, run.plan.contests, broadcast(run.ranks.local(), winners));
}

/// Chooses which loop stands for each ceiling on this node and its like: by contests, or as an earlier session chose.
void choose_forms(RunContext& run) {
  if (run.stop_here()) return;
  const auto to_do = unchosen(run.plan.contests, run.record.earlier().chosen_forms, run.ranks.host());
  const CoreIdentity core = this_core();
  FormContestsStage stage(to_do, run.session, run.ranks, run.plan.place,
                          [&](const CeilingRow& sample) { return fraction_of_limit(sample, core); });
  run.deadlines.begin_ceilings(run.plan, stage.id(), nodes_in_turn(run));
  if (!to_do.empty()) run.progress.say(fmt::format("ceilings: {} contests between loops for the same", to_do.size()));
  std::vector<CeilingRow> measured;
  by_turns(run, [&] {
    if (to_do.empty()) return;
    const auto unit = stage.measure();
    if (!unit) return;
    run.accept_ceilings(*unit);
    measured = unit->ceilings;
  });
  take_winners(run, measured);
}

/// Adds samples of NUMA domains: done by the leader, while the other ranks of the node wait.
void add_numa_samples(const RunContext& run, int round, Finished& unit) {
  if (round >= run.plan.numa_rounds) return;
  for (auto& row : measure_numa(run.input.topology, run.plan.last_caches, run.ranks.host(), run.session, round))
    unit.ceilings.push_back(std::move(row));
}

void measure_on_cpus(RunContext& run, CeilingsStage& stage, int round) {
  if (run.is_finished(stage.round_id(round), time_pass)) return;
  auto unit = stage.measure(round);
  if (unit) add_numa_samples(run, round, *unit);
  run.ranks.local().wait_for_all();
  if (unit) run.accept_ceilings(*unit);
}

/// Measures ceilings of GPUs: done by the ranks that drive the node's GPUs, while the others wait.
void measure_on_gpus(RunContext& run, GpuCeilingsStage& stage, int round) {
  if (run.plan.gpus.all.empty()) return;
  const auto to_do = stage.to_do(round, [&](const std::string& id) { return run.is_finished(id, time_pass); });
  if (to_do.empty()) return;
  std::size_t points = 0;
  for (const auto& one : to_do) points += one.gpu->count;
  run.progress.say(fmt::format("ceilings of {} ({}), round {} of {}: {} kernels and working sets",
                               to_do.size() == 1 ? "the GPU" : fmt::format("{} GPUs", to_do.size()),
                               to_string(run.campaign().ceilings.mode), round + 1, run.plan.ceiling_rounds, points));
  for (int turn = 0; turn < run.plan.gpus.turns; ++turn) {
    std::vector<GpuCeilingsStage::ToDo> now;
    std::copy_if(to_do.begin(), to_do.end(), std::back_inserter(now), [&](const auto& one) { return one.gpu->driver.turn == turn; });
    if (now.empty()) continue;
    run.deadlines.begin_gpu_ceilings(run.plan, now, nodes_in_turn(run));
    for (const auto& unit : stage.measure(round, now)) run.accept_ceilings(unit);
  }
  run.ranks.local().wait_for_all();
}

/// The run's deadlines of a GPU's points, each of which may hang by itself, and its memory of those that did.
GpuPointsWatch watch_of(RunContext& run) {
  return {.begins = [&run](const std::string& point, double seconds,
                           const Finished& so_far) { run.deadlines.begin_gpu_point(run.plan, point, seconds, so_far); },
          .waits = [&run] { run.deadlines.wait_for_ceilings(run.plan, nodes_in_turn(run)); },
          .given_up = [&run](const std::string& point) -> nlohmann::json {
            const auto& overdue = run.record.earlier().overdue;
            const auto found = overdue.find({point, run.ranks.host(), std::string(time_pass)});
            if (found == overdue.end() || !found->second.given_up) return {};
            const Deadline& deadline = run.campaign().deadline;
            return {{"point", point},
                    {"times", found->second.times},
                    {"reason", found->second.reason},
                    {"factor", deadline.factor},
                    {"floor_seconds", deadline.floor_seconds}};
          }};
}

void measure_on_nodes(RunContext& run, Stages& stages, int round) {
  const std::string id = stages.cpus.round_id(round);
  run.deadlines.begin_ceilings(run.plan, id, nodes_in_turn(run));
  if (!run.plan.ceilings.empty() && !run.is_finished(id, time_pass))
    run.progress.say(fmt::format("ceilings ({}), round {} of {}: {} kernels and working sets", to_string(run.campaign().ceilings.mode),
                                 round + 1, run.plan.ceiling_rounds, run.plan.ceilings.size()));
  by_turns(run, [&] {
    measure_on_cpus(run, stages.cpus, round);
    measure_on_gpus(run, stages.gpus, round);
  });
}

void measure_messages(RunContext& run, MpiCeilingsStage& stage, int round) {
  run.deadlines.begin_ceilings(run.plan, stage.round_id(round), 1);
  const bool finished = run.is_finished(stage.round_id(round), time_pass);
  if (const auto unit = stage.measure(round, finished)) run.accept_ceilings(*unit);
}

void measure_links(RunContext& run, NodeLinksStage& stage, int round) {
  if (stage.turns() == 0) return;
  run.deadlines.begin_ceilings(run.plan, stage.round_id(round), 1);
  run.progress.say(fmt::format("links between {} nodes, round {} of {}: {} turns", run.ranks.nodes(), round + 1, run.plan.ceiling_rounds,
                               stage.turns()));
  if (const auto unit = stage.measure(round, run.is_finished(stage.round_id(round), time_pass))) run.accept_ceilings(*unit);
}

}  // namespace

void measure_ceilings(RunContext& run) {
  const Campaign& campaign = run.campaign();
  const bool any_here =
      !run.plan.ceilings.empty() || wants_gpu_ceilings(campaign) || wants_mpi_ceilings(campaign) || wants_node_links(campaign);
  if (!run.ranks.world().any(any_here)) return;
  choose_forms(run);
  Stages stages{.cpus = CeilingsStage(run.plan.ceilings, run.session, run.ranks, run.plan.place),
                .gpus = GpuCeilingsStage(run.plan.gpus, run.session, run.ranks, run.runner.gpu_in_use(), watch_of(run)),
                .messages = MpiCeilingsStage(campaign, run.session, run.ranks, run.plan.place),
                .links = NodeLinksStage(campaign, run.session, run.ranks, run.plan.place)};
  for (int round = 0; round < run.plan.ceiling_rounds && !run.stop_here(); ++round) {
    measure_on_nodes(run, stages, round);
    measure_messages(run, stages.messages, round);
    measure_links(run, stages.links, round);
  }
}

void settle_last_cache(RunContext& run) {
  const auto rule = last_cache_rule(run.campaign());
  const auto& cases = run.plan.cases;
  const bool any_on_cpus = std::any_of(cases.begin(), cases.end(), [](const Case& one) { return one.team.gpus == 0; });
  if (!rule || run.plan.rounds.empty() || !any_on_cpus || run.stop_here()) return;
  run.deadlines.begin_ceilings(run.plan, std::string(last_cache_unit), 1);
  std::vector<CeilingRow> sweeps;
  run.keep([&] { sweeps = run.record.sweeps(run.ranks.host()); });
  const EarlierSessions& earlier = run.record.earlier();
  LastCacheStage stage(run.input.caches, run.session, run.ranks, run.plan.place);
  const LastCache last =
      stage.settle(*rule, {.choice = earlier.last_cache(run.ranks.host()), .was_counted = earlier.counted_on(run.ranks.host())}, sweeps);
  run.runner.set_last_cache(last);
  if (const auto unit = stage.unit()) run.accept(*unit);
  if (!last.name.empty() || *rule == LastCacheRule::measured) run.progress.say("note: " + line_of(last));
}

}  // namespace plumbline::app
