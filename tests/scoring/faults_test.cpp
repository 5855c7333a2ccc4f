// Wrong counters are caught, with the right reason, and right ones are not accused.
#include <gtest/gtest.h>

#include <iostream>

#include "trial.hpp"

namespace plumbline {
namespace {

using test::Tried;

constexpr std::uint64_t seeds = 20;

TEST(SeededFaults, all_above_their_limit_are_caught_for_the_right_reason_and_no_right_counter_is_accused) {
  std::size_t right = 0, wrong = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const Tried& tried : test::trial(seed, test::known_faults())) {
      const auto where = [&] {
        return "seed " + std::to_string(seed) + ", " + tried.fault + " " + std::to_string(tried.magnitude) + ", held against " +
               tried.score.quantity + ": " + tried.score.grade + ", " + tried.score.reason;
      };
      if (tried.fault == "right") {
        ++right;
        EXPECT_EQ(tried.score.grade, 'A') << where();
      } else {
        ++wrong;
        EXPECT_TRUE(tried.caught) << where();
        EXPECT_TRUE(tried.explained) << where();
      }
    }
  std::cout << right << " right counters, " << wrong << " wrong ones\n";
}

}  // namespace
}  // namespace plumbline
