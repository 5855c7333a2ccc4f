#include "app/here/counting_plan.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "counters/registry.hpp"

namespace plumbline::app {
namespace {

const Availability here{}, no_valgrind{Status::unavailable, "valgrind is not on PATH"};

class counting_plan : public testing::Test {
 protected:
  void SetUp() override {
    if (make_backend("emulated")->groups().empty()) GTEST_SKIP() << "SKIP: the emulator is not compiled in";
  }
};

std::string refusal(std::string_view counters, const Availability& emulator = here) {
  try {
    plan_counting(counters, emulator, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    return error.what();
  }
  return "";
}

TEST_F(counting_plan, none_counts_nothing_and_skips_nothing) {
  const CountingPlan plan = plan_counting("none", here, {});
  EXPECT_TRUE(plan.groups.empty());
  EXPECT_TRUE(plan.skipped.empty());
}

TEST_F(counting_plan, auto_takes_the_emulated_counters_as_one_group_of_the_worker) {
  const CountingPlan plan = plan_counting("auto", here, {});
  ASSERT_FALSE(plan.groups.empty());
  EXPECT_EQ(plan.groups.front().backend, "emulated");
  EXPECT_TRUE(plan.groups.front().what.emulated);
  EXPECT_TRUE(plan.needs_worker());
}

TEST_F(counting_plan, auto_without_the_emulator_skips_it_with_the_reason) {
  const CountingPlan plan = plan_counting("auto", no_valgrind, {});
  EXPECT_FALSE(plan.needs_worker());
  EXPECT_NE(plan.why_skipped().find("emulated: unavailable: valgrind is not on PATH"), std::string::npos) << plan.why_skipped();
}

TEST_F(counting_plan, a_named_backend_that_cannot_be_had_is_refused_with_the_reason) {
  EXPECT_NE(refusal("emulated", no_valgrind).find("valgrind is not on PATH"), std::string::npos);
}

TEST_F(counting_plan, chosen_events_of_a_backend_are_one_wish) {
  const CountingPlan plan = plan_counting("emulated:loads,emulated:stores", here, {});
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups.front().what.events, (std::vector<std::string>{"loads", "stores"}));
}

TEST_F(counting_plan, unknown_names_are_refused_with_the_nearest) {
  EXPECT_NE(refusal("emulatde").find("did you mean 'emulated'"), std::string::npos) << refusal("emulatde");
  const std::string event = refusal("emulated:flops.fp64.ad");
  EXPECT_NE(event.find("did you mean 'emulated:flops.fp64.add'"), std::string::npos) << event;
  EXPECT_NE(refusal("emulated,,emulated").find("''"), std::string::npos);
}

TEST_F(counting_plan, keys_tell_groups_apart_by_backend_and_events) {
  const auto keys = [](std::string_view counters) { return plan_counting(counters, here, {}).keys(); };
  EXPECT_EQ(keys("emulated:loads"), keys("emulated:loads"));
  EXPECT_NE(keys("emulated:loads"), keys("emulated:stores"));
  EXPECT_NE(keys("emulated"), keys("emulated:loads"));
}

TEST_F(counting_plan, the_other_ranks_of_a_node_are_told_all_of_it) {
  CountingPlan plan = plan_counting("auto", no_valgrind, {});
  plan.groups = plan_counting("emulated:loads", here, {}).groups;
  plan.groups.front().number = 3;
  const CountingPlan told = counting_plan_from(to_text(plan));
  EXPECT_EQ(to_text(told), to_text(plan));
  EXPECT_EQ(told.keys(), plan.keys());
  EXPECT_EQ(told.why_skipped(), plan.why_skipped());
}

}  // namespace
}  // namespace plumbline::app
