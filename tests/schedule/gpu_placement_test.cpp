#include "schedule/gpu_placement.hpp"

#include <gtest/gtest.h>

#include "stored_nodes.hpp"

namespace plumbline {
namespace {

TEST(four_gpus, are_found_by_pci_address_with_the_cpus_beside_them) {
  const auto node = stored("four_gpus");
  ASSERT_EQ(node.gpus.size(), 4U);
  EXPECT_EQ(node.gpus[0].pci, "0000:01:00.0");
  EXPECT_EQ(node.gpus[0].numa, 3) << "the first GPU lies at the last domain";
  EXPECT_EQ(node.gpus[3].numa, 0);
  EXPECT_EQ(node.gpus[0].near_cpus.size(), 8U);
  EXPECT_EQ(node.gpus[0].vendor, "NVIDIA Corporation");
}

/// Places a team whose ranks may each use all that the node allows.
TeamPlacement placed(const Topology& node, Team team) {
  return place_on_gpus(node, std::vector(static_cast<std::size_t>(team.ranks), node.allowed_cpus()), team);
}

TEST(four_gpus, each_rank_works_beside_its_gpu) {
  const auto node = stored("four_gpus");
  const auto placement = placed(node, {4, 8});
  ASSERT_EQ(placement.refusal, "");
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(placement.gpus[rank], static_cast<int>(rank));
    EXPECT_EQ(domains_of(node, placement.cpus[rank]), std::set<int>{3 - static_cast<int>(rank)});
  }
  EXPECT_TRUE(shared_cpus(placement.cpus).empty());
}

TEST(four_gpus, a_rank_too_many_is_refused) {
  const auto refused = placed(stored("four_gpus"), {5, 1});
  EXPECT_NE(refused.refusal.find("5 GPUs"), std::string::npos) << refused.refusal;
  EXPECT_TRUE(refused.cpus.empty());
}

TEST(four_gpus, a_rank_whose_neighbourhood_is_not_allowed_goes_elsewhere) {
  auto node = stored("four_gpus");
  for (auto& cpu : node.cpus) cpu.allowed = cpu.numa == 0;
  const auto placement = placed(node, {1, 1});  // its GPU lies at domain 3
  ASSERT_EQ(placement.refusal, "");
  EXPECT_EQ(domains_of(node, placement.cpus[0]), std::set<int>{0});
}

TEST(eight_gpus, four_ranks_share_each_socket_without_overlap) {
  const auto node = stored("eight_gpus");
  ASSERT_EQ(node.gpus.size(), 8U);
  const auto placement = placed(node, {8, 2});
  ASSERT_EQ(placement.refusal, "");
  for (std::size_t rank = 0; rank < 8; ++rank) EXPECT_EQ(domains_of(node, placement.cpus[rank]), std::set<int>{rank < 4 ? 0 : 1});
  EXPECT_TRUE(shared_cpus(placement.cpus).empty());
  EXPECT_EQ(cores_of(node, placement.cpus).size(), 16U) << "cores before second threads";
}

TEST(four_gpus, ranks_that_the_launcher_bound_stay_on_their_own_cpus) {
  const auto node = stored("four_gpus");
  const auto placement = place_on_gpus(node, {{0}, {1}}, {2, 1});
  ASSERT_EQ(placement.refusal, "");
  EXPECT_EQ(placement.cpus, (std::vector<std::vector<int>>{{0}, {1}}));
  EXPECT_NE(place_on_gpus(node, {{0}, {0}}, {2, 1}).refusal.find("for rank 1 0 are left of the 1"), std::string::npos);
}

TEST(eight_gpus, running_out_of_cpus_is_refused) { EXPECT_FALSE(placed(stored("eight_gpus"), {8, 5}).refusal.empty()); }

TEST(four_gpus, more_threads_for_the_host_than_cpus_are_refused_in_a_line_that_says_what_to_do) {
  const auto node = stored("four_gpus");
  EXPECT_EQ(place_on_gpus(node, {{0, 1}}, {.ranks = 1, .threads = 4, .gpus = 1}).refusal,
            "team g1t4 needs 4 CPUs, 4 for each rank: for rank 0 2 are left of the 2 that it may use; use fewer threads");
}

TEST(topology, a_file_that_is_none_is_a_user_error) {
  try {
    topology_from_xml("no_such.xml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
  }
}

}  // namespace
}  // namespace plumbline
