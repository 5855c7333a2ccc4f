#include "model/ceilings/node_links.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <set>

#include "core/link_name.hpp"

namespace plumbline {
namespace {

std::string name_of(int node) { return "node" + std::to_string(node); }

CeilingRow sample(int node, int peer, int round, double value, const std::string& unit = "seconds") {
  CeilingRow row{.name = link_name(unit == "seconds" ? "MPI link latency" : "MPI link bandwidth", name_of(peer)),
                 .precision = "-",
                 .level = "link",
                 .pattern = unit == "seconds" ? "latency" : "both ways",
                 .ranks = 2,
                 .node = name_of(node),
                 .session = "s",
                 .round = round,
                 .value = value,
                 .unit = unit,
                 .method = "MPICH",
                 .peer = name_of(peer)};
  row.working_set_bytes = 8;
  return row;
}

using Worse = std::function<double(int node, int peer)>;

/// All pairs, three rounds, a few per cent apart in no order.
std::vector<CeilingRow> all_pairs(int nodes, const Worse& worse, const std::string& unit = "seconds") {
  std::vector<CeilingRow> rows;
  unsigned state = 12345;
  const auto jitter = [&] { return 1 + 0.04 * ((state = state * 1664525U + 1013904223U) >> 8) / (1U << 24); };
  for (int round = 0; round < 3; ++round)
    for (int node = 0; node < nodes; ++node)
      for (int peer = node + 1; peer < nodes; ++peer) {
        const double factor = worse(node, peer) * jitter();
        rows.push_back(sample(node, peer, round, unit == "seconds" ? 2e-6 * factor : 12 / factor, unit));
      }
  return rows;
}

LinkMap judged_links(const std::vector<CeilingRow>& rows) {
  const auto maps = judge_links(rows);
  EXPECT_EQ(maps.size(), 1U);
  return maps.empty() ? LinkMap{} : maps.front();
}

std::set<std::set<std::string>> bad_links(const LinkMap& map) {
  std::set<std::set<std::string>> links;
  for (const auto& bad : map.bad) links.insert({map.nodes[map.links[bad.link].node], map.nodes[map.links[bad.link].peer]});
  return links;
}

std::set<std::string> bad_nodes(const LinkMap& map) {
  std::set<std::string> nodes;
  for (const auto& bad : map.nodes_bad) nodes.insert(map.nodes[bad.node]);
  return nodes;
}

bool joins(int node, int peer, int one, int other) { return (node == one && peer == other) || (node == other && peer == one); }

TEST(node_links, like_links_are_all_well) {
  for (const int nodes : {2, 3, 4, 8, 40})
    for (const char* unit : {"seconds", "GB/s"}) {
      const LinkMap map = judged_links(all_pairs(
          nodes, [](int, int) { return 1.0; }, unit));
      EXPECT_EQ(map.links.size(), static_cast<std::size_t>(nodes * (nodes - 1) / 2));
      EXPECT_TRUE(map.bad.empty() && map.nodes_bad.empty()) << nodes << " nodes, " << unit;
      EXPECT_NEAR(map.typical, std::string(unit) == "seconds" ? 2e-6 : 12, map.typical * 0.05);
    }
}

TEST(node_links, one_bad_link_is_named_and_no_node_is_blamed) {
  for (const int nodes : {3, 4, 8, 40})
    for (const char* unit : {"seconds", "GB/s"}) {
      const LinkMap map = judged_links(all_pairs(
          nodes, [](int node, int peer) { return joins(node, peer, 2, 1) ? 2.0 : 1.0; }, unit));
      EXPECT_EQ(bad_links(map), (std::set<std::set<std::string>>{{"node1", "node2"}})) << nodes << " nodes, " << unit;
      EXPECT_TRUE(bad_nodes(map).empty()) << nodes << " nodes, " << unit;
      ASSERT_FALSE(map.bad.empty());
      EXPECT_NEAR(map.bad.front().times_worse, 2, 0.15);
    }
}

TEST(node_links, a_node_all_of_whose_links_are_worse_is_named_instead_of_its_links) {
  for (const int nodes : {3, 4, 8, 40})
    for (const char* unit : {"seconds", "GB/s"}) {
      const LinkMap map = judged_links(all_pairs(
          nodes, [](int node, int peer) { return node == 1 || peer == 1 ? 2.0 : 1.0; }, unit));
      EXPECT_EQ(bad_nodes(map), std::set<std::string>{"node1"}) << nodes << " nodes, " << unit;
      EXPECT_TRUE(bad_links(map).empty()) << nodes << " nodes, " << unit;
      ASSERT_FALSE(map.nodes_bad.empty());
      EXPECT_EQ(map.nodes_bad.front().links, static_cast<std::size_t>(nodes - 1));
      EXPECT_EQ(map.nodes_bad.front().worse, static_cast<std::size_t>(nodes - 1));
    }
}

TEST(node_links, a_bad_node_and_a_bad_link_elsewhere_are_told_apart) {
  const LinkMap map = judged_links(all_pairs(12, [](int node, int peer) {
    return node == 5 || peer == 5 ? 1.8 : joins(node, peer, 0, 9) ? 3.0 : 1.0;
  }));
  EXPECT_EQ(bad_nodes(map), std::set<std::string>{"node5"});
  EXPECT_EQ(bad_links(map), (std::set<std::set<std::string>>{{"node0", "node9"}}));
}

TEST(node_links, a_bad_link_of_a_bad_node_is_worse_still) {
  const LinkMap map = judged_links(
      all_pairs(12, [](int node, int peer) { return (node == 5 || peer == 5 ? 1.8 : 1.0) * (joins(node, peer, 0, 5) ? 3.0 : 1.0); }));
  EXPECT_EQ(bad_nodes(map), std::set<std::string>{"node5"});
  EXPECT_EQ(bad_links(map), (std::set<std::set<std::string>>{{"node0", "node5"}}));
}

TEST(node_links, several_bad_links_of_one_node_do_not_make_it_bad) {
  const LinkMap map = judged_links(all_pairs(12, [](int node, int peer) { return node == 0 && peer < 5 ? 2.0 : 1.0; }));
  EXPECT_TRUE(bad_nodes(map).empty());
  EXPECT_EQ(bad_links(map).size(), 4U);
}

TEST(node_links, links_across_the_machine_are_another_kind_and_a_bad_one_among_them_is_named) {
  const auto rack = [](int node) { return node < 12 ? 0 : 1; };  // 72 links inside the racks, 48 across
  const auto worse = [&](int node, int peer) { return (rack(node) == rack(peer) ? 1.0 : 1.6) * (joins(node, peer, 3, 15) ? 2.0 : 1.0); };
  const LinkMap map = judged_links(all_pairs(16, worse));
  EXPECT_EQ(bad_links(map), (std::set<std::set<std::string>>{{"node3", "node15"}}));
  ASSERT_EQ(map.notes.size(), 1U);
  EXPECT_NE(map.notes.front().find("another part of the network"), std::string::npos);
}

TEST(node_links, one_disturbed_round_makes_no_link_bad) {
  auto rows = all_pairs(8, [](int, int) { return 1.0; });
  rows[5].value *= 50;
  rows[30].value *= 50;
  const LinkMap map = judged_links(rows);
  EXPECT_TRUE(map.bad.empty() && map.nodes_bad.empty());
}

TEST(node_links, where_rounds_differ_by_half_a_link_half_as_bad_again_is_no_finding) {
  std::vector<CeilingRow> rows;
  for (int round = 0; round < 3; ++round)
    for (int node = 0; node < 8; ++node)
      for (int peer = node + 1; peer < 8; ++peer)
        rows.push_back(sample(node, peer, round, 2e-6 * (1 + 0.5 * ((round + node + peer) % 3)) * (node == 2 && peer == 6 ? 1.5 : 1)));
  EXPECT_TRUE(judged_links(rows).bad.empty());
}

TEST(node_links, a_link_without_a_good_sample_says_why_and_is_no_ratio) {
  auto rows = all_pairs(4, [](int, int) { return 1.0; });
  for (auto& row : rows)
    if (row.node == "node0" && row.name.ends_with("node1")) {
      row.status = Status::wrong_result;
      row.value = absent;
      row.reason = "wrong result: a message did not arrive as it was sent";
    }
  const LinkMap map = judged_links(rows);
  ASSERT_EQ(map.bad.size(), 1U);
  EXPECT_TRUE(map.bad.front().wrong_result);
  EXPECT_TRUE(std::isnan(map.bad.front().times_worse));
  EXPECT_EQ(map.links[map.bad.front().link].n, 0U);
  EXPECT_NE(map.links[map.bad.front().link].reason.find("wrong result"), std::string::npos);
}

TEST(node_links, with_eight_partners_of_a_thousand_nodes_the_bad_ones_are_found) {
  std::vector<CeilingRow> rows;
  for (int step = 1; step <= 4; ++step)
    for (int node = 0; node < 1000; ++node) {
      const int peer = (node + step * 37) % 1000;
      const double worse = node == 400 || peer == 400 ? 1.5 : node == 10 && step == 2 ? 2 : 1;
      for (int round = 0; round < 2; ++round)
        rows.push_back(sample(node, peer, round, 2e-6 * worse * (1 + 0.01 * ((node + round + step) % 5))));
    }
  const LinkMap map = judged_links(rows);
  EXPECT_EQ(bad_nodes(map), std::set<std::string>{"node400"});
  EXPECT_EQ(bad_links(map), (std::set<std::set<std::string>>{{"node10", "node84"}}));
}

/// A quiet machine's rounds, or those of one whose cores others use too: mostly some way above the best, now and then far above, and some
/// rounds as a whole slower.
struct Noise {
  double usual = 0.02, often_far = 0, far = 1, round_slow = 0;
};

std::vector<CeilingRow> healthy_machine(int nodes, int rounds, const Noise& noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto chance = [&] { return (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0; };
  const auto exponential = [&] { return -std::log(chance()); };
  std::vector<CeilingRow> rows;
  for (int round = 0; round < rounds; ++round) {
    const double whole_round = chance() < noise.round_slow ? 1 + 10 * exponential() : 1;
    for (int node = 0; node < nodes; ++node)
      for (int peer = node + 1; peer < nodes; ++peer)
        rows.push_back(sample(
            node, peer, round,
            2e-6 * whole_round * std::exp(noise.usual * exponential() + (chance() < noise.often_far ? noise.far * exponential() : 0))));
  }
  return rows;
}

TEST(node_links, of_three_hundred_healthy_machines_none_has_a_link_or_a_node_named) {
  const std::vector<Noise> kinds{{.usual = 0.02},
                                 {.usual = 0.02, .often_far = 0.1, .far = 1},
                                 {.usual = 0.1, .often_far = 0.3, .far = 1.5, .round_slow = 0.2},
                                 {.usual = 0.5, .often_far = 0.1, .far = 2, .round_slow = 0.3},
                                 {.usual = 1.2, .round_slow = 0.3}};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    int named = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const int nodes = 3 + static_cast<int>(seed % 6);
      const LinkMap map = judged_links(healthy_machine(nodes, 3, kinds[kind], 1000 * kind + seed));
      if (!map.bad.empty() || !map.nodes_bad.empty()) ++named;
    }
    EXPECT_EQ(named, 0) << "noise of kind " << kind;
  }
}

TEST(node_links, where_rounds_differ_wildly_nothing_is_judged_and_what_is_always_worse_is_suspicious) {
  auto rows = healthy_machine(6, 3, {.usual = 2}, 1);
  for (auto& row : rows)
    if (row.node == "node0" && row.name.ends_with("node1")) row.value = 2e-6 * 1e5;
  const LinkMap map = judged_links(rows);
  EXPECT_GT(map.allowed, 4);
  EXPECT_NE(map.unjudged.find("too unsteady to judge"), std::string::npos) << map.unjudged;
  EXPECT_TRUE(map.bad.empty() && map.nodes_bad.empty());
  ASSERT_FALSE(map.suspicious.empty());
  const NodeLink& worst = map.links[map.suspicious.front().link];
  EXPECT_EQ(map.nodes[worst.node] + map.nodes[worst.peer], "node0node1");
}

TEST(node_links, a_wrong_result_is_named_on_a_machine_too_unsteady_to_judge) {
  auto rows = healthy_machine(6, 3, {.usual = 2}, 1);
  rows.front().status = Status::wrong_result;
  rows.front().reason = "wrong result: a message did not arrive as it was sent";
  const LinkMap map = judged_links(rows);
  EXPECT_FALSE(map.unjudged.empty());
  ASSERT_EQ(map.bad.size(), 1U);
  EXPECT_TRUE(map.bad.front().wrong_result);
}

TEST(node_links, one_link_or_two_have_nothing_to_be_held_against) {
  EXPECT_FALSE(judged_links(all_pairs(2, [](int, int) { return 1.0; })).unjudged.empty());
  auto rows = all_pairs(3, [](int, int) { return 1.0; });
  std::erase_if(rows, [](const CeilingRow& row) { return row.node == "node0" && row.name.ends_with("node1"); });
  const LinkMap map = judged_links(rows);
  EXPECT_NE(map.unjudged.find("2 links"), std::string::npos) << map.unjudged;
  EXPECT_TRUE(std::isnan(map.allowed));
}

TEST(node_links, a_link_that_is_worse_in_two_of_three_rounds_is_not_named) {
  auto rows = all_pairs(8, [](int node, int peer) { return joins(node, peer, 1, 2) ? 2.0 : 1.0; });
  ASSERT_EQ(judged_links(rows).bad.size(), 1U);
  for (auto& row : rows) {
    if (row.round == 1) row.value *= 2;  // a slow round, in which this link is like the others
    if (row.round == 1 && row.node == "node1" && row.name.ends_with("node2")) row.value /= 2;
  }
  EXPECT_TRUE(judged_links(rows).bad.empty());
}

TEST(node_links, the_limit_that_decides_on_nodes_is_told) {
  const LinkMap map = judged_links(all_pairs(8, [](int node, int peer) { return node == 1 || peer == 1 ? 2.0 : 1.0; }));
  ASSERT_EQ(map.nodes_bad.size(), 1U);
  EXPECT_GT(map.nodes_bad.front().times_worse, map.node_allowed);
  EXPECT_NEAR(map.nodes_bad.front().value, 4e-6, 0.2e-6);
  EXPECT_NEAR(map.node_typical, 2e-6, 0.1e-6);
}

TEST(node_links, other_samples_are_left_alone) {
  auto rows = all_pairs(2, [](int, int) { return 1.0; });
  for (auto& row : rows) row.level = "mpi";
  EXPECT_TRUE(judge_links(rows).empty());
}

}  // namespace
}  // namespace plumbline
