#include "schedule/team_placement.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "stored_nodes.hpp"

namespace plumbline {
namespace {

class Snc4 : public testing::Test {
 protected:
  // Places a team and holds it to what must be so for every placement that is not refused: its shape, allowed CPUs only, and none twice.
  TeamPlacement placed(Team team, bool oversubscribe = false) const {
    auto placement = place_team(node_, team, oversubscribe);
    EXPECT_EQ(placement.refusal, "");
    EXPECT_EQ(placement.cpus.size(), static_cast<std::size_t>(team.ranks));
    for (const auto& rank : placement.cpus) {
      EXPECT_EQ(rank.size(), static_cast<std::size_t>(team.threads));
      for (const int cpu : rank) EXPECT_TRUE(facts_of(node_, cpu).allowed) << cpu;
    }
    EXPECT_EQ(shared_cpus(placement.cpus).empty(), !placement.oversubscribed);
    return placement;
  }
  Topology node_ = stored("two_sockets_snc4");  // 2 sockets x 4 domains x 4 cores x 2 threads
};

TEST_F(Snc4, is_read_as_it_is) {
  EXPECT_EQ(node_.packages, 2);
  EXPECT_EQ(node_.numa_nodes, 8);
  EXPECT_EQ(node_.cores, 32);
  EXPECT_EQ(node_.pus, 64);
  EXPECT_EQ(facts_of(node_, 0).core, facts_of(node_, 32).core) << "Linux numbers second threads after all first ones";
}

TEST_F(Snc4, ranks_are_spread_over_the_domains) {
  std::set<int> domains;
  for (const auto& rank : placed({8, 4}).cpus) {
    EXPECT_EQ(domains_of(node_, rank).size(), 1U) << "a rank stays inside its domain";
    domains.merge(domains_of(node_, rank));
  }
  EXPECT_EQ(domains.size(), 8U);
}

TEST_F(Snc4, two_ranks_get_a_socket_each) {
  const auto placement = placed({2, 16});
  for (int rank = 0; rank < 2; ++rank)
    for (const int cpu : placement.cpus[static_cast<std::size_t>(rank)]) EXPECT_EQ(facts_of(node_, cpu).package, rank);
}

TEST_F(Snc4, the_threads_of_one_rank_are_compact) {
  EXPECT_EQ(domains_of(node_, placed({1, 4}).cpus[0]).size(), 1U);
  EXPECT_EQ(domains_of(node_, placed({1, 8}).cpus[0]).size(), 2U);
}

TEST_F(Snc4, a_team_fills_a_core_a_domain_a_socket_or_the_node) {
  const auto scope = [&](Team team) { return scope_of(node_, place_team(node_, team, false).cpus); };
  EXPECT_EQ(scope({1, 1}), "core");
  EXPECT_EQ(scope({1, 2}), "2 of 32 cores");
  EXPECT_EQ(scope({1, 4}), "NUMA domain");
  EXPECT_EQ(scope({1, 16}), "socket");
  EXPECT_EQ(scope({2, 16}), "node");
  EXPECT_EQ(scope({8, 1}), "8 of 32 cores") << "one core of each domain";
  EXPECT_EQ(scope_of(node_, {}), "");
}

TEST_F(Snc4, a_team_that_fills_all_it_may_use_fills_no_node) {
  for (auto& cpu : node_.cpus) cpu.allowed = cpu.core % 2 == 0;  // a batch step with half of the cores, both hardware threads of each
  const auto scope = [&](Team team) { return scope_of(node_, place_team(node_, team, false).cpus); };
  EXPECT_EQ(scope({1, 2}), "2 of 32 cores") << "all that is allowed of a domain is not the domain";
  EXPECT_EQ(scope({1, 16}), "16 of 32 cores");
  EXPECT_EQ(scope({1, 32}), "16 of 32 cores") << "second hardware threads are no cores";
  EXPECT_EQ(scope({1, 1}), "core");
  for (auto& cpu : node_.cpus) cpu.allowed = cpu.package == 1;
  EXPECT_EQ(scope({1, 16}), "socket");
}

TEST_F(Snc4, a_team_lies_in_one_domain_as_long_as_it_fits_there) {
  const auto within = [&](Team team) { return is_in_one_domain(node_, place_team(node_, team, false).cpus); };
  EXPECT_TRUE(within({1, 1}));
  EXPECT_TRUE(within({1, 4}));
  EXPECT_FALSE(within({1, 8}));
  EXPECT_FALSE(within({8, 1}));
  EXPECT_FALSE(is_in_one_domain(node_, {})) << "without CPUs nobody knows";
}

TEST_F(Snc4, ranks_on_one_l3_are_those_whose_threads_lie_on_it) {
  const int cpus_per_l3 =
      std::find_if(node_.caches.begin(), node_.caches.end(), [](const auto& c) { return c.level == 3; })->shared_by_cpus;
  ASSERT_EQ(cpus_per_l3, static_cast<int>(node_.cpus.size()) / 2) << "one a socket";
  const auto ranks = [&](Team team) { return ranks_on_one_l3(node_, place_team(node_, team, false).cpus); };
  EXPECT_EQ(ranks({1, 1}), 1);
  EXPECT_EQ(ranks({1, 32}), 1);
  EXPECT_EQ(ranks({2, 16}), 1);
  EXPECT_EQ(ranks({8, 1}), 4);
  EXPECT_EQ(ranks({32, 1}), 16);
}

TEST_F(Snc4, every_domain_has_a_memory) { EXPECT_EQ(node_.numa_memories.size(), static_cast<std::size_t>(node_.numa_nodes)); }

TEST_F(Snc4, cores_come_before_second_threads) {
  EXPECT_EQ(cores_of(node_, placed({1, 32}).cpus).size(), 32U);
  EXPECT_EQ(cores_of(node_, placed({16, 2}).cpus).size(), 32U);
  EXPECT_EQ(cores_of(node_, placed({32, 1}).cpus).size(), 32U);
  EXPECT_EQ(cores_of(node_, placed({3, 10}).cpus).size(), 30U) << "a team that fits no domain border still gets cores of its own";
}

TEST_F(Snc4, a_full_node_uses_every_cpu_once) {
  for (const Team team : {Team{1, 64}, Team{64, 1}, Team{8, 8}, Team{16, 4}, Team{2, 32}}) placed(team);
}

TEST_F(Snc4, every_team_that_fits_is_placed_without_overlap) {
  for (int ranks = 1; ranks <= 64; ++ranks)
    for (int threads = 1; ranks * threads <= 64; ++threads) {
      const auto placement = place_team(node_, {ranks, threads}, false);
      ASSERT_EQ(placement.refusal, "") << ranks << " x " << threads;
      EXPECT_TRUE(shared_cpus(placement.cpus).empty()) << ranks << " x " << threads;
      if (ranks * threads <= 32) {
        EXPECT_EQ(cores_of(node_, placement.cpus).size(), static_cast<std::size_t>(ranks * threads)) << ranks << " x " << threads;
      }
    }
}

TEST_F(Snc4, a_team_larger_than_the_node_is_refused_unless_oversubscribed) {
  const auto refused = place_team(node_, {2, 33}, false);
  EXPECT_TRUE(refused.cpus.empty());
  EXPECT_NE(refused.refusal.find("needs 66 CPUs, this node has 64"), std::string::npos) << refused.refusal;
  EXPECT_TRUE(placed({2, 33}, true).oversubscribed);
  EXPECT_FALSE(placed({2, 32}, true).oversubscribed) << "allowed, but not needed";
}

TEST_F(Snc4, only_allowed_cpus_are_used) {
  for (auto& cpu : node_.cpus) cpu.allowed = cpu.numa == 5 || cpu.cpu == 0;  // what a batch system left
  placed({1, 5});
  EXPECT_EQ(domains_of(node_, placed({1, 1}).cpus[0]), std::set<int>{0});
  EXPECT_FALSE(place_team(node_, {1, 10}, false).refusal.empty());
  for (auto& cpu : node_.cpus) cpu.allowed = false;
  EXPECT_FALSE(place_team(node_, {1, 1}, true).refusal.empty()) << "oversubscribing nothing is nothing";
}

TEST_F(Snc4, ranks_that_the_launcher_bound_keep_their_own_cpus) {
  const std::vector<std::vector<int>> bound{{4, 5, 6, 7}, {20, 21, 22, 23}};
  const auto placement = place_team(node_, bound, {2, 2}, false);
  ASSERT_EQ(placement.refusal, "");
  EXPECT_EQ(placement.cpus, (std::vector<std::vector<int>>{{4, 5}, {20, 21}}));
  EXPECT_FALSE(place_team(node_, bound, {2, 5}, false).refusal.empty());
  EXPECT_FALSE(place_team(node_, bound, {3, 1}, false).refusal.empty()) << "there are two ranks";
}

TEST_F(Snc4, a_refusal_says_what_the_launcher_left_of_the_node) {
  const std::vector<std::vector<int>> alone{{4}, {5}};  // a core each, as srun binds tasks of one CPU
  for (const Team team : {Team{1, 2}, Team{2, 2}}) {
    const auto refused = place_team(node_, alone, team, false);
    EXPECT_NE(refused.refusal.find("1 of the node's 64"), std::string::npos) << refused.refusal;
    EXPECT_NE(refused.refusal.find("--cpu-bind=none"), std::string::npos) << refused.refusal;
  }
}

TEST_F(Snc4, ranks_bound_to_overlapping_cpus_are_refused) {
  const std::vector<std::vector<int>> bound{{4, 5}, {4, 5, 6, 7}};
  const auto refused = place_team(node_, bound, {2, 2}, false);
  EXPECT_NE(refused.refusal.find("used twice"), std::string::npos) << refused.refusal;
  EXPECT_TRUE(refused.cpus.empty());
  EXPECT_TRUE(place_team(node_, bound, {2, 2}, true).oversubscribed);
}

TEST_F(Snc4, ranks_with_equal_sets_share_them_out) {
  std::vector<int> all(64);
  std::iota(all.begin(), all.end(), 0);
  const auto placement = place_team(node_, {all, all}, {2, 4}, false);
  ASSERT_EQ(placement.refusal, "");
  EXPECT_EQ(placement.cpus, place_team(node_, {2, 4}, false).cpus);
}

TEST(one_domain, two_ranks_lie_half_a_node_apart) {
  const auto node = stored("eight_gpus");  // 2 domains x 8 cores
  const auto placement = place_team(node, {4, 1}, false);
  std::vector<int> cores;
  for (const auto& rank : placement.cpus) cores.push_back(facts_of(node, rank[0]).core);
  EXPECT_EQ(cores, (std::vector<int>{0, 4, 8, 12}));
}

}  // namespace
}  // namespace plumbline
