// Wrong counters are caught, with the right reason, and right ones are not accused.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

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

nlohmann::json golden(const std::string& name) {
  std::ifstream file(std::string(PLUMBLINE_GOLDEN) + "/" + name);
  return nlohmann::json::parse(file).at("rows");
}

TEST(SeededFaults, the_stated_limits_are_where_the_stored_curves_have_reached_all) {
  std::map<std::string, nlohmann::json> stored;
  for (const auto& row : golden("scoring_limits.json")) stored[row.at("fault")] = row;
  for (const auto& fault : test::known_faults()) {
    if (fault.curve.empty()) continue;
    ASSERT_TRUE(stored.contains(fault.name)) << fault.name;
    EXPECT_EQ(stored[fault.name].at("limit"), fault.limit) << fault.name;
    std::size_t at_or_above = 0;
    for (const auto& point : stored[fault.name].at("curve"))
      if (point.at("magnitude") >= fault.limit) {
        ++at_or_above;
        EXPECT_EQ(point.at("explained"), 1) << fault.name << " " << point;
      }
    EXPECT_GT(at_or_above, 0U) << fault.name;
  }
}

TEST(SeededFaults, kinds_never_used_for_tuning_are_caught_as_often_as_reported) {
  constexpr std::uint64_t few = 3;
  std::map<std::string, std::uint64_t> caught;
  for (std::uint64_t seed = 1; seed <= few; ++seed)
    for (const Tried& tried : test::trial(seed, test::unseen_faults())) caught[tried.fault] += tried.caught;
  for (const auto& row : golden("scoring_unseen.json"))
    if (row.at("caught") == row.at("seeds")) {
      EXPECT_EQ(caught[row.at("fault")], few) << row;
    }
}

}  // namespace
}  // namespace plumbline
