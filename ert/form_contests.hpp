// Loops compete for a ceiling: other forms and other ISAs beside the plan's own; for bandwidth at a few working sets.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ert/ceiling_plan.hpp"

namespace plumbline {

/// A contest between loops for the same ceiling on the same data: the same team, working set and amount a sweep.
struct ContestPlan {
  std::vector<CeilingCase> candidates;  // the plan's own first, its form named too: "compiled v4"
};

/// Plans the contests for what a plan measures. For bandwidth: one at each of some working sets of a pattern and team, in and beyond any
/// caches; loops that store past the caches compete from 8 MiB a thread on. For arithmetic: the other shapes of the loop (ert/peak.hpp),
/// and the ISAs that the plan has. Patterns and teams are in the plan's order. None where there is nothing to choose between. `isas`: what
/// the machine runs, ascending, as for the plan.
std::vector<ContestPlan> plan_contests(CeilingMode mode, std::span<const CeilingCase> plan, std::span<const std::string> isas);

/// Whether the candidate is the plan's own loop in another shape: it cannot be faster once the own one is at the limit of the core.
bool is_other_shape(const CeilingCase& candidate, const CeilingCase& own);

/// Adds a point to the plan for every winner that is not its own loop. `winners`: of each contest, in their order. A winner's point follows
/// those whose data it shares.
std::vector<CeilingCase> with_winners(std::span<const CeilingCase> plan, std::span<const ContestPlan> contests,
                                      std::span<const std::size_t> winners);

/// The case of the same loop over so little data that its result is checked at once: 64 KiB an array and thread, two passes.
Case small_case(const CeilingCase& ceiling);

}  // namespace plumbline
