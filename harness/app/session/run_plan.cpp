#include "app/session/run_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "app/here/gpus.hpp"
#include "app/session/run_nodes.hpp"
#include "app/session/team_places.hpp"
#include "app/stages/cache_scout.hpp"
#include "app/stages/ceiling_names.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/form_contests_stage.hpp"
#include "app/stages/mpi_ceilings_stage.hpp"
#include "app/stages/node_links_stage.hpp"
#include "app/stages/numa_stage.hpp"
#include "app/stages/wanted_ceilings.hpp"
#include "campaign/confounding.hpp"
#include "comm/told.hpp"
#include "core/error.hpp"
#include "core/kernel.hpp"
#include "machine/control_group.hpp"
#include "machine/cpu.hpp"
#include "model/ceilings/levels.hpp"

namespace plumbline::app {
namespace {

bool all_passes_finished(const Case& which, const std::string& node, const std::vector<std::string>& counting, const Campaign& campaign,
                         const EarlierSessions& earlier) {
  const std::string id = which.id();
  const Space space = which.team.space();
  return (!campaign.time || earlier.finished.contains({id, node, "time"})) &&
         (!is_counted(which, campaign, counting) ||
          counting_is_finished(earlier, id, node, keys_for(space, counting), campaign.counting.repetitions_on(space)));
}

/// The work that earlier sessions leave to do. Where cases are distributed, what any like node has finished counts for all of them.
class FinishedWork {
 public:
  FinishedWork(const std::vector<Case>& cases, const RunNodes& nodes, const Campaign& campaign, const EarlierSessions& earlier)
      : cases_(cases), nodes_(nodes), campaign_(campaign), earlier_(earlier) {
    if (campaign.placement != Placement::distribute) return;
    std::map<std::string, std::string> kinds = earlier.kinds;
    for (const auto& node : nodes.facts) kinds[node.name] = node.kind;
    for (const auto& [id, node, pass] : earlier.finished)
      if (const auto kind = kinds.find(node); kind != kinds.end()) nodes_of_[{id, kind->second}].insert(node);
  }

  bool operator()(std::size_t which, std::size_t node) const {
    const PlanNode& facts = nodes_.facts[node];
    const auto done_by = [&](const std::string& name) {
      return all_passes_finished(cases_[which], name, nodes_.counting[node], campaign_, earlier_);
    };
    if (done_by(facts.name)) return true;
    const auto like = nodes_of_.find({cases_[which].id(), facts.kind});
    return like != nodes_of_.end() && std::any_of(like->second.begin(), like->second.end(), done_by);
  }

