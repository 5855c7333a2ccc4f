// The edges of caches in sweeps that were made by hand, and in one that was measured on a Zen 3.
#include "model/ceilings/cache_edge.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

/// Loads of one core of a Zen 3 from its L3 of 32 MiB, which others use, too, and from memory: MiB and GB/s, best of ten rounds
/// (2026-11-28).
const std::vector<SweptRate> of_zen3{{2 << 20, 79.5},  {5 << 20, 79.5},  {9 << 20, 72.5},  {18 << 20, 44.8},
                                     {36 << 20, 29.3}, {72 << 20, 25.3}, {128 << 20, 22.7}};

TEST(CacheEdge, a_byte_takes_the_mean_of_both_times) {
  const auto edge = cache_edge({{1, 100}, {2, 50}, {4, 25}}, 100, 25);
  ASSERT_EQ(edge.size(), 3U);
  EXPECT_DOUBLE_EQ(edge[0].part, 0);
  EXPECT_DOUBLE_EQ(edge[1].part, (0.02 - 0.01) / (0.04 - 0.01));
  EXPECT_DOUBLE_EQ(edge[2].part, 1);
  EXPECT_DOUBLE_EQ(part_beyond(edge, 0.5), 0);
  EXPECT_DOUBLE_EQ(part_beyond(edge, 2), edge[1].part);
  EXPECT_NEAR(part_beyond(edge, std::sqrt(8)), (edge[1].part + 1) / 2, 1e-12) << "half way by the logarithm";
  EXPECT_DOUBLE_EQ(part_beyond(edge, 1e9), 1);
}

TEST(CacheEdge, a_shared_cache_ends_over_three_octaves) {
  const auto edge = cache_edge(of_zen3, 79.5, 22.7);
  EXPECT_NEAR(part_beyond(edge, 16 << 20), 0.25, 0.05);
  EXPECT_NEAR(part_beyond(edge, 36 << 20), 0.7, 0.03);
  double last = 0;
  for (double bytes = 1 << 20; bytes < 1 << 28; bytes *= 1.1) {
    const double part = part_beyond(edge, bytes);
    EXPECT_GE(part, last) << bytes;
    EXPECT_LE(part, 1) << bytes;
    last = part;
  }
}

TEST(CacheEdge, a_disturbed_point_does_not_make_a_small_working_set_leave_the_cache) {
  auto disturbed = of_zen3;
  disturbed[1].gbs = 30;
  EXPECT_DOUBLE_EQ(part_beyond(cache_edge(disturbed, 79.5, 22.7), 5 << 20), part_beyond(cache_edge(of_zen3, 79.5, 22.7), 9 << 20));
}

TEST(CacheEdge, levels_that_stream_alike_tell_no_edge) {
  EXPECT_TRUE(cache_edge({{1, 100}, {2, 95}, {4, 92}}, 100, 92).empty());
  EXPECT_TRUE(cache_edge({}, 0, 0).empty());
  EXPECT_TRUE(cache_edge({{1, 100}, {2, 95}}, 100, 0).empty()) << "nothing was measured behind it";
}

}  // namespace
}  // namespace plumbline
