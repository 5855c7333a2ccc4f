#include "schedule/rank_pairs.hpp"

#include <algorithm>

namespace plumbline {
namespace {

constexpr int nearest_turn = 0, farthest_turn = 1, first_ring_turn = 2;

/// Colour of the ring's edge from `node` to the next.
int ring_turn(int node, int nodes) { return first_ring_turn + (nodes % 2 == 1 && node == nodes - 1 ? 2 : node % 2); }

void pair_inside(int node, const std::vector<int>& ranks, std::vector<RankPair>& pairs) {
  const auto add = [&](int peer, Reach reach, int turn) {
    pairs.push_back({.first = ranks.front(), .second = peer, .node = node, .peer_node = node, .reach = reach, .turn = turn});
  };
  if (ranks.size() > 1) add(ranks[1], Reach::nearest, nearest_turn);
  if (ranks.size() > 2) add(ranks.back(), Reach::farthest, farthest_turn);
}

}  // namespace

std::vector<RankPair> pair_ranks(std::span<const std::vector<int>> nodes) {
  const int count = static_cast<int>(nodes.size());
  std::vector<RankPair> pairs;
  for (int node = 0; node < count; ++node) pair_inside(node, nodes[static_cast<std::size_t>(node)], pairs);
  const int edges = count == 2 ? 1 : count == 1 ? 0 : count;
  for (int node = 0; node < edges; ++node) {
    const int next = (node + 1) % count;
    pairs.push_back({.first = nodes[static_cast<std::size_t>(node)].front(),
                     .second = nodes[static_cast<std::size_t>(next)].front(),
                     .node = node,
                     .peer_node = next,
                     .reach = Reach::between_nodes,
                     .turn = ring_turn(node, count)});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const RankPair& a, const RankPair& b) { return a.turn < b.turn; });
  return pairs;
}

}  // namespace plumbline
