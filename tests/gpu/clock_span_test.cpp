#include "gpu/clock_span.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plumbline {
namespace {

/// A multiprocessor that made so many cycles in a millisecond.
ClockSpan at(double hz) { return {5, 5 + static_cast<std::uint64_t>(hz * 1e-3), 1'000'000, 2'000'000}; }

TEST(median_hz, is_that_of_the_multiprocessors_that_were_seen_at_both_ends) {
  const ClockSpan unseen{}, never_ended{5, 0, 1'000'000, 0}, never_began{0, 5'000'000, 0, 2'000'000};
  EXPECT_DOUBLE_EQ(median_hz(std::vector{unseen, at(1.2e9), never_ended, at(1.9e9), at(1.5e9), never_began}), 1.5e9);
  EXPECT_TRUE(std::isnan(median_hz(std::vector{unseen, never_ended, never_began})));
  EXPECT_TRUE(std::isnan(median_hz({})));
}

TEST(median_hz, is_not_told_of_a_span_that_the_timers_steps_would_decide) {
  const ClockSpan shorter{5, 150'005, 1'000'000, 1'099'000};
  EXPECT_TRUE(std::isnan(median_hz(std::vector{shorter})));
}

}  // namespace
}  // namespace plumbline
