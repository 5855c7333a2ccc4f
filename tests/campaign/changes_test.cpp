#include "campaign/changes.hpp"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(changes, a_campaign_measures_as_itself) { EXPECT_TRUE(measured_otherwise(Campaign{}, Campaign{}).empty()); }

TEST(changes, how_cases_are_timed_placed_and_counted_is_told_with_both_values) {
  Campaign before, now;
  before.timing.min_seconds = 0.02;
  now.timing.min_seconds = 0.05;
  now.timing.ci_relative = before.timing.ci_relative / 2;
  now.timing.max_repetitions = before.timing.max_repetitions + 1;
  now.oversubscribe = !before.oversubscribe;
  now.placement = Placement::distribute;
  before.placement = Placement::every_node;
  now.emulated.caches.value = "other.toml";
  const auto changes = measured_otherwise(now, before);
  ASSERT_EQ(changes.size(), 6U);
  EXPECT_EQ(changes[0], "[timing] min_seconds was 0.02 and is 0.05");
  EXPECT_EQ(changes[3], "placement was every_node and is distribute");
}

TEST(changes, what_is_asked_for_does_not_matter) {
  Campaign now;
  now.name = "other";
  now.seed = 4242;
  now.budget_seconds = 1;
  now.time = false;
  now.counters = "none";
  now.ceilings.mode = CeilingsMode::full;
  now.deadline.factor = 100;
  now.journal.sync_seconds = 30;
  EXPECT_TRUE(measured_otherwise(now, Campaign{}).empty());
}

}  // namespace
}  // namespace plumbline
