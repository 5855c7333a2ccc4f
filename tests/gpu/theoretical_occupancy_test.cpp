#include "gpu/theoretical_occupancy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plumbline {
namespace {

/// An H200's: 64 warps a multiprocessor.
GpuProperties with_room(int threads = 2048) {
  GpuProperties gpu;
  gpu.threads_per_multiprocessor = threads;
  return gpu;
}

KernelLaunch launched(unsigned threads, int resident_blocks) {
  return {.function = "k", .grid = {1, 1, 1}, .block = {threads, 1, 1}, .resident_blocks = resident_blocks};
}

TEST(TheoreticalOccupancy, is_of_whole_warps_whatever_the_grid) {
  const auto one = theoretical_occupancy(std::vector{launched(256, 4)}, with_room());
  EXPECT_TRUE(one.is_known());
  EXPECT_DOUBLE_EQ(one.least, 0.5);
  EXPECT_EQ(one.most, one.least);
  EXPECT_DOUBLE_EQ(theoretical_occupancy(std::vector{launched(33, 1)}, with_room()).most, 2.0 / 64) << "a part of a warp takes one";
  EXPECT_DOUBLE_EQ(theoretical_occupancy(std::vector{launched(256, 4)}, with_room(1024)).most, 1);
}

TEST(TheoreticalOccupancy, of_several_kernels_is_the_least_and_the_most_of_those_that_are_known) {
  const auto all = theoretical_occupancy(std::vector{launched(128, 16), launched(1024, 1), launched(32, 16), launched(64, 0)}, with_room());
  EXPECT_DOUBLE_EQ(all.least, 0.25);
  EXPECT_DOUBLE_EQ(all.most, 1);
}

TEST(TheoreticalOccupancy, that_is_not_known_is_absent_with_the_reason) {
  const KernelLaunch graph;
  const std::vector<std::vector<KernelLaunch>> unknown{{}, {graph}, {launched(64, 0)}};
  const char* const reasons[] = {"library", "graph", "did not tell"};
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const auto none = theoretical_occupancy(unknown[i], with_room());
    EXPECT_FALSE(none.is_known());
    EXPECT_NE(none.least, none.least);
    EXPECT_NE(none.reason.find(reasons[i]), std::string::npos) << none.reason;
  }
  EXPECT_FALSE(theoretical_occupancy(std::vector{launched(64, 1)}, with_room(0)).is_known());
}

}  // namespace
}  // namespace plumbline
