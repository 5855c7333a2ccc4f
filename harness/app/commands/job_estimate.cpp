#include "app/commands/job_estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/here/gpus.hpp"
#include "app/stages/ceiling_names.hpp"
#include "app/stages/ceilings_estimate.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/mpi_ceilings_plan.hpp"
#include "app/stages/node_links_plan.hpp"
#include "app/stages/remeasuring_estimate.hpp"
#include "app/stages/wanted_ceilings.hpp"
#include "campaign/estimate.hpp"
#include "campaign/expand.hpp"
#include "core/kernel.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/cpu.hpp"

namespace plumbline::app {
namespace {

/// Nodes that measure one at a time add up.
double in_turns(const Campaign& campaign, int nodes) { return campaign.nodes.turns ? nodes : 1; }

std::vector<CeilingCase> ceilings_on(const BatchMachine& machine, const Campaign& campaign, const std::vector<std::string>& isas) {
  if (campaign.ceilings.mode == CeilingsMode::none || !campaign.time) return {};
  const auto mode = campaign.ceilings.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  const LastCaches caches{.bytes = static_cast<std::uint64_t>(machine.l3_mib * 0x1p20), .count = machine.sockets};
  return wanted_of(
      plan_ceilings(mode, isas, caches, static_cast<std::uint64_t>(machine.memory_gib * 0x1p30),
                    ceiling_teams(machine.cores, machine.ranks.value_or(machine.cores), machine.numa_domains, machine.sockets)),
      campaign.ceilings);
}

/// The seconds that the ceilings of a node's GPUs take: each rank measures one, and then the next.
double gpu_ceilings_part(const BatchMachine& machine, const Campaign& campaign, int ranks, int nodes) {
  const int gpus_a_rank = (std::max(machine.gpus, 1) + ranks - 1) / ranks;
  return in_turns(campaign, nodes) * gpus_a_rank * longest_gpu_ceilings_seconds(campaign, rounds_of(campaign.ceilings));
}

double ceilings_part(const std::vector<CeilingCase>& plan, const Campaign& campaign, int ranks, int nodes) {
  const int rounds = rounds_of(campaign.ceilings);
  const double messages = !wants_mpi_ceilings(campaign) ? 0 : mpi_ceilings_seconds(campaign, rounds, nodes, ranks);
  return in_turns(campaign, nodes) * ceilings_seconds(plan, rounds) + messages + node_links_seconds(campaign, rounds, nodes);
}

}  // namespace

JobSeconds seconds_of(const Campaign& campaign, const BatchMachine& machine, int nodes, int least_nodes) {
  const std::vector<std::string> isas = machine.isas.empty() ? this_cpu().isas : machine.isas;
  const Target target{.runs_isa = [&](std::string_view isa) { return std::find(isas.begin(), isas.end(), isa) != isas.end(); },
                      .isas = fmt::format("{}", fmt::join(isas, ", ")),
                      .ranks_per_node = machine.ranks.value_or(machine.cores),
                      .cores_per_node = machine.cores,
                      .gpus_per_node = std::max(1, std::min(machine.gpus, machine.ranks.value_or(machine.cores))),
                      .runs_on_gpu =  // it runs one of them; which is not told, and is all the same for an estimate
                      [chosen = std::string()](std::string_view flavor) mutable {
                        if (chosen.empty()) chosen = flavor;
                        return flavor == chosen;
                      },
                      .gpus = "",
                      .no_gpu_kernels = module_for_gpus().why_not};
  JobSeconds seconds;
  double timing = 0, counting = 0;
  const Expansion expansion = expand(campaign, kernels(), target);
  for (const Case& one : expansion.cases) {
    const CaseEstimate estimated = estimate(one, campaign);
    timing += estimated.time_seconds;
    counting += estimated.count_seconds;
    seconds.longest_step = std::max({seconds.longest_step, estimated.time_seconds, estimated.count_seconds});
  }
  if (campaign.budget_seconds) timing = std::min(timing, *campaign.budget_seconds);
  const double times = campaign.placement == Placement::distribute ? 1.0 / least_nodes : in_turns(campaign, nodes);
  const auto points = ceilings_on(machine, campaign, isas);
  const double ceilings =
      ceilings_part(points, campaign, target.ranks_per_node, nodes) + gpu_ceilings_part(machine, campaign, target.ranks_per_node, nodes);
  seconds.longest_step = std::max(seconds.longest_step, ceilings / rounds_of(campaign.ceilings));
  const double measuring = (timing + counting) * times + ceilings;
  std::optional<double> left;
  if (campaign.budget_seconds) left = std::max(0.0, *campaign.budget_seconds - measuring);
  seconds.again = remeasuring_seconds(expansion.cases, points, campaign, nodes, left);
  seconds.whole = measuring + seconds.again;
  seconds.cases = expansion.cases.size();
  return seconds;
}

}  // namespace plumbline::app
