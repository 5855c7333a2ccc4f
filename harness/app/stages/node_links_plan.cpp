#include "app/stages/node_links_plan.hpp"

namespace plumbline::app {

NodePairing link_pairing(const Campaign& campaign, int nodes) {
  const LinkMapWish& wish = campaign.ceilings.node_pairs;
  return NodePairing(nodes, wish.partners ? wish.partners : automatic_partners(nodes), campaign.seed);
}

bool wants_node_links(const Campaign& campaign) { return campaign.time && campaign.ceilings.node_pairs.wanted; }

double node_links_seconds(const Campaign& campaign, int rounds, int nodes) {
  if (!wants_node_links(campaign)) return 0;
  // calibrating and checking cost about as much as three samples
  const double turn_seconds = static_cast<double>(link_exchanges.size()) * (link_protocol.samples + 3) * link_protocol.sample_seconds;
  return turn_seconds * link_pairing(campaign, nodes).turns() * rounds;
}

}  // namespace plumbline::app
