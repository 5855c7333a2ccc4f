// Whether a campaign maps the links between nodes, how they are sampled, and what that takes.
#pragma once
#include <array>
#include <cstddef>

#include "campaign/campaign.hpp"
#include "comm/exchange.hpp"
#include "schedule/node_pairing.hpp"

namespace plumbline::app {

/// Whether a campaign measures it (in a run of more than one node).
bool wants_node_links(const Campaign& campaign);
/// Estimate of all rounds.
double node_links_seconds(const Campaign& campaign, int rounds, int nodes);

/// The questions to every link: how soon a short message comes, and how fast long ones flow, both ways, so that neither may be bad.
inline constexpr std::array<Exchange, 2> link_exchanges{Exchange{ExchangeTraffic::ping_pong, 8},
                                                        Exchange{ExchangeTraffic::both_ways, std::size_t{1} << 20}};
inline constexpr ExchangeProtocol link_protocol{.sample_seconds = 0.002, .samples = 2, .patience_seconds = 0.1};
/// The pairs of nodes that talk to each other in each turn.
NodePairing link_pairing(const Campaign& campaign, int nodes);

}  // namespace plumbline::app
