// A rank that drives a GPU is placed on the CPUs beside it.
#pragma once
#include "schedule/team_placement.hpp"

namespace plumbline {

/// Gives rank r the r-th GPU of the topology and `threads` CPUs of its own from those nearest to that GPU: beside it, else in its package's
/// order. Ranks whose GPUs share CPUs divide them. `allowed`: the CPUs that the launcher left to each rank. It is refused when there are
/// fewer GPUs than ranks, or CPUs run out (never oversubscribed: a GPU's driver thread needs its core).
TeamPlacement place_on_gpus(const Topology& node, const std::vector<std::vector<int>>& allowed, Team team);

}  // namespace plumbline
