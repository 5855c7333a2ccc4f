#include "measure/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

namespace plumbline {
namespace {

TEST(part_of, covers_the_range_once_in_whole_grains) {
  for (std::size_t extent : {0U, 1U, 15U, 16U, 17U, 1000U})
    for (int threads : {1, 2, 3, 7}) {
      std::size_t next = 0;
      for (int t = 0; t < threads; ++t) {
        const auto [begin, end] = part_of(extent, 16, t, threads);
        EXPECT_EQ(begin, next);
        EXPECT_TRUE(begin % 16 == 0 || begin == extent);
        next = end;
      }
      EXPECT_EQ(next, extent);
    }
}

TEST(thread_team, runs_every_thread_once) {
  for (int n : {1, 2, 3}) {
    const ThreadTeam team(n);
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
    team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace plumbline
