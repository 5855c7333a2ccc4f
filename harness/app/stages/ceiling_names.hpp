// The names in a campaign's [ceilings] 'only' must be names of ceilings, and of ceilings that this run can measure.
#pragma once
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/campaign.hpp"
#include "ert/ceiling_plan.hpp"
#include "schedule/rank_pairs.hpp"

namespace plumbline::app {

/// The links that a run has between its ranks.
struct Links {
  int most_ranks_of_node = 1, nodes = 1;
};
/// Says what a run must have for such a link: "two ranks on a node"; empty where it has it.
std::string lacking(const Links& links, Reach reach);

/// The names of GPUs' ceilings, of which sizes do not matter.
struct GpuCeilingNames {
  std::set<std::string> here;     // that this run would measure without 'only'
  std::set<std::string> in_full;  // with mode = "full"
  std::set<std::string> known;    // of all GPUs that the module has code for; none without the module
  std::string why_not;            // of those that are not in `in_full`
};
/// `flavors`: of the run's GPUs, of which a node has `most` at most. The names of the first GPU are those of all; others, "GPU1 ...", of
/// one.
GpuCeilingNames gpu_ceiling_names(const Campaign& campaign, std::span<const std::string> flavors, std::size_t most,
                                  const std::string& why_no_gpu);

/// Throws Error (user) at the first of `only` that no ceiling is called by, or none of the campaign's mode. Answers a note for each that
/// names only what this machine or launch cannot measure. `planned`: what this run would measure without 'only'; `teams` its teams.
std::vector<std::string> check_ceiling_names(const Campaign& campaign, std::span<const CeilingCase> planned,
                                             std::span<const CeilingTeam> teams, const Links& links, const GpuCeilingNames& gpus);

}  // namespace plumbline::app
