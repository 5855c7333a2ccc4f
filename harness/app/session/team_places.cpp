#include "app/session/team_places.hpp"

#include <fmt/format.h>

#include "comm/told.hpp"
#include "schedule/gpu_distance.hpp"
#include "schedule/gpu_placement.hpp"
#include "schedule/team_placement.hpp"

namespace plumbline::app {
namespace {

/// A GPU for each rank, which drives it from a CPU beside it, of those that the launcher left to that rank.
TeamCpus place_team_on_gpus(const Topology& topology, const DrivenGpus& node, const std::string& why_none,
                            const std::vector<std::vector<int>>& allowed, const Team& team) {
  if (node.teams.empty()) return {.cpus = {}, .oversubscribed = false, .refusal = why_none};
  std::vector<TeamGpu> gpus = node.of_team(team.ranks);
  if (gpus.empty())
    return {.cpus = {},
            .oversubscribed = false,
            .refusal = fmt::format("team {} needs {} ranks of a node with a GPU each; here {} of {} can have one of the {} that they see",
                                   team.name(), team.ranks, node.teams.size(), allowed.size(), node.all.size())};
  Topology beside = topology;
  beside.gpus.clear();
  for (const TeamGpu& one : gpus) beside.gpus.push_back(gpu_at(topology, one.gpu.pci));
  TeamPlacement placed = place_on_gpus(beside, allowed, team);
  const int ranks_per_l3 = ranks_on_one_l3(topology, placed.cpus);
  return {.cpus = std::move(placed.cpus),
          .oversubscribed = false,
          .refusal = std::move(placed.refusal),
          .ranks_per_l3 = ranks_per_l3,
          .gpus = std::move(gpus)};
}

}  // namespace

std::vector<std::vector<int>> allowed_cpus(const Topology& topology, Group& local) { return all_gather(local, topology.allowed_cpus()); }

std::function<TeamCpus(const Team&)> placer(const RunInput& input, const std::vector<std::vector<int>>& allowed, int local,
                                            const DrivenGpus& gpus, const std::string& why_no_gpu) {
  return [gpus, why_no_gpu, local, topology = input.topology, allowed, oversubscribe = input.campaign.oversubscribe](const Team& team) {
    if (team.gpus > 0) return place_team_on_gpus(topology, gpus, why_no_gpu, allowed, team);
    if (team.ranks > local)
      return TeamCpus{
          .cpus = {},
          .oversubscribed = false,
          .refusal = fmt::format("a team of {} ranks on a node that was given {}: launch more ranks a node", team.ranks, local)};
    TeamPlacement placed = place_team(topology, allowed, team, oversubscribe);
    const std::string scope = scope_of(topology, placed.cpus);
    const int ranks_per_l3 = ranks_on_one_l3(topology, placed.cpus);
    const bool in_one_domain = is_in_one_domain(topology, placed.cpus);
    return TeamCpus{std::move(placed.cpus), placed.oversubscribed, std::move(placed.refusal), scope, ranks_per_l3, in_one_domain};
  };
}

}  // namespace plumbline::app
