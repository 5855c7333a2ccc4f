// Nights that were never measured: what `check` finds in each kind of them.
#include "model/comparing/night_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "model/statistics/control_chart.hpp"

namespace {

using namespace plumbline;

CheckedSeries quiet(double after, std::size_t nights = 14) {
  CheckedSeries series{.key = {"a", "n"}, .row_class = "compute", .unit = "seconds"};
  for (std::size_t i = 0; i < nights; ++i) series.before.push_back(0.001 * static_cast<double>(i % 3));
  series.sample_scatter = 0.002;
  series.after = after;
  return series;
}

NightFinding finding_of(const CheckedSeries& series, CheckOptions options = {}) {
  return check_night(std::span(&series, 1), options).rows.front().finding;
}

TEST(Check, a_change_below_the_practical_threshold_is_none_however_sure) {
  EXPECT_EQ(finding_of(quiet(std::log(1.02))), NightFinding::ok);
  EXPECT_EQ(finding_of(quiet(std::log(1.02)), {.threshold = 0.001}), NightFinding::slower);
}

TEST(Check, what_became_faster_is_told_and_is_no_regression) { EXPECT_EQ(finding_of(quiet(std::log(0.8))), NightFinding::faster); }

TEST(Check, a_night_that_is_unsure_of_itself_accuses_nobody) {
  auto series = quiet(std::log(1.10));
  EXPECT_EQ(finding_of(series), NightFinding::slower);
  series.after_half_width = 0.068;
  EXPECT_EQ(finding_of(series), NightFinding::ok) << "its own interval reaches down to what does not matter";
}

TEST(Check, one_or_two_nights_make_nothing_worse_than_suspect) {
  EXPECT_EQ(finding_of(quiet(1.0, 0)), NightFinding::no_baseline);
  for (const std::size_t nights : {1UL, 2UL}) EXPECT_EQ(finding_of(quiet(std::log(1.5), nights)), NightFinding::suspect) << nights;
  EXPECT_EQ(finding_of(quiet(std::log(1.5), 3)), NightFinding::slower);
}

TEST(Check, peers_side_by_side_are_known_from_one) {
  EXPECT_EQ(finding_of(quiet(std::log(1.5), 1), {.in_sequence = false}), NightFinding::slower);
}

TEST(Check, what_was_disturbed_is_held_against_nobody) {
  auto series = quiet(std::log(1.5));
  series.after_disturbed = true;
  series.after_excuse = 4;
  EXPECT_EQ(finding_of(series), NightFinding::disturbed);
  series.after = std::log(5.0);
  EXPECT_EQ(finding_of(series), NightFinding::slower) << "those that were beside it do not explain that much";
}

TEST(Check, suspicious_nights_in_turn_are_a_finding) {
  std::vector<CheckedSeries> rows(200, quiet(0));
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 0.01);
  for (auto& row : rows) {
    for (double& night : row.before) night = normal(random);
    row.after = normal(random);
  }
  rows[7].after = 0.075;
  EXPECT_EQ(check_night(rows, {}).rows[7].finding, NightFinding::suspect) << "beyond what it scatters, but one of 200 rows";
  for (auto& row : rows) row.before.push_back(row.after);
  const Checked second = check_night(rows, {});
  EXPECT_EQ(second.rows[7].nights_in_turn, 2U);
  EXPECT_EQ(second.rows[7].finding, NightFinding::slower);
  EXPECT_EQ(second.rows[7].suspicious_nights, 2U);
}

TEST(Check, what_a_night_did_to_all_is_the_nodes_and_not_the_rows) {
  std::vector<CheckedSeries> rows;
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 0.004);
  for (int i = 0; i < 40; ++i) {
    CheckedSeries row = quiet(0);
    row.key = {std::to_string(i), "n"};
    for (double& night : row.before) night = normal(random);
    row.after = std::log(1.1) + normal(random) + (i == 3 ? std::log(1.15) : 0);
    rows.push_back(std::move(row));
  }
  const Checked checked = check_night(rows, {});
  ASSERT_EQ(checked.whole_nodes.size(), 1U);
  EXPECT_EQ(checked.whole_nodes[0].night.finding, NightFinding::slower);
  EXPECT_NEAR(checked.whole_nodes[0].night.slowdown, 1.1, 0.005);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(checked.rows[static_cast<std::size_t>(i)].finding, i == 3 ? NightFinding::slower : NightFinding::ok) << i;
  EXPECT_NEAR(checked.rows[3].slowdown, 1.1 * 1.15, 0.02);
  EXPECT_NEAR(checked.rows[3].movement, 1.1, 0.005);
}

