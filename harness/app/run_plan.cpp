#include "app/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/ceiling_names.hpp"
#include "app/ceilings_stage.hpp"
#include "app/mpi_ceilings_stage.hpp"
#include "app/numa_stage.hpp"
#include "app/progress.hpp"
#include "app/run_record.hpp"
#include "app/streams.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"
#include "schedule/plan.hpp"
#include "schedule/team_placement.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

/// The nodes of the run, the same on every rank, in the order of Communicator::node().
struct Nodes {
  std::vector<PlanNode> facts;
  std::vector<std::vector<std::string>> counting;  // keys of the event groups that each node counts with
  int fewest_ranks = 1, fewest_cores = 1;
  double memory_bytes = 0;  // the least available of any node
};

std::string kind_of(const RunInput& input) {
  std::string kind = this_cpu().name + fmt::format("/{} cores", input.topology.cores);
  for (const auto& cache : input.caches) kind += fmt::format("/{}={}", cache.name, cache.bytes);
  return kind;
}

Nodes meet_nodes(const RunInput& input, Communicator& ranks) {
  const json mine{{"node", ranks.node()},          {"leads", ranks.local().rank() == 0}, {"name", ranks.host()},
                  {"kind", kind_of(input)},        {"ranks", ranks.local().size()},      {"isas", this_cpu().isas},
                  {"cores", input.topology.cores}, {"counting", input.counting.keys()}};
  const auto texts = ranks.world().gather(mine.dump());
  const json all = json::parse(ranks.world().broadcast(ranks.rank() == 0 ? json(texts).dump() : ""));
  Nodes nodes;
  nodes.facts.resize(static_cast<std::size_t>(ranks.nodes()));
  nodes.counting.resize(nodes.facts.size());
  nodes.fewest_ranks = nodes.fewest_cores = std::numeric_limits<int>::max();
  for (const auto& text : all) {
    const json told = json::parse(text.get<std::string>());
    if (!told["leads"]) continue;
    nodes.facts[told["node"]] = {told["name"], told["kind"], told["ranks"], told["isas"]};
    nodes.counting[told["node"]] = told["counting"];
    nodes.fewest_ranks = std::min(nodes.fewest_ranks, told["ranks"].get<int>());
    nodes.fewest_cores = std::min(nodes.fewest_cores, told["cores"].get<int>());
  }
  nodes.memory_bytes = ranks.world().min(static_cast<double>(memory_available_bytes()));
  return nodes;
}

int most_ranks(const std::vector<PlanNode>& nodes) {
  int most = 0;
  for (const auto& node : nodes) most = std::max(most, node.ranks);
  return most;
}

Target target_of(const Nodes& nodes) {
  std::set<std::string> isas;
  for (const auto& node : nodes.facts) isas.insert(node.isas.begin(), node.isas.end());
  return {.runs_isa = [isas](std::string_view isa) { return isas.contains(std::string(isa)); },
          .isas = fmt::format("{}", fmt::join(isas, ", ")),
          .ranks_per_node = nodes.fewest_ranks,
          .cores_per_node = nodes.fewest_cores};
}

/// The CPUs that the launcher left to each rank of this node, in rank order.
std::vector<std::vector<int>> allowed_cpus(const RunInput& input, Communicator& ranks) {
  const auto texts = ranks.local().gather(json(input.topology.allowed_cpus()).dump());
  const json all = json::parse(ranks.local().broadcast(ranks.local().rank() == 0 ? json(texts).dump() : ""));
  std::vector<std::vector<int>> allowed;
  for (const auto& text : all) allowed.push_back(json::parse(text.get<std::string>()));
  return allowed;
}

/// The node as all of its ranks together may use it.
Topology with_allowed(Topology node, const std::vector<std::vector<int>>& allowed) {
  std::set<int> any;
  for (const auto& own : allowed) any.insert(own.begin(), own.end());
  for (auto& cpu : node.cpus) cpu.allowed = any.contains(cpu.cpu);
  return node;
}

std::function<TeamCpus(const Team&)> placer(const RunInput& input, Communicator& ranks) {
  const auto allowed = allowed_cpus(input, ranks);
  return [topology = input.topology, whole = with_allowed(input.topology, allowed), allowed, oversubscribe = input.campaign.oversubscribe,
          local = ranks.local().size()](const Team& team) {
    if (team.ranks > local)
      return TeamCpus{
          .cpus = {},
          .oversubscribed = false,
          .refusal = fmt::format("a team of {} ranks on a node that was given {}: launch more ranks a node", team.ranks, local)};
    TeamPlacement placed = place_team(topology, allowed, team, oversubscribe);
    const std::string scope = scope_of(whole, placed.cpus);
    const int ranks_per_l3 = ranks_on_one_l3(topology, placed.cpus);
    return TeamCpus{std::move(placed.cpus), placed.oversubscribed, std::move(placed.refusal), scope, ranks_per_l3};
  };
}

bool all_passes_finished(const Case& which, const Nodes& nodes, std::size_t node, const Campaign& campaign,
                         const std::set<WorkKey>& finished) {
  const std::string id = which.id(), &name = nodes.facts[node].name;
  return (!campaign.time || finished.contains({id, name, "time"})) &&
         (!campaign.count || campaign.counters == "none" || counting_is_finished(finished, id, name, nodes.counting[node]));
}

/// Loads and chase of one core say where the levels are, without which no working set of another pattern has one.
bool shows_levels(const CeilingCase& ceiling) {
  return ceiling.level == "sweep" && (ceiling.pattern == "load" || ceiling.pattern == "chase") && ceiling.measured.team == Team{1, 1};
}

