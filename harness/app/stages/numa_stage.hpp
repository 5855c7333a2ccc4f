// Bandwidth and latency are measured from the cores of each NUMA domain to the memory of each: the local and remote rates of a node.
#pragma once
#include <vector>

#include "campaign/campaign.hpp"
#include "core/records.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// The number of rounds in a full campaign: two at the most, for they grow with the square of the domains.
int numa_rounds(const CeilingsWish& wish, int ceiling_rounds);
/// The estimated seconds of one round.
double numa_seconds(int domains);

/// Measures one sample of each pair, rows of level "numa". Only the node's leader calls it, while the other ranks wait; it uses those cores
/// of a domain that `topology` allows it: a domain without any, or a memory too full, is skipped with the reason. Empty where no flavor of
/// the kernels runs. `last_caches`: the node's.
std::vector<CeilingRow> measure_numa(const Topology& topology, LastCaches last_caches, const std::string& node, const std::string& session,
                                     int round);

}  // namespace plumbline::app
