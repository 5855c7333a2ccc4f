// The ceilings of messages between ranks that a campaign asks for, how they are sampled, and what that takes.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "comm/exchange.hpp"
#include "schedule/rank_pairs.hpp"

namespace plumbline::app {

/// One kind of traffic over one kind of link.
struct MpiCeilingPlan {
  std::string name;  // "MPI latency inside a node" (the nearest two ranks), "MPI latency inside a node, farthest", "... between nodes"
  std::string pattern, unit;
  Reach reach = Reach::nearest;
  std::size_t points = 0;  // message sizes
};
/// All that a mode measures, whether or not this run has such links.
std::vector<MpiCeilingPlan> plan_mpi_ceilings(CeilingsMode mode);

/// Whether a campaign measures any of them (in a world of more than one rank).
bool wants_mpi_ceilings(const Campaign& campaign);
/// Estimate of all rounds.
double mpi_ceilings_seconds(const Campaign& campaign, int rounds, int nodes, int most_ranks_of_node);

/// The name of a ceiling of messages: "MPI latency inside a node, farthest".
std::string mpi_ceiling_name(ExchangeTraffic traffic, Reach reach);
/// Latency from the smallest message, the best rate wherever it is, and the size at which half of it is reached: full, every power of two;
/// quick, what these need.
std::vector<Exchange> mpi_exchanges(CeilingsMode mode);
ExchangeProtocol mpi_protocol(CeilingsMode mode);

}  // namespace plumbline::app