/// Appends to `notes` what the campaign names in vain.
std::vector<CeilingCase> ceilings_of(const RunInput& input, const Nodes& nodes, std::vector<std::string>& notes) {
  const CeilingsWish& wish = input.campaign.ceilings;
  if (wish.mode == CeilingsMode::none || !input.campaign.time) return {};
  const auto mode = wish.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  const auto teams = ceiling_teams(nodes.fewest_cores, nodes.fewest_ranks, input.topology.numa_nodes, input.topology.packages);
  auto all = plan_ceilings(mode, this_cpu().isas, last_caches_of(input.topology), static_cast<std::uint64_t>(nodes.memory_bytes), teams);
  const Links links{.most_ranks_of_node = most_ranks(nodes.facts), .nodes = static_cast<int>(nodes.facts.size())};
  for (auto& note : check_ceiling_names(input.campaign, all, teams, links)) notes.push_back(std::move(note));
  std::vector<CeilingCase> wanted;
  const bool sweeps =
      std::any_of(all.begin(), all.end(), [&](const CeilingCase& one) { return one.level == "sweep" && is_wanted(wish, one.name); });
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted),
               [&](const CeilingCase& one) { return is_wanted(wish, one.name) || (sweeps && shows_levels(one)); });
  return wanted;
}

}  // namespace

std::filesystem::path output_of(const RunOptions& options, const Campaign& campaign) {
  return options.output.empty() ? std::filesystem::path("plumbline-out") / (campaign.name + ".h5") : options.output;
}

RunPlan plan_run(const RunInput& input, Communicator& ranks, const std::set<WorkKey>& finished) {
  const Nodes nodes = meet_nodes(input, ranks);
  Expansion expansion = expand(input.campaign, kernels(), target_of(nodes));
  require_memory(expansion.cases, static_cast<std::uint64_t>(nodes.memory_bytes));

  RunPlan plan{.cases = std::move(expansion.cases),
               .skipped = std::move(expansion.skipped),
               .notes = std::move(expansion.notes),
               .case_seconds = {},
               .rounds = {},
               .ceilings = {},
               .ceiling_rounds = rounds_of(input.campaign.ceilings),
               .place = placer(input, ranks)};
  plan.ceilings = ceilings_of(input, nodes, plan.notes);
  for (const Case& one : plan.cases) {
    const Estimate seconds = estimate(one, input.campaign);
    plan.case_seconds.push_back(seconds.time_seconds + seconds.count_seconds);
  }
  std::vector<std::string> needs;  // nodes may differ in what they run
  for (const Case& one : plan.cases) needs.push_back(required_isa(one.flavor.name));
  const Plan made = make_plan(plan.cases, {.nodes = nodes.facts,
                                           .distribute = input.campaign.placement == Placement::distribute,
                                           .seed = input.campaign.seed,
                                           .seconds = plan.case_seconds,
                                           .needs = needs,
                                           .finished =
                                               [&](std::size_t which, std::size_t node) {
                                                 return all_passes_finished(plan.cases[which], nodes, node, input.campaign, finished);
                                               },
                                           .refusal = {}});
  plan.rounds = made.rounds;
  plan.seconds = made.seconds;
  plan.numa_rounds = numa_rounds(input.campaign.ceilings, plan.ceiling_rounds);
  plan.ceiling_seconds = ceilings_seconds(plan.ceilings, plan.ceiling_rounds) + numa_seconds(input.topology.numa_nodes) * plan.numa_rounds +
                         mpi_ceilings_seconds(input.campaign, plan.ceiling_rounds, ranks.nodes(), most_ranks(nodes.facts));
  for (const auto& skip : made.skipped)
    if (skip.node == static_cast<std::size_t>(ranks.node())) plan.skipped.push_back({plan.cases[skip.which], skip.reason});
  return plan;
}

Exit print_plan(const RunPlan& plan, const RunInput& input, Communicator& ranks) {
  if (ranks.rank() != 0) return Exit::ok;
  std::uint64_t most_bytes = ceilings_bytes(plan.ceilings);
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const std::uint64_t bytes = memory_bytes(plan.cases[i]).value_or(0);
    most_bytes = std::max(most_bytes, bytes);
    print(fmt::format("{:>9.2f} s  {:>10.1f} MB  {}\n", plan.case_seconds[i], static_cast<double>(bytes) * 1e-6, plan.cases[i].id()));
  }
  for (const auto& skipped : plan.skipped) print(fmt::format("  skipped             {}  ({})\n", skipped.what.id(), skipped.reason));
  for (const auto& group : input.counting.groups)
    print(fmt::format("  counting with {}, group {}: {} events{}\n", group.backend, group.number, group.what.events.size(),
                      group.what.emulated ? ", under the emulator" : ""));
  if (!input.counting.skipped.empty()) print(fmt::format("  not counting with: {}\n", input.counting.why_skipped()));
  for (const auto& note : plan.notes) print(fmt::format("  note: {}\n", note));
  print(fmt::format(
      "{} cases in {} rounds on {} node(s), {} skipped; {} ceiling points x {} rounds; about {} (estimate), at most {:.1f} MB a node; seed "
      "{}\n",
      plan.cases.size(), plan.rounds.size(), ranks.nodes(), plan.skipped.size(), plan.ceilings.size(), plan.ceiling_rounds,
      duration_text(plan.seconds + plan.ceiling_seconds), static_cast<double>(most_bytes) * 1e-6, input.campaign.seed));
  return Exit::ok;
}

}  // namespace plumbline::app
