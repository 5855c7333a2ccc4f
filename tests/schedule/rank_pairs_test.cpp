#include "schedule/rank_pairs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace plumbline {
namespace {

std::vector<std::vector<int>> nodes_of(int nodes, int ranks) {
  std::vector<std::vector<int>> all(static_cast<std::size_t>(nodes));
  int next = 0;
  for (auto& node : all)
    for (int rank = 0; rank < ranks; ++rank) node.push_back(next++);
  return all;
}

TEST(rank_pairs, one_rank_has_nobody_to_talk_to) { EXPECT_TRUE(pair_ranks(nodes_of(1, 1)).empty()); }

TEST(rank_pairs, two_ranks_of_a_node_are_one_pair) {
  const RankPair pair{.first = 0, .second = 1, .node = 0, .peer_node = 0, .reach = Reach::nearest, .turn = 0};
  EXPECT_EQ(pair_ranks(nodes_of(1, 2)), std::vector{pair});
}

TEST(rank_pairs, the_leader_meets_the_next_and_the_last_rank_of_its_node) {
  const auto pairs = pair_ranks(nodes_of(1, 8));
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].second, 1);
  EXPECT_EQ(pairs[1].second, 7);
  EXPECT_EQ(pairs[1].reach, Reach::farthest);
  EXPECT_NE(pairs[0].turn, pairs[1].turn) << "both need rank 0";
}

TEST(rank_pairs, ranks_are_those_of_the_node_however_they_are_numbered) {
  const std::vector<std::vector<int>> round_robin{{0, 2, 4}, {1, 3, 5}};
  const auto pairs = pair_ranks(round_robin);
  ASSERT_EQ(pairs.size(), 5U);
  EXPECT_EQ(pairs[1].first, 1);
  EXPECT_EQ(pairs[1].second, 3);
  EXPECT_EQ(pairs[3].second, 5);
  EXPECT_EQ(pairs[4].second, 1);
}

TEST(rank_pairs, two_nodes_have_one_link) {
  const auto pairs = pair_ranks(nodes_of(2, 1));
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].reach, Reach::between_nodes);
  EXPECT_EQ(pairs[0].peer_node, 1);
}

TEST(rank_pairs, every_node_leads_one_link_of_the_ring) {
  for (int nodes = 3; nodes <= 9; ++nodes) {
    std::map<int, int> links;
    for (const auto& pair : pair_ranks(nodes_of(nodes, 2))) {
      if (pair.reach != Reach::between_nodes) continue;
      ++links[pair.node];
      EXPECT_EQ(pair.peer_node, (pair.node + 1) % nodes);
    }
    EXPECT_EQ(links.size(), static_cast<std::size_t>(nodes));
    for (const auto& [node, count] : links) EXPECT_EQ(count, 1) << node;
  }
}

TEST(rank_pairs, no_rank_is_in_two_pairs_of_a_turn_and_turns_ascend) {
  for (int nodes = 1; nodes <= 9; ++nodes)
    for (int ranks = 1; ranks <= 4; ++ranks) {
      std::map<int, std::set<int>> busy;
      int before = 0;
      for (const auto& pair : pair_ranks(nodes_of(nodes, ranks))) {
        EXPECT_TRUE(busy[pair.turn].insert(pair.first).second) << nodes << " nodes, turn " << pair.turn;
        EXPECT_TRUE(busy[pair.turn].insert(pair.second).second) << nodes << " nodes, turn " << pair.turn;
        EXPECT_GE(pair.turn, before);
        before = pair.turn;
      }
      EXPECT_LE(before, nodes % 2 == 0 ? 3 : 4) << "a large machine takes no longer than a small one";
    }
}

}  // namespace
}  // namespace plumbline
