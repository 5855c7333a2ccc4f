#include "schedule/gpu_drivers.hpp"

#include <gtest/gtest.h>

#include <set>

#include "stored_nodes.hpp"

namespace plumbline {
namespace {

constexpr const char *first_gpu = "0000:01:00.0", *second_gpu = "0000:41:00.0";

std::vector<SeenGpu> all_of(const Topology& node) {
  std::vector<SeenGpu> seen;
  for (const auto& gpu : node.gpus) seen.push_back({gpu.pci, "GPU-" + gpu.pci});
  return seen;
}

std::vector<int> cpus_of_domain(const Topology& node, int numa) {
  std::vector<int> cpus;
  for (const auto& cpu : node.cpus)
    if (cpu.numa == numa) cpus.push_back(cpu.cpu);
  return cpus;
}

int domain_of(const Topology& node, int cpu) {
  for (const auto& one : node.cpus)
    if (one.cpu == cpu) return one.numa;
  return -1;
}

TEST(gpus_of_a_node, are_what_all_ranks_together_see_by_address) {
  const auto gpus = gpus_of_node({{{second_gpu, "GPU-b"}}, {{first_gpu, "GPU-a"}}, {}, {{first_gpu, "GPU-a"}, {second_gpu, "GPU-b"}}});
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].pci, first_gpu);
  EXPECT_EQ(gpus[0].seen_as, (std::vector<int>{-1, 0, -1, 0}));
  EXPECT_EQ(gpus[1].seen_as, (std::vector<int>{0, -1, -1, 1}));
}

TEST(gpus_of_a_node, parts_of_one_gpu_are_told_apart_by_their_uuids) {
  const auto gpus = gpus_of_node({{{first_gpu, "MIG-b"}}, {{first_gpu, "MIG-a"}}});
  ASSERT_EQ(gpus.size(), 2U) << "each rank sees another part, at the same address and in the same place of its list";
  EXPECT_EQ(gpus[0].uuid, "MIG-a");
  EXPECT_EQ(gpus[0].seen_as, (std::vector<int>{-1, 0}));
}

TEST(gpus_of_a_node, without_uuids_the_same_address_is_the_same_gpu_wherever_a_rank_has_it) {
  const auto gpus = gpus_of_node({{{first_gpu, ""}, {second_gpu, ""}}, {{second_gpu, ""}}});
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].seen_as, (std::vector<int>{1, 0}));
  EXPECT_EQ(gpus_of_node({{{first_gpu, ""}, {first_gpu, ""}}, {{first_gpu, ""}, {first_gpu, ""}}}).size(), 2U)
      << "parts, seen by both ranks";
}

TEST(gpus_of_a_node, one_whose_uuid_a_rank_is_not_told_is_the_one_at_that_address) {
  for (const auto& seen : {std::vector<std::vector<SeenGpu>>{{{first_gpu, "GPU-a"}}, {{second_gpu, ""}, {first_gpu, ""}}},
                           std::vector<std::vector<SeenGpu>>{{{first_gpu, ""}}, {{second_gpu, ""}, {first_gpu, "GPU-a"}}}}) {
    const auto gpus = gpus_of_node(seen);
    ASSERT_EQ(gpus.size(), 2U) << "whichever rank comes first";
    EXPECT_EQ(gpus[0].uuid, "GPU-a");
    EXPECT_EQ(gpus[0].seen_as, (std::vector<int>{0, 1}));
    EXPECT_EQ(gpus[1].seen_as, (std::vector<int>{-1, 0}));
  }
  const auto parts = gpus_of_node({{{first_gpu, "MIG-a"}, {first_gpu, "MIG-b"}}, {{first_gpu, "MIG-b"}, {first_gpu, ""}}});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].seen_as, (std::vector<int>{0, 1})) << "the one that is left";
}

TEST(drivers, each_rank_that_sees_one_gpu_drives_it) {
  const auto node = stored("four_gpus");
  std::vector<std::vector<SeenGpu>> seen;
  std::vector<std::vector<int>> allowed;
  for (int rank = 3; rank >= 0; --rank) {
    seen.push_back({all_of(node)[static_cast<std::size_t>(rank)]});
    allowed.push_back(node.allowed_cpus());
  }
  const auto drivers = drivers_of(gpus_of_node(seen), allowed, node);
  std::set<int> cpus;
  for (int gpu = 0; gpu < 4; ++gpu) {
    const auto& driver = drivers[static_cast<std::size_t>(gpu)];
    EXPECT_EQ(driver.rank, 3 - gpu);
    EXPECT_EQ(driver.turn, 0) << "all at once";
    EXPECT_EQ(domain_of(node, driver.cpu), node.gpus[static_cast<std::size_t>(gpu)].numa) << "beside it, wherever the rank might run";
    cpus.insert(driver.cpu);
  }
  EXPECT_EQ(cpus.size(), 4U);
}

TEST(drivers, where_all_see_all_it_is_the_rank_beside_the_gpu) {
  const auto node = stored("four_gpus");
  const std::vector<std::vector<SeenGpu>> seen(4, all_of(node));
  std::vector<std::vector<int>> allowed;
  for (int rank = 0; rank < 4; ++rank) allowed.push_back(cpus_of_domain(node, rank));
  const auto drivers = drivers_of(gpus_of_node(seen), allowed, node);
  for (std::size_t gpu = 0; gpu < 4; ++gpu) {
    EXPECT_EQ(drivers[gpu].rank, node.gpus[gpu].numa);
    EXPECT_EQ(domain_of(node, drivers[gpu].cpu), node.gpus[gpu].numa);
  }
}

