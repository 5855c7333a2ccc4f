#include "app/session/team_places.hpp"

#include <fmt/format.h>

#include "comm/told.hpp"
#include "schedule/gpu_distance.hpp"
#include "schedule/gpu_placement.hpp"
#include "schedule/node_part.hpp"
#include "schedule/team_placement.hpp"

namespace plumbline::app {
namespace {

/// The first GPU, driven by the node's first rank from a CPU beside it, of those that the launcher left to this rank.
TeamCpus place_on_gpu(const Topology& topology, const NodeGpus& node, int device, const std::vector<int>& allowed, const Team& team) {
  if (node.gpus.empty()) return {.cpus = {}, .oversubscribed = false, .refusal = node.why_none};
  Topology beside = with_allowed(topology, {allowed});
  beside.gpus = {gpu_at(topology, node.gpus.front().pci)};
  TeamPlacement placed = place_on_gpus(beside, team);
  TeamCpus place{.cpus = std::move(placed.cpus), .oversubscribed = false, .refusal = std::move(placed.refusal), .gpu = node.gpus.front()};
  place.device = device;
  return place;
}

}  // namespace

std::vector<std::vector<int>> allowed_cpus(const Topology& topology, Group& local) { return all_gather(local, topology.allowed_cpus()); }

std::function<TeamCpus(const Team&)> placer(const RunInput& input, const std::vector<std::vector<int>>& allowed, int local,
                                            const NodeGpus& gpus, int device) {
  return [gpus, device, local, topology = input.topology, allowed, oversubscribe = input.campaign.oversubscribe](const Team& team) {
    if (team.gpus > 0) return place_on_gpu(topology, gpus, device, allowed.front(), team);
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
