#include "schedule/node_part.hpp"

#include <gtest/gtest.h>

#include "stored_nodes.hpp"

namespace plumbline {
namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

class Part : public testing::Test {
 protected:
  // The node as these ranks may use it.
  NodePart of(const std::vector<std::vector<int>>& ranks, double quota = no_quota) const {
    return part_of(with_allowed(node_, ranks), quota);
  }
  std::vector<int> cpus(auto chosen) const {
    std::vector<int> some;
    for (const auto& cpu : node_.cpus)
      if (chosen(cpu)) some.push_back(cpu.cpu);
    return some;
  }
  Topology node_ = stored("two_sockets_snc4");  // 2 sockets x 4 domains x 4 cores x 2 threads
};

TEST_F(Part, a_launcher_that_leaves_everything_leaves_the_node) {
  const NodePart whole = of({cpus([](const CpuFacts&) { return true; })});
  EXPECT_TRUE(whole.is_whole());
  EXPECT_EQ(whole.in_words(), "32 of 32 cores");
  EXPECT_EQ(whole.numa_domains, 8);
  EXPECT_EQ(whole.packages, 2);
  EXPECT_TRUE(of({cpus([](const CpuFacts& cpu) { return cpu.sibling == 0; })}).is_whole())
      << "one hardware thread of each core is all cores";
}

TEST_F(Part, ranks_that_are_bound_apart_have_the_node_together) {
  EXPECT_TRUE(of({cpus([](const CpuFacts& cpu) { return cpu.package == 0; }), cpus([](const CpuFacts& cpu) { return cpu.package == 1; })})
                  .is_whole());
}

TEST_F(Part, both_hardware_threads_of_half_the_cores_are_half_the_node) {
  const NodePart half = of({cpus([](const CpuFacts& cpu) { return cpu.core % 2 == 0; })});
  EXPECT_FALSE(half.is_whole());
  EXPECT_EQ(half.in_words(), "16 of 32 cores");
  EXPECT_EQ(half.cores_at_once(), 16);
  EXPECT_NE(half.advice().find("--cpus-per-task"), std::string::npos) << half.advice();
}

TEST_F(Part, domains_are_those_that_hold_a_usable_core) {
  const NodePart socket = of({cpus([](const CpuFacts& cpu) { return cpu.package == 1; })});
  EXPECT_EQ(socket.numa_domains, 4);
  EXPECT_EQ(socket.packages, 1);
}

TEST_F(Part, a_quota_allows_whole_cores_only_and_never_less_than_one) {
  const std::vector<int> all = cpus([](const CpuFacts&) { return true; });
  EXPECT_EQ(of({all}, 12.5).in_words(), "12 of 32 cores (a CPU quota of 12.5)");
  EXPECT_NE(of({all}, 12.5).advice().find("quota"), std::string::npos);
  EXPECT_EQ(of({all}, 0.2).cores_at_once(), 1);
  EXPECT_TRUE(of({all}, 32).is_whole());
  EXPECT_TRUE(of({all}, 64).is_whole()) << "as many as hardware threads";
}

TEST_F(Part, of_no_cpu_there_is_no_part) {
  const NodePart none = of({});
  EXPECT_FALSE(none.is_whole());
  EXPECT_EQ(none.cores, 0);
}

}  // namespace
}  // namespace plumbline
