// A plan says what a run will do: cases, their order on every node, the ceilings before them, and what it will take.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "app/session/run_input.hpp"
#include "app/session/run_record.hpp"
#include "app/stages/case_runner.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "campaign/estimate.hpp"
#include "campaign/expand.hpp"
#include "ert/ceiling_plan.hpp"
#include "ert/form_contests.hpp"
#include "schedule/node_part.hpp"
#include "schedule/plan.hpp"

namespace plumbline::app {

struct RunPlan {
  std::vector<Case> cases;
  std::vector<SkippedCase> skipped;
  std::vector<std::string> notes;
  std::vector<double> case_seconds;  // estimated, of each case
  std::vector<Plan::Round> rounds;   // indices into cases; of this rank's node and of all
  LastCaches last_caches;            // of this node, that the ceilings' working sets go beyond
  NodePart part;                     // of this node, that its ranks may use
  std::vector<CeilingCase> ceilings;
  std::vector<ContestPlan> contests;  // between loops for them, before the first round
  DrivenGpus gpus;                    // whose ceilings are measured, of this node
  int ceiling_rounds = 0, numa_rounds = 0;
  double seconds = 0, ceiling_seconds = 0;     // estimated, of the cases and of the ceilings before them
  std::function<TeamCpus(const Team&)> place;  // on this rank's node
};

/// Whether a run counts it at all, with groups of these keys: counters of CPUs see nothing of what runs on a GPU.
bool is_counted(const Case& which, const Campaign& campaign, std::span<const std::string> counting);

/// The plan as if no contest were won by its own loop: what a run takes at most.
std::vector<CeilingCase> with_any_winners(const std::vector<CeilingCase>& plan, const std::vector<ContestPlan>& contests);

enum class Planning { to_run, to_tell };

/// Plans a run; collective: the same cases and rounds on every rank. Throws Error (user) where the campaign asks for what cannot be. What
/// only tells (--dry-run) measures nothing, so it takes the caches as the topology has them.
RunPlan plan_run(const RunInput& input, Communicator& ranks, const RunRecord& record, Planning planning);

}  // namespace plumbline::app
