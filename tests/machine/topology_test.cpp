#include "machine/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "core/passing_variable.hpp"
#include "machine/binding.hpp"
#include "machine/memory.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

TEST(topology, counts_hold_together) {
  const auto node = this_topology();
  EXPECT_EQ(static_cast<int>(node.cpus.size()), node.pus);
  EXPECT_GE(node.cores, 1);
  EXPECT_GE(node.pus, node.cores);
  EXPECT_GE(node.numa_nodes, 1);
  std::set<int> numbers;
  for (const auto& cpu : node.cpus) numbers.insert(cpu.cpu);
  EXPECT_EQ(numbers.size(), node.cpus.size());
}

TEST(topology, caches_are_what_sysfs_says) {
  const auto node = this_topology();
  const auto first = std::to_string(node.cpus.front().cpu);
  std::size_t found = 0;
  for (int index = 0; index < 8; ++index) {
    const auto folder = "/sys/devices/system/cpu/cpu" + first + "/cache/index" + std::to_string(index);
    const auto level = first_line(folder + "/level"), type = first_line(folder + "/type"), size = first_line(folder + "/size");
    if (!level || type == "Instruction") continue;
    const auto match =
        std::find_if(node.caches.begin(), node.caches.end(), [&](const auto& cache) { return std::to_string(cache.level) == *level; });
    ASSERT_NE(match, node.caches.end()) << "L" << *level;
    EXPECT_EQ(std::to_string(match->bytes / 1024) + "K", *size);
    EXPECT_EQ(std::to_string(match->ways), first_line(folder + "/ways_of_associativity"));
    EXPECT_EQ(std::to_string(match->line_bytes), first_line(folder + "/coherency_line_size"));
    ++found;
  }
  if (found == 0) GTEST_SKIP() << "SKIP: sysfs names no caches here";
  EXPECT_EQ(found, node.caches.size());
}

// The plugins that hwloc tells of while this machine is read.
std::string plugins_looked_for() {
  const PassingVariable verbose("HWLOC_PLUGINS_VERBOSE", "1");
  testing::internal::CaptureStderr();
  this_topology();
  return testing::internal::GetCapturedStderr();
}

TEST(topology, loads_no_plugins_of_hwloc_unless_the_user_says_where) {
  if (getenv("HWLOC_PLUGINS_PATH") != nullptr) GTEST_SKIP() << "SKIP: HWLOC_PLUGINS_PATH is set";
  const auto looked = plugins_looked_for();
  EXPECT_EQ(looked.find("Looking under /"), std::string::npos) << looked;
  EXPECT_EQ(getenv("HWLOC_PLUGINS_PATH"), nullptr) << "programs started later would see it";
  const PassingVariable of_the_user("HWLOC_PLUGINS_PATH", "/nowhere");
  const auto told = plugins_looked_for();
  if (told.empty()) return;  // hwloc is built without plugins
  EXPECT_NE(told.find("/nowhere"), std::string::npos) << told;
}

TEST(topology, a_bound_thread_may_use_only_its_cpu) {
  std::thread([] {
    const auto before = this_topology().allowed_cpus();
    ASSERT_FALSE(before.empty());
    ASSERT_EQ(bind_this_thread(before.back()), "");
    EXPECT_EQ(this_topology().allowed_cpus(), std::vector<int>{before.back()});
  }).join();
}

TEST(memory, what_is_available_is_part_of_what_there_is) {
  EXPECT_GT(memory_available_bytes(), 0U);
  EXPECT_LE(memory_available_bytes(), memory_total_bytes());
  EXPECT_EQ(this_topology().memory_bytes >= memory_total_bytes(), true);
}

TEST(system_file, the_chosen_word_stands_in_brackets) {
  EXPECT_EQ(bracketed("always [madvise] never"), "madvise");
  EXPECT_EQ(bracketed("always madvise never"), std::nullopt);
  EXPECT_EQ(bracketed(std::nullopt), std::nullopt);
  EXPECT_EQ(first_line("/no/such/file"), std::nullopt);
}

TEST(Topology, numbers_of_cpus_are_told_as_ranges) {
  EXPECT_EQ(cpu_ranges({8, 1, 0, 3, 2}), "0-3,8");
  EXPECT_EQ(cpu_ranges({}), "");
}

}  // namespace
}  // namespace plumbline