 private:
  const std::vector<Case>& cases_;
  const RunNodes& nodes_;
  const Campaign& campaign_;
  const EarlierSessions& earlier_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> nodes_of_;  // by case id and kind of node
};

/// The ceilings of this node's GPUs, planned by those who drive them; on rank 0 why there are none of which, for all nodes.
DrivenGpus gpu_ceilings_of(const RunInput& input, Communicator& ranks, DrivenGpus gpus, std::vector<std::string>& notes) {
  if (!wants_gpu_ceilings(input.campaign)) return {};
  const auto of_node = plan_points(input.campaign, rounds_of(input.campaign.ceilings), gpus_here(), ranks.host(), ranks.local(), gpus);
  for (auto& line : gather_notes(of_node, ranks.leaders())) notes.push_back(std::move(line));
  return gpus;
}

bool wants_ceilings(const Campaign& campaign) { return campaign.ceilings.mode != CeilingsMode::none && campaign.time; }

/// The caches that this node's ceilings reckon with: those that an earlier session planned for, or those that its leader scouts while the
/// others wait.
LastCaches look_at_caches(const RunInput& input, const RunPlan& plan, const RunRecord& record, Communicator& ranks) {
  LastCaches caches = last_caches_of(input.topology);
  if (!wants_ceilings(input.campaign) || static_cast<double>(caches.bytes) <= usual_bytes) return caches;
  if (const TeamCpus alone = plan.place({1, 1}); ranks.local().rank() == 0 && alone.refusal.empty()) try {
      const auto before = caches_planned_for(caches, record.sweeps(ranks.host()));
      caches = before ? *before : scout_caches(input.topology, alone.cpus.front().front());
    } catch (const std::exception&) {  // what is wrong with the record is told where it is opened; without memory nothing is scouted
    }
  caches.bytes = broadcast(ranks.local(), caches.bytes);
  return caches;
}

/// Appends to `notes` what the campaign names in vain.
std::vector<CeilingCase> ceilings_of(const RunInput& input, const RunNodes& nodes, const NodePart& part, LastCaches last_caches,
                                     std::vector<std::string>& notes) {
  if (!wants_ceilings(input.campaign)) return {};
  const CeilingsWish& wish = input.campaign.ceilings;
  const auto mode = wish.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  const auto teams = ceiling_teams(nodes.fewest_cores, nodes.fewest_ranks, part.numa_domains, part.packages);
  auto all = plan_ceilings(mode, this_cpu().isas, last_caches, static_cast<std::uint64_t>(nodes.memory_bytes), teams);
  if (!this_cpu().why_no_tiles.empty()) notes.push_back("[ceilings] no tensor ceilings of this CPU: " + no_tiles());
  const Links links{.most_ranks_of_node = nodes.most_ranks, .nodes = static_cast<int>(nodes.facts.size())};
  const auto gpus = wish.only.empty() ? GpuCeilingNames{}
                                      : gpu_ceiling_names(input.campaign, nodes.flavors,
                                                          *std::max_element(nodes.gpu_counts.begin(), nodes.gpu_counts.end()),
                                                          nodes.gpus.front().in_words());
  for (auto& note : check_ceiling_names(input.campaign, all, teams, links, gpus)) notes.push_back(std::move(note));
  return wanted_of(all, wish);
}

/// The contests for what the campaign names, not for what only shows the levels.
std::vector<ContestPlan> contests_of(const CeilingsWish& wish, const std::vector<CeilingCase>& ceilings) {
  const auto mode = wish.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  auto contests = plan_contests(mode, ceilings, this_cpu().isas);
  std::erase_if(contests, [&](const ContestPlan& contest) {
    const CeilingCase& one = contest.candidates.front();
    return !is_wanted(wish, one.name.substr(0, one.name.size() - one.form.size() - 2));
  });
  return contests;
}

/// Leaves those cases out whose arrays do not fit into memory, where the campaign wishes so; else the first of them is refused.
void leave_out_beyond_memory(Expansion& expansion, const Campaign& campaign, const AvailableMemory& available) {
  if (!campaign.skips_beyond_memory) return require_memory(expansion.cases, available);
  std::vector<Case> fitting;
  for (Case& one : expansion.cases) {
    std::string why = why_beyond_memory(one, available);
    if (why.empty())
      fitting.push_back(std::move(one));
    else
      expansion.skipped.push_back({std::move(one), std::move(why)});
  }
  expansion.cases = std::move(fitting);
}

/// Cases with their estimates, and what is to be said of them before they are measured.
void add_cases(RunPlan& plan, const RunInput& input, const RunNodes& nodes) {
  Expansion expansion = expand(input.campaign, kernels(), target_of(nodes));
  leave_out_beyond_memory(expansion, input.campaign, {static_cast<std::uint64_t>(nodes.memory_bytes), nodes.gpu_memory_bytes});
  plan.cases = std::move(expansion.cases);
  plan.skipped = std::move(expansion.skipped);
  plan.notes = std::move(expansion.notes);
  for (auto& note : notes_of_parts(nodes)) plan.notes.push_back(std::move(note));
  for (auto& note : notes_of_gpus(nodes, input.campaign)) plan.notes.push_back(std::move(note));
  for (const Case& one : plan.cases) {
    const CaseEstimate seconds = estimate(one, input.campaign);
    plan.case_seconds.push_back(seconds.time_seconds + seconds.count_seconds);
  }
}

/// Adds the ceilings of this node's CPUs, beyond its last caches.
void add_ceilings(RunPlan& plan, const RunInput& input, const RunNodes& nodes) {
  if (const auto told = last_caches_of(input.topology); plan.last_caches.bytes < told.bytes)
    plan.notes.push_back(
        fmt::format("[ceilings] working sets are planned for a last cache of {}: the topology tells {}, and one core finds less",
                    in_words(static_cast<double>(plan.last_caches.bytes)), in_words(static_cast<double>(told.bytes))));
  plan.ceilings = ceilings_of(input, nodes, plan.part, plan.last_caches, plan.notes);
  plan.contests = contests_of(input.campaign.ceilings, plan.ceilings);
  plan.ceiling_rounds = rounds_of(input.campaign.ceilings);
  plan.numa_rounds = numa_rounds(input.campaign.ceilings, plan.ceiling_rounds);
}

/// Refuses to go on where a node has none of the GPUs that were measured there: nodes are known by their host names, which machines may
/// share, and one table is of one GPU. All ranks know the same, so that all throw.
void refuse_other_gpus(const RunNodes& nodes, const EarlierSessions& earlier) {
  for (std::size_t node = 0; node < nodes.facts.size(); ++node) {
    const auto& now = nodes.gpu_uuids[node];
    const auto before = earlier.gpus.find(nodes.facts[node].name);
    if (now.empty() || before == earlier.gpus.end()) continue;
    if (std::any_of(now.begin(), now.end(), [&](const std::string& uuid) { return before->second.contains(uuid); })) continue;
    throw user_error(
        fmt::format("{} has another GPU than the one that was measured under this name ({} now, {} then): resume on that machine, with "
                    "CUDA_VISIBLE_DEVICES as it was, or choose another file with -o",
                    nodes.facts[node].name, fmt::join(now, ", "), fmt::join(before->second, ", ")));
  }
}

/// Plans which node measures which case when, without what earlier sessions finished; `here`: this node.
void add_rounds(RunPlan& plan, const RunInput& input, const RunNodes& nodes, std::size_t here, const EarlierSessions& earlier) {
  std::vector<std::string> needs;  // nodes may differ in what they run
  for (const Case& one : plan.cases) needs.push_back(required_isa(one.flavor.name));
  std::function<bool(std::size_t, std::size_t)> finished;
  if (!earlier.finished.empty()) finished = FinishedWork(plan.cases, nodes, input.campaign, earlier);
  const Plan made = make_plan(plan.cases, {.nodes = nodes.facts,
                                           .here = here,
                                           .distribute = input.campaign.placement == Placement::distribute,
                                           .turns = input.campaign.nodes.turns,
                                           .seed = input.campaign.seed,
                                           .in_written_order = input.campaign.in_written_order,
                                           .seconds = plan.case_seconds,
                                           .needs = needs,
                                           .finished = finished,
                                           .refusal = {}});
  plan.rounds = made.rounds;
  plan.seconds = made.seconds;
  for (const auto& skip : made.skipped) plan.skipped.push_back({plan.cases[skip.which], skip.reason});
}

/// Estimate of all but those of GPUs.
double seconds_of_ceilings(const RunPlan& plan, const RunInput& input, const RunNodes& nodes) {
  const int all_nodes = static_cast<int>(nodes.facts.size());
  return contests_seconds(plan.contests) + ceilings_seconds(with_any_winners(plan.ceilings, plan.contests), plan.ceiling_rounds) +
         numa_seconds(input.topology.numa_nodes) * plan.numa_rounds +
         mpi_ceilings_seconds(input.campaign, plan.ceiling_rounds, all_nodes, nodes.most_ranks) +
         node_links_seconds(input.campaign, plan.ceiling_rounds, all_nodes);
}

}  // namespace

std::vector<CeilingCase> with_any_winners(const std::vector<CeilingCase>& plan, const std::vector<ContestPlan>& contests) {
  return with_winners(plan, contests, std::vector<std::size_t>(contests.size(), 1));
}

bool is_counted(const Case& which, const Campaign& campaign, std::span<const std::string> counting) {
  return campaign.count && campaign.counters != "none" && (which.team.gpus == 0 || !keys_for(Space::cuda, counting).empty());
}

RunPlan plan_run(const RunInput& input, Communicator& ranks, const RunRecord& record, Planning planning) {
  const auto allowed = allowed_cpus(input.topology, ranks.local());
  const bool sees_gpus = wants_gpu_ceilings(input.campaign) || drives_gpu(input.campaign, ranks.local().rank());
  const DrivenGpus driven = meet_gpus(sees_gpus ? gpus_here() : NodeGpus(), allowed, input.topology, ranks.local());
  const double quota = cpu_quota(control_groups("cpu")).value_or(std::numeric_limits<double>::infinity());
  RunPlan plan;
  plan.part = part_of(with_allowed(input.topology, allowed), quota);
  const RunNodes nodes = meet_nodes(input, plan.part, driven, ranks);
  refuse_other_gpus(nodes, record.earlier());
  const auto here = static_cast<std::size_t>(ranks.node());
  plan.place = placer(input, allowed, ranks.local().size(), driven, nodes.gpus[here].why_none);
  add_cases(plan, input, nodes);
  plan.last_caches = planning == Planning::to_run ? look_at_caches(input, plan, record, ranks) : last_caches_of(input.topology);
  add_ceilings(plan, input, nodes);
  plan.gpus = gpu_ceilings_of(input, ranks, driven, plan.notes);
  if (planning == Planning::to_tell && input.campaign.count && input.campaign.counters != "none")
    for (auto& line : confounded(plan.cases)) plan.notes.push_back(std::move(line));
  if (wants_node_links(input.campaign) && ranks.nodes() == 1)
    plan.notes.emplace_back("a map of links (node_pairs) takes two nodes or more: on one there is none");
  add_rounds(plan, input, nodes, here, record.earlier());
  plan.ceiling_seconds = seconds_of_ceilings(plan, input, nodes) + ranks.world().max(plan.gpus.seconds());
  return plan;
}

}  // namespace plumbline::app
