// The plan of ceilings reckons with a cache of some size: by latencies that are given, and on this machine.
#include "app/stages/cache_scout.hpp"

#include <gtest/gtest.h>

#include "tests/byte_units.hpp"

namespace plumbline::app {
namespace {

constexpr LastCaches told_by_system{.bytes = 260 * MiB, .count = 2};

std::uint64_t found(double swept_ns, double flushed_ns) { return found_caches(told_by_system, swept_ns * 1e-9, flushed_ns * 1e-9).bytes; }

TEST(CacheScout, what_is_as_slow_as_memory_lies_in_no_cache) {
  EXPECT_EQ(found(120, 120), 32 * MiB);
  EXPECT_EQ(found(123, 120), 32 * MiB) << "noise";
  EXPECT_EQ(found(113, 120), 32 * MiB) << "6 % is what the least cache that is reckoned with may do";
}

TEST(CacheScout, a_part_that_hits_bounds_the_cache_from_above) {
  // a fifth of 128 MiB in a cache of half the latency of memory: 26 MiB, as on an Emerald Rapids VM
  EXPECT_EQ(found(0.2 * 60 + 0.8 * 120, 120), 64 * MiB);
  EXPECT_EQ(found(0.5 * 60 + 0.5 * 120, 120), 128 * MiB);
}

TEST(CacheScout, a_cache_that_may_hold_it_all_is_taken_as_told) {
  EXPECT_EQ(found(60, 120), told_by_system.bytes);
  EXPECT_EQ(found(84, 120), told_by_system.bytes);
  EXPECT_EQ(found(10, 0), told_by_system.bytes) << "no latency that could be compared";
}

TEST(CacheScout, never_takes_more_than_is_told) {
  EXPECT_EQ(found_caches({.bytes = 33 * MiB, .count = 1}, 100e-9, 120e-9).bytes, 33 * MiB);
  EXPECT_EQ(found_caches(told_by_system, 120e-9, 120e-9).count, told_by_system.count);
}

TEST(CacheScout, a_resumed_run_plans_for_what_its_samples_were_planned_for) {
  CeilingRow row{
      .name = "load", .precision = "-", .level = "sweep", .pattern = "load", .node = "n", .session = "s", .unit = "GB/s", .method = ""};
  const auto planned_for = [&](double largest) {
    row.working_set_bytes = largest;
    return caches_planned_for(told_by_system, std::span(&row, 1))->bytes;
  };
  EXPECT_FALSE(caches_planned_for(told_by_system, {}));
  EXPECT_EQ(planned_for(128.0 * MiB), 32 * MiB);
  EXPECT_EQ(planned_for(256.0 * MiB), 64 * MiB);
  EXPECT_EQ(planned_for(1040.0 * MiB), told_by_system.bytes);
  row.threads = 2;
  EXPECT_FALSE(caches_planned_for(told_by_system, std::span(&row, 1))) << "of two cores nothing is said of one";
}

// A core's finding here is not known: a virtual machine may be told less than it has.
TEST(CacheScout, on_this_machine_ends_with_one_of_its_answers) {
  Topology huge = this_topology();
  ASSERT_FALSE(huge.cpus.empty());
  if (huge.caches.empty()) huge.caches.emplace_back();
  const std::uint64_t told = huge.caches.back().bytes = std::uint64_t{8} << 30;
  const std::uint64_t bytes = scout_caches(huge, huge.cpus.front().cpu).bytes;
  EXPECT_TRUE(bytes == told || bytes == 32 * MiB || bytes == 64 * MiB || bytes == 128 * MiB) << bytes;
  huge.caches.back().bytes = 32 * MiB;
  EXPECT_EQ(scout_caches(huge, huge.cpus.front().cpu).bytes, 32 * MiB) << "nothing to look for";
}

}  // namespace
}  // namespace plumbline::app
