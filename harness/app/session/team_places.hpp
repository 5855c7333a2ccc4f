// The places where a node's teams run: which CPUs, and which GPU, each of them is given.
#pragma once
#include <functional>
#include <vector>

#include "app/here/gpus.hpp"
#include "app/session/run_input.hpp"
#include "app/stages/case_runner.hpp"
#include "comm/communicator.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// The CPUs that the launcher left to each rank of a node, in rank order; collective over these ranks.
std::vector<std::vector<int>> allowed_cpus(const Topology& topology, Group& local);

/// `local`: ranks of this node. `gpus`, of which teams with GPUs are given the first, whose number is `device`: what its first rank sees.
std::function<TeamCpus(const Team&)> placer(const RunInput& input, const std::vector<std::vector<int>>& allowed, int local,
                                            const NodeGpus& gpus, int device);

}  // namespace plumbline::app
