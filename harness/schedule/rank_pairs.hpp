// Ranks exchange messages in pairs when links are measured; here is who meets whom, and which pairs may do so at once. Pure.
#pragma once
#include <span>
#include <vector>

namespace plumbline {

enum class Reach { nearest, farthest, between_nodes };

/// A pair of ranks of the world. The first leads its node, times the exchange, and keeps its samples.
struct RankPair {
  int first = 0, second = 0;
  int node = 0, peer_node = 0;
  Reach reach = Reach::nearest;
  int turn = 0;  // pairs of one turn share no rank and no two leaders' nodes; turns follow each other
  bool operator==(const RankPair&) const = default;
};

/// Pairs the ranks, in the order of turns. Inside every node: its leader with the next rank, and with the last one where that is another.
/// Between nodes: the leaders of nodes that follow each other in a ring (two nodes: one pair), every node in at most one pair a turn: the
/// edges of a ring need two colours, three where their number is odd. `nodes`: each node's ranks in local order.
std::vector<RankPair> pair_ranks(std::span<const std::vector<int>> nodes);

}  // namespace plumbline
