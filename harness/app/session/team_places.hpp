// The places where a node's teams run: which CPUs, and which GPU, each of them is given.
#pragma once
#include <functional>
#include <vector>

#include "app/session/run_input.hpp"
#include "app/stages/case_runner.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "comm/communicator.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// The CPUs that the launcher left to each rank of a node, in rank order; collective over these ranks.
std::vector<std::vector<int>> allowed_cpus(const Topology& topology, Group& local);

/// `local`: ranks of this node. `gpus`: those of its ranks, or `why_no_gpu`.
std::function<TeamCpus(const Team&)> placer(const RunInput& input, const std::vector<std::vector<int>>& allowed, int local,
                                            const DrivenGpus& gpus, const std::string& why_no_gpu);

}  // namespace plumbline::app
