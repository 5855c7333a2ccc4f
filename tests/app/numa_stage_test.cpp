// Pairs of NUMA domains that a run cannot measure are there, with the reason.
#include "app/stages/numa_stage.hpp"

#include <gtest/gtest.h>

#include "machine/cpu.hpp"
#include "machine/memory.hpp"

namespace plumbline::app {
namespace {

/// A topology of this machine as one domain, and another whose only core the launcher left to somebody else.
Topology with_a_domain_out_of_reach() {
  Topology node = this_topology();
  for (auto& cpu : node.cpus) cpu.numa = 0;
  node.numa_memories.resize(1);
  node.numa_nodes = 2;
  CpuFacts far = node.cpus.back();
  far.cpu = far.core = 100000;
  far.numa = 1;
  far.allowed = false;
  node.cpus.push_back(far);
  return node;
}

TEST(NumaStage, a_domain_whose_cores_are_out_of_reach_is_skipped_with_the_reason) {
  const auto rows = measure_numa(with_a_domain_out_of_reach(), {}, "n", "s", 0);
  if (rows.empty()) GTEST_SKIP() << "SKIP: no flavor of the kernels runs here";
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) {
    const bool reached = row.pattern.ends_with("0<-0");
    EXPECT_EQ(row.status == Status::skipped, !reached) << row.name << " " << row.reason;
    if (!reached) {
      EXPECT_NE(row.reason.find("away from the cores of domain 1"), std::string::npos) << row.reason;
    }
  }
}

TEST(NumaStage, a_domain_has_no_more_memory_than_the_node) {
  std::uint64_t all = 0;
  for (const int memory : this_topology().numa_memories) {
    EXPECT_LE(memory_available_bytes(memory), memory_total_bytes());
    all += memory_available_bytes(memory);
  }
  EXPECT_GT(all, 0U);
  EXPECT_EQ(memory_available_bytes(12345), 0U);
}

}  // namespace
}  // namespace plumbline::app
