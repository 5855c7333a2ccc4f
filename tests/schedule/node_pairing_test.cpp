#include "schedule/node_pairing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace plumbline {
namespace {

using Pairs = std::map<std::pair<int, int>, int>;  // how often two nodes meet

/// Fails where two nodes do not agree that they meet.
Pairs pairs_of(const NodePairing& pairing, int nodes) {
  Pairs pairs;
  for (int turn = 0; turn < pairing.turns(); ++turn)
    for (int node = 0; node < nodes; ++node) {
      const auto partner = pairing.partner(node, turn);
      if (!partner) continue;
      EXPECT_NE(*partner, node);
      EXPECT_EQ(pairing.partner(*partner, turn), node) << "a node has one partner a turn, and both know it";
      EXPECT_NE(pairing.leads(node, *partner), pairing.leads(*partner, node)) << "exactly one of the two times";
      if (node < *partner) ++pairs[{node, *partner}];
    }
  return pairs;
}

std::map<int, int> partners_of(const Pairs& pairs) {
  std::map<int, int> partners;
  for (const auto& [pair, times] : pairs) {
    ++partners[pair.first];
    ++partners[pair.second];
  }
  return partners;
}

TEST(node_pairing, one_node_meets_nobody) {
  EXPECT_EQ(NodePairing(1, std::nullopt, 1).turns(), 0);
  EXPECT_EQ(NodePairing(0, std::nullopt, 1).turns(), 0);
  EXPECT_EQ(NodePairing(1, 8, 1).turns(), 0);
}

TEST(node_pairing, two_nodes_meet_once) {
  for (const auto partners : {std::optional<int>{}, std::optional(1), std::optional(8)})
    EXPECT_EQ(pairs_of(NodePairing(2, partners, 1), 2), (Pairs{{{0, 1}, 1}}));
}

TEST(node_pairing, every_two_nodes_meet_exactly_once_in_as_few_turns_as_there_can_be) {
  for (int nodes = 2; nodes <= 65; ++nodes) {
    const NodePairing pairing(nodes, std::nullopt, 1);
    const Pairs pairs = pairs_of(pairing, nodes);
    EXPECT_EQ(pairs.size(), static_cast<std::size_t>(nodes * (nodes - 1) / 2)) << nodes;
    for (const auto& [pair, times] : pairs) EXPECT_EQ(times, 1) << pair.first << " and " << pair.second << " of " << nodes;
    EXPECT_EQ(pairing.turns(), nodes % 2 == 0 ? nodes - 1 : nodes);
  }
}

TEST(node_pairing, with_k_partners_an_even_number_of_nodes_meets_exactly_k_each) {
  for (const int nodes : {66, 100, 1000})
    for (const int k : {1, 8, 13}) {
      const Pairs pairs = pairs_of(NodePairing(nodes, k, 7), nodes);
      for (const auto& [pair, times] : pairs) EXPECT_EQ(times, 1);
      const auto partners = partners_of(pairs);
      ASSERT_EQ(partners.size(), static_cast<std::size_t>(nodes));
      for (const auto& [node, count] : partners) EXPECT_EQ(count, k) << node << " of " << nodes;
    }
}

TEST(node_pairing, with_k_partners_an_odd_number_of_nodes_meets_at_least_k_each) {
  for (const int nodes : {65, 101, 999}) {
    const auto partners = partners_of(pairs_of(NodePairing(nodes, 8, 7), nodes));
    ASSERT_EQ(partners.size(), static_cast<std::size_t>(nodes));
    for (const auto& [node, count] : partners) {
      EXPECT_GE(count, 8);
      EXPECT_LE(count, 9);
    }
  }
}

TEST(node_pairing, more_partners_than_there_are_is_all_of_them) {
  EXPECT_EQ(pairs_of(NodePairing(6, 100, 3), 6), pairs_of(NodePairing(6, std::nullopt, 1), 6));
}

TEST(node_pairing, the_seed_chooses_the_partners) {
  const auto first = pairs_of(NodePairing(100, 8, 1), 100);
  EXPECT_EQ(pairs_of(NodePairing(100, 8, 1), 100), first);
  EXPECT_NE(pairs_of(NodePairing(100, 8, 2), 100), first);
}

/// The partners must join the machine, else a bad link in one part of it would be held against other parts only through nobody.
TEST(node_pairing, eight_partners_join_the_whole_machine) {
  for (const int nodes : {65, 256, 1000}) {
    const auto pairs = pairs_of(NodePairing(nodes, partners_beyond, 1), nodes);
    std::set<int> reached{0};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const auto& [pair, times] : pairs)
        if (reached.contains(pair.first) || reached.contains(pair.second)) reached.insert({pair.first, pair.second});
    }
    EXPECT_EQ(reached.size(), static_cast<std::size_t>(nodes));
  }
}

TEST(node_pairing, no_node_keeps_all_of_its_links) {
  for (const int nodes : {8, 9, 64}) {
    const NodePairing pairing(nodes, std::nullopt, 1);
    for (int node = 0; node < nodes; ++node) {
      int kept = 0;
      for (int turn = 0; turn < pairing.turns(); ++turn)
        if (const auto partner = pairing.partner(node, turn)) kept += pairing.leads(node, *partner) ? 1 : 0;
      EXPECT_LE(std::abs(2 * kept - (nodes - 1)), 2) << node << " of " << nodes;
    }
  }
}

TEST(node_pairing, automatic_is_all_pairs_to_64_nodes_and_eight_partners_beyond) {
  EXPECT_EQ(automatic_partners(64), std::nullopt);
  EXPECT_EQ(automatic_partners(65), 8);
}

}  // namespace
}  // namespace plumbline