TEST(drivers, a_rank_gives_way_to_one_that_can_take_no_other_gpu) {
  const auto node = stored("four_gpus");
  const auto all = all_of(node);
  // Rank 0 lies beside the first GPU and sees two; rank 1 sees the first alone.
  const auto drivers =
      drivers_of(gpus_of_node({{all[0], all[1]}, {all[0]}}), {cpus_of_domain(node, node.gpus[0].numa), cpus_of_domain(node, 0)}, node);
  EXPECT_EQ(drivers[0].rank, 1) << "else one rank would have both";
  EXPECT_EQ(drivers[1].rank, 0);
}

TEST(drivers, fewer_ranks_take_equal_shares_in_turns) {
  const auto node = stored("eight_gpus");
  const std::vector<std::vector<SeenGpu>> seen(2, all_of(node));
  const auto drivers = drivers_of(gpus_of_node(seen), {cpus_of_domain(node, 1), cpus_of_domain(node, 0)}, node);
  std::set<std::pair<int, int>> at_once;
  for (std::size_t gpu = 0; gpu < 8; ++gpu) {
    EXPECT_EQ(drivers[gpu].rank, gpu < 4 ? 1 : 0) << "the GPUs of its own socket";
    EXPECT_LT(drivers[gpu].turn, 4);
    EXPECT_TRUE(at_once.insert({drivers[gpu].rank, drivers[gpu].turn}).second) << "one at a time";
  }
}

TEST(drivers, on_one_cpu_for_all_they_take_turns) {
  const auto node = stored("four_gpus");
  const std::vector<std::vector<SeenGpu>> seen(3, all_of(node));
  const auto drivers = drivers_of(gpus_of_node(seen), {{0}, {0}, {0}}, node);
  std::set<int> turns;
  for (const auto& driver : drivers) turns.insert(driver.turn);
  EXPECT_EQ(turns.size(), 4U);
}

TEST(drivers, more_ranks_than_gpus_leave_some_idle) {
  const auto node = stored("four_gpus");
  const std::vector<std::vector<SeenGpu>> seen(16, all_of(node));
  const auto drivers = drivers_of(gpus_of_node(seen), std::vector(16, node.allowed_cpus()), node);
  std::set<int> ranks;
  for (const auto& driver : drivers) ranks.insert(driver.rank);
  EXPECT_EQ(ranks.size(), 4U);
}

std::vector<SeenGpu> named(const std::string& gpus) {
  std::vector<SeenGpu> seen;
  for (const char gpu : gpus) seen.push_back({std::string("0000:0") + gpu + ":00.0", std::string("GPU-") + gpu});
  return seen;
}

TEST(team_of_gpus, each_rank_takes_the_first_that_it_sees_and_nobody_has) {
  EXPECT_EQ(gpus_of_team(gpus_of_node({named("12"), named("12")}), 2), (std::vector<int>{0, 1}));
  EXPECT_EQ(gpus_of_team(gpus_of_node({named("21"), named("21")}), 2), (std::vector<int>{1, 0}));
  EXPECT_EQ(gpus_of_team(gpus_of_node({named("2"), named("1")}), 2), (std::vector<int>{1, 0})) << "as a launcher gives each rank one";
  EXPECT_EQ(gpus_of_team(gpus_of_node({named("21"), named("1")}), 1), (std::vector<int>{1}));
}

TEST(team_of_gpus, a_rank_gives_way_where_it_sees_another_one) {
  EXPECT_EQ(gpus_of_team(gpus_of_node({named("12"), named("1")}), 2), (std::vector<int>{1, 0}));
  EXPECT_EQ(gpus_of_team(gpus_of_node({named("12"), named("13"), named("1")}), 3), (std::vector<int>{1, 2, 0}));
}

TEST(team_of_gpus, there_is_none_where_a_rank_would_be_without) {
  EXPECT_TRUE(gpus_of_team(gpus_of_node({named("1"), named("1")}), 2).empty());
  EXPECT_TRUE(gpus_of_team(gpus_of_node({named("12"), {}}), 2).empty());
  EXPECT_TRUE(gpus_of_team({}, 1).empty());
}

TEST(drivers, a_gpu_of_a_rank_without_a_cpu_is_refused) {
  const auto node = stored("four_gpus");
  const auto drivers = drivers_of(gpus_of_node({all_of(node)}), {{}}, node);
  for (const auto& driver : drivers) EXPECT_FALSE(driver.refusal.empty());
}

TEST(drivers, a_gpu_that_the_topology_has_not_is_driven_all_the_same) {
  const auto node = stored("four_gpus");
  const auto drivers = drivers_of(gpus_of_node({{{"0000:ff:00.0", "GPU-x"}}}), {node.allowed_cpus()}, node);
  EXPECT_EQ(drivers.front().rank, 0);
  EXPECT_GE(drivers.front().cpu, 0);
}

}  // namespace
}  // namespace plumbline
