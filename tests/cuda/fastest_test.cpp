#include "cuda/fastest.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace plumbline {
namespace {

constexpr double refused = std::numeric_limits<double>::quiet_NaN();

std::optional<std::size_t> fastest_of(const std::vector<double>& seconds) {
  return fastest(seconds.size(), [&](std::size_t way) { return seconds[way]; });
}

TEST(fastest, is_the_first_of_the_least_of_those_that_can_be_gone) {
  EXPECT_EQ(fastest_of({3, 1, 2}), 1U);
  EXPECT_EQ(fastest_of({2, 1, 1}), 1U);
  EXPECT_EQ(fastest_of({refused, 5, refused, 4}), 3U);
  EXPECT_EQ(fastest_of({refused, refused}), std::nullopt);
  EXPECT_EQ(fastest_of({}), std::nullopt);
}

TEST(fastest, is_timed_for_a_millisecond_but_long_work_once_and_short_work_not_for_ever) {
  EXPECT_EQ(times_to_time(0.02), 1);
  EXPECT_EQ(times_to_time(1e-3), 1);
  EXPECT_EQ(times_to_time(4e-4), 3);
  EXPECT_EQ(times_to_time(1e-6), 50);
  EXPECT_EQ(times_to_time(0), 50);
}

}  // namespace
}  // namespace plumbline
