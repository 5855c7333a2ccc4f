// Two files are held beside each other: which rows are held against each other, and what the verdicts say.
#include "model/comparing/comparison.hpp"

#include <gtest/gtest.h>

namespace {

using namespace plumbline;

Observation observed(const std::string& what, const std::string& node, double value, const std::string& unit = "seconds") {
  Observation one{.key = {what, node}, .row_class = "compute", .unit = unit, .clock_hz = 3e9};
  one.sessions.emplace_back();
  for (int i = 0; i < 20; ++i) one.sessions.front().push_back(value * (1 + 0.001 * (i % 5)));
  return one;
}

Side side(std::vector<Observation> observations, const std::string& kind = "one kind") {
  Side one{.observations = std::move(observations)};
  for (const auto& o : one.observations) one.machines[o.key.node] = kind;
  return one;
}

Compared only_row(const Side& before, const Side& after, std::optional<double> threshold = {}) {
  const auto comparison = compare(before, after, threshold);
  EXPECT_EQ(comparison.rows.size(), 1U);
  return comparison.rows.front();
}

const std::string one_case = "validation/triad/fp64/n=1000/r1t1/gcc12-O3-v3";

TEST(Compare, seconds_that_grow_and_rates_that_fall_are_slower) {
  EXPECT_EQ(only_row(side({observed(one_case, "n", 1)}), side({observed(one_case, "n", 1.2)})).verdict, Verdict::slower);
  EXPECT_EQ(only_row(side({observed(one_case, "n", 1.2)}), side({observed(one_case, "n", 1)})).verdict, Verdict::faster);
  const auto rate = only_row(side({observed("ceiling/x", "n", 120, "GB/s")}), side({observed("ceiling/x", "n", 100, "GB/s")}));
  EXPECT_EQ(rate.verdict, Verdict::slower);
  EXPECT_NEAR(rate.judged.slowdown, 1.2, 1e-3);
  EXPECT_GT(rate.before, rate.after);
}

TEST(Compare, the_same_is_same_and_what_the_threshold_cuts_is_ambiguous) {
  EXPECT_EQ(only_row(side({observed(one_case, "n", 1)}), side({observed(one_case, "n", 1.001)})).verdict, Verdict::same);
  EXPECT_EQ(only_row(side({observed(one_case, "n", 1)}), side({observed(one_case, "n", 1.03)}), 0.03).verdict, Verdict::ambiguous);
}

TEST(Compare, what_was_disturbed_throughout_makes_nothing_faster_or_slower) {
  auto disturbed = observed(one_case, "n", 2);
  disturbed.disturbed = true;
  const Side slow = side({disturbed}), fast = side({observed(one_case, "n", 1)});
  EXPECT_EQ(only_row(slow, fast).verdict, Verdict::ambiguous);
  EXPECT_NE(only_row(slow, fast).explanation.find("every sample before was disturbed"), std::string::npos);
  EXPECT_EQ(only_row(fast, slow).verdict, Verdict::ambiguous);
  EXPECT_EQ(only_row(slow, side({observed(one_case, "n", 3)})).verdict, Verdict::slower) << "even than what took too long";
}

TEST(Compare, a_spread_that_is_seen_raises_the_threshold) {
  auto wild = observed(one_case, "n", 1);
  for (std::size_t i = 0; i < 20; ++i) wild.sessions.front()[i] = 1 + 0.1 * static_cast<double>(i % 5);
  const auto comparison = compare(side({wild}), side({wild}), {});
  EXPECT_GT(comparison.classes.front().threshold, 0.1);
  EXPECT_GT(comparison.classes.front().smallest_detectable, comparison.classes.front().threshold);
}

TEST(Compare, like_nodes_of_other_names_are_compared_together_and_unlike_ones_are_not) {
  const auto before = side({observed(one_case, "a", 1), observed(one_case, "b", 1)}), after = side({observed(one_case, "c", 1.2)});
  const auto row = only_row(before, after);
  EXPECT_EQ(row.key.node, "a, b -> c");
  EXPECT_EQ(row.verdict, Verdict::slower);
  const auto unlike = compare(before, side({observed(one_case, "c", 1)}, "another"), {});
  ASSERT_EQ(unlike.rows.size(), 3U);
  for (const auto& one : unlike.rows) {
    EXPECT_NE(one.status, Status::ok);
    EXPECT_NE(one.reason.find("other machine: "), std::string::npos) << one.reason;
  }
}

TEST(Compare, ceilings_of_unlike_loops_are_compared_and_it_is_said) {
  auto before = observed("ceiling/x", "n", 100, "GB/s"), after = observed("ceiling/x", "n", 80, "GB/s");
  before.form = "bumped v4";
  before.flavor = "gcc12-O3-v4";
  after.form = "bumped v3";
  after.flavor = "gcc12-O3-v3";
  after.clock_hz = 2.4e9;
  const auto row = only_row(side({before}), side({after}));
  EXPECT_EQ(row.verdict, Verdict::slower);
  EXPECT_TRUE(row.explanation.starts_with("the best loop is another: bumped v4 -> bumped v3; clock 3.00 -> 2.40")) << row.explanation;
  after.flavor = "clang14-O3-v3";
  EXPECT_NE(only_row(side({before}), side({after})).reason.find("other flavor: "), std::string::npos);
  after = before;
  EXPECT_EQ(only_row(side({before}), side({after})).explanation, "");
  after.form.clear();  // of an older version
  EXPECT_EQ(only_row(side({before}), side({after})).explanation, "");
}

TEST(Compare, what_is_not_there_says_why) {
  const auto flavors =
      compare(side({observed(one_case, "n", 1)}), side({observed("validation/triad/fp64/n=1000/r1t1/clang14-O3-v3", "n", 1)}), {});
  ASSERT_EQ(flavors.rows.size(), 2U);
  EXPECT_NE(flavors.rows[0].reason.find("other flavor: "), std::string::npos);
  EXPECT_EQ(only_row(side({observed(one_case, "n", 1)}), side({})).reason, "missing: not in the second file");
  auto failed = observed(one_case, "n", 1);
  failed.status = Status::failed;
  failed.reason = "killed";
  const auto row = only_row(side({observed(one_case, "n", 1)}), side({failed}));
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(row.reason, "in the second file: killed");
}

TEST(Compare, a_clock_that_differs_is_named) {
  auto slow = observed(one_case, "n", 1.25);
  slow.clock_hz = 2.4e9;
  const auto row = only_row(side({observed(one_case, "n", 1)}), side({slow}));
  EXPECT_EQ(row.explanation, "clock 3.00 -> 2.40 GHz (-20.0 %), which alone explains it");
  EXPECT_EQ(clock_explanation(3e9, 2.4e9, 2.0), "clock 3.00 -> 2.40 GHz (-20.0 %)");
  EXPECT_EQ(clock_explanation(3e9, 2.99e9, 1.2), "");
  EXPECT_EQ(clock_explanation(absent, 2e9, 1.2), "");
}

TEST(Compare, a_smaller_interval_sees_smaller_changes) {
  EXPECT_NEAR(smallest_detectable(0.03, 0), 0.03, 1e-12);
  EXPECT_LT(smallest_detectable(0.03, 0.01), smallest_detectable(0.03, 0.02));
}

}  // namespace
