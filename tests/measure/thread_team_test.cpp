#include "measure/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

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

TEST(thread_team, throws_what_a_thread_threw_when_all_are_done) {
  for (int n : {1, 2, 3}) {
    const ThreadTeam team(n);
    std::atomic<int> done{0};
    const auto last_throws = [&](int thread) {
      if (thread == n - 1) throw std::runtime_error("no code for it");
      ++done;
    };
    try {
      team.run_and_rethrow(last_throws);
      ADD_FAILURE() << "nothing was thrown by one of " << n;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "no code for it");
    }
    EXPECT_EQ(done, n - 1);
    team.run([&](int) { ++done; });
    EXPECT_EQ(done, 2 * n - 1) << "the team runs on";
  }
}

}  // namespace
}  // namespace plumbline
