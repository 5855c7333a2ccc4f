// SPDX-License-Identifier: BSD-3-Clause
// Reuse distances become traffic below caches of any size.
#include "model/placement/reuse_distances.hpp"

#include <gtest/gtest.h>

#include "three_sweeps.hpp"

namespace plumbline {
namespace {

TEST(ReuseDistances, TellTheTrafficOfCachesAboveAndBelowThem) {
  const CacheTraffic small = traffic_below(three_sweeps(), 512 * 64), large = traffic_below(three_sweeps(), 2048 * 64);
  EXPECT_EQ(small.demand_read_bytes, 2700 * 64);
  EXPECT_EQ(small.rfo_bytes, 300 * 64);
  EXPECT_EQ(small.write_back_bytes, 300 * 64) << "the last sweep's are written back, too: they have sunk below 512 lines";
  EXPECT_EQ(large.demand_read_bytes, 900 * 64) << "each line once";
  EXPECT_EQ(large.write_back_bytes, 100 * 64);
}

TEST(ReuseDistances, AreSpreadEvenlyWithinABucket) {
  const CacheTraffic within = traffic_below(three_sweeps(), 1000 * 64);
  EXPECT_DOUBLE_EQ(within.demand_read_bytes, (900 + 1800 / 2.0) * 64);
}

TEST(ReuseDistances, AddBucketByBucket) {
  ReuseDistances all;
  add(all, three_sweeps());
  add(all, {.line_bytes = 64, .buckets = {{64, 66, 5, 0, 0, 0}, {992, 1008, 1, 0, 0, 0}}, .crowding = {{64, 10}}});
  ASSERT_EQ(all.buckets.size(), 4U);
  EXPECT_EQ(all.buckets[1].read, 5);
  EXPECT_EQ(all.buckets[2].read, 1801);
  EXPECT_EQ(all.crowding.at(64), 3010);
}

TEST(ReuseDistances, AreNamedWhereSetsMayDecide) {
  const CacheLevel holds_all{.name = "L2", .bytes = 1 << 20, .ways = 8}, holds_none{.name = "L1", .bytes = 32 << 10, .ways = 8};
  ReuseDistances one_after_the_other = three_sweeps(), crowded = three_sweeps();
  crowded.crowding = {{64, 16.0 * 3000}, {1024, 16.0 * 1000}};
  EXPECT_DOUBLE_EQ(crowding_in(one_after_the_other, holds_none), 1);
  EXPECT_DOUBLE_EQ(crowding_in(crowded, holds_none), 16);
  EXPECT_FALSE(may_conflict(one_after_the_other, holds_all));
  EXPECT_TRUE(may_conflict(crowded, holds_all));
  EXPECT_FALSE(may_conflict(crowded, holds_none)) << "nothing is lost that it could have kept";
  EXPECT_EQ(crowding_in(crowded, {.name = "L1", .bytes = 1024, .ways = 8}), 0) << "of 2 sets nothing is known";
}

TEST(ReuseDistances, AreAsLongWhereTheyCameMoreOften) {
  ReuseDistances twice = three_sweeps();
  scale(twice, 2);
  EXPECT_EQ(traffic_below(twice, 512 * 64).bytes(), 2 * traffic_below(three_sweeps(), 512 * 64).bytes());
  EXPECT_EQ(twice.buckets[1].lines_from, 992);
  EXPECT_EQ(twice.crowding.at(64), 6000);
}

}  // namespace
}  // namespace plumbline
