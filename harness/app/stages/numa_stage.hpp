// Bandwidth and latency from the cores of each NUMA domain to the memory of each: the local and remote rates of a node.
#pragma once
#include <vector>

#include "campaign/campaign.hpp"
#include "core/records.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// A full campaign's rounds of them: two at the most, for they grow with the square of the domains.
int numa_rounds(const CeilingsWish& wish, int ceiling_rounds);
/// Estimate of one round.
double numa_seconds(int domains);

/// One sample of each pair, rows of level "numa". Only the node's leader calls it, while the other ranks wait; it uses those cores of a
/// domain that `topology` allows it: a domain without any, or a memory too full, is skipped with the reason. Empty where no flavor of the
/// kernels runs. `last_caches`: the node's.
std::vector<CeilingRow> measure_numa(const Topology& topology, LastCaches last_caches, const std::string& node, const std::string& session,
                                     int round);

}  // namespace plumbline::app