/// Rows of a node in which nothing changed; each night has its own noise.
std::vector<CheckedSeries> steady_rows(std::size_t count, unsigned seed) {
  std::vector<CheckedSeries> rows;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 0.004);
  for (std::size_t i = 0; i < count; ++i) {
    CheckedSeries row = quiet(0);
    row.key = {"validation/triad/fp64/n=" + std::to_string(i) + "/r1t1/gcc12-" + (i % 4 == 0 ? "O0" : "O3") + "-v3", "n"};
    for (double& night : row.before) night = normal(random);
    row.after = normal(random);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(Check, what_rows_share_that_became_slower_is_named) {
  auto rows = steady_rows(60, 6);
  EXPECT_TRUE(check_night(rows, {}).parts.empty());
  for (std::size_t i = 0; i < rows.size(); i += 4) rows[i].after += std::log(1.06);
  const Checked checked = check_night(rows, {});
  ASSERT_EQ(checked.parts.size(), 1U);
  EXPECT_EQ(checked.parts[0].word, "O0");
  EXPECT_EQ(checked.parts[0].rows, 15U);
  EXPECT_EQ(checked.parts[0].night.finding, NightFinding::slower);
  EXPECT_NEAR(checked.parts[0].night.slowdown, 1.06, 0.005);
  EXPECT_EQ(checked.whole_nodes[0].night.finding, NightFinding::ok);
  for (auto& row : rows) row.after += std::log(1.1);  // the node beside it
  const Checked both = check_night(rows, {});
  EXPECT_EQ(both.parts.at(0).word, "O0");
  EXPECT_EQ(both.whole_nodes[0].night.finding, NightFinding::slower);
  EXPECT_NEAR(both.whole_nodes[0].night.slowdown, 1.1, 0.005) << "of the others";
}

TEST(Check, a_part_of_which_only_some_rows_are_slower_is_not_named_for_them) {
  auto rows = steady_rows(60, 7);
  for (std::size_t i = 0; i < rows.size(); i += 4) rows[i].after += i % 12 != 0 ? std::log(1.2) : 0;  // two of three
  EXPECT_TRUE(check_night(rows, {}).parts.empty());
}

TEST(Check, half_of_a_nodes_rows_are_named_beside_the_half_that_stayed) {
  auto rows = steady_rows(60, 8);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i % 4 == 1 || i % 4 == 0)
      rows[i].after += std::log(1.2), rows[i].key.what = "ceiling/some " + std::to_string(i);
    else
      rows[i].key.what = "ceiling/other " + std::to_string(i);
  const Checked checked = check_night(rows, {});
  EXPECT_EQ(checked.whole_nodes[0].night.finding, NightFinding::slower);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(checked.rows[i].finding, i % 4 < 2 ? NightFinding::slower : NightFinding::ok) << i;
    EXPECT_NEAR(checked.rows[i].slowdown, i % 4 < 2 ? 1.2 : 1, 0.03) << i;
  }
}

TEST(Check, a_node_whose_nights_are_all_disturbed_is_judged_by_what_others_did_not_take) {
  auto rows = steady_rows(40, 9);
  std::mt19937 random(9);
  std::normal_distribution<double> normal(0, 0.004);
  for (auto& row : rows) {
    for (std::size_t night = 7; night < row.before.size(); ++night) row.unshared_before[night] = row.before[night];
    row.before.resize(7);
    row.after_disturbed = true;
    row.unshared_after = row.after;
    row.after += std::log(3.0);
    row.after_excuse = 6;
  }
  Checked checked = check_night(rows, {});
  EXPECT_EQ(checked.whole_nodes.at(0).night.finding, NightFinding::ok);
  EXPECT_EQ(checked.rows[5].finding, NightFinding::disturbed);
  for (auto& row : rows) row.after += std::log(1.1), row.unshared_after += std::log(1.1);
  checked = check_night(rows, {});
  EXPECT_EQ(checked.whole_nodes.at(0).night.finding, NightFinding::slower);
  EXPECT_NEAR(checked.whole_nodes.at(0).night.slowdown, 1.1, 0.005);
}

TEST(Check, repetitions_that_scatter_make_a_night_that_accuses_nobody) {
  auto rows = steady_rows(150, 10);
  std::mt19937 random(10);
  std::normal_distribution<double> normal(0, 0.05);
  for (auto& row : rows) row.after += normal(random), row.after_half_width = 0.1;
  const Checked checked = check_night(rows, {});
  for (const auto& row : checked.rows) EXPECT_NE(row.finding, NightFinding::slower) << row.slowdown;
}

TEST(Check, more_rows_need_a_greater_distance) {
  std::vector<CheckedSeries> many(1000, quiet(0));
  for (std::size_t i = 0; i < many.size(); ++i) many[i].key.node = std::to_string(i);  // or they would be one node's
  const auto few = check_night(std::span(many).first(100), {}), all = check_night(many, {});
  EXPECT_LT(few.rows.front().hi, all.rows.front().hi);
  EXPECT_DOUBLE_EQ(few.summary.probability_of_row, 10 * all.summary.probability_of_row);
}

TEST(Check, the_cost_of_a_rate_is_its_inverse) {
  EXPECT_GT(log_cost(10, "GB/s"), log_cost(20, "GB/s"));
  EXPECT_LT(log_cost(10, "seconds"), log_cost(20, "seconds"));
  EXPECT_DOUBLE_EQ(value_of(log_cost(12.5, "GB/s"), "GB/s"), 12.5);
}

TEST(ControlChart, limits_hold_against_one_wild_night) {
  std::vector<double> nights{0, 0.01, -0.01, 0.005, -0.005, 0.01, -0.01, 0, 1.0};
  const auto chart = control_chart(nights);
  EXPECT_LT(chart.upper, 0.06);
  EXPECT_EQ(chart.outside, std::vector<std::size_t>{8});
}

TEST(ControlChart, a_slow_drift_creeps_without_any_night_outside) {
  std::vector<double> nights;
  std::mt19937 random(4);
  std::normal_distribution<double> normal(0, 0.01);
  for (int i = 0; i < 40; ++i) nights.push_back(normal(random));
  EXPECT_FALSE(control_chart(nights).creeps());
  for (int i = 0; i < 10; ++i) nights.push_back(0.02 + 0.3 * normal(random));
  const auto chart = control_chart(nights);
  EXPECT_TRUE(chart.creeps());
  EXPECT_GT(chart.ewma, 0);
}

TEST(ControlChart, few_nights_have_no_limits) { EXPECT_EQ(control_chart(std::vector<double>{1, 2, 3}).upper, 2); }

}  // namespace
