// Nights that were never measured: how often `check` names a node that did not change, and one that did.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/control_chart.hpp"
#include "model/night_check.hpp"

namespace {

using namespace plumbline;

/// Rows of four nodes, 25 things each. A night differs by what the whole node has (which wanders), what a row has, and now and then by
/// much.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed), drift_(nodes, 0) {}

  static constexpr std::size_t nodes = 4, things = 25;

  std::vector<double> night() {
    std::vector<double> costs;
    std::student_t_distribution<double> heavy(4);
    std::normal_distribution<double> normal;
    for (double& drift : drift_) {
      drift = 0.8 * drift + 0.003 * normal(random_);
      for (std::size_t thing = 0; thing < things; ++thing) costs.push_back(drift + scatter_of_thing(thing) * heavy(random_));
    }
    return costs;
  }

  /// From 0.5 % to 1.5 %.
  static double scatter_of_thing(std::size_t thing) { return 0.005 + 0.01 * static_cast<double>(thing) / things; }

 private:
  std::mt19937 random_;
  std::vector<double> drift_;
};

enum class Slow { row, node };

struct Trial {
  std::size_t false_alarms = 0, found = 0;  // rows named that did not change; trials in which what changed is named
};

/// `slowdown` of one thing on one node, or of all things on a node, in the last night; 0: of none.
Trial trial(unsigned seed, int nights, double slowdown, Slow what) {
  Machine machine(seed);
  std::vector<CheckedSeries> series(Machine::nodes * Machine::things);
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i].key = {std::to_string(i % Machine::things), std::to_string(i / Machine::things)};
    series[i].row_class = i % 2 == 0 ? "compute" : "mem";
    series[i].unit = "seconds";
    series[i].sample_scatter = 0.01;
  }
  for (int night = 0; night < nights; ++night) {
    const auto costs = machine.night();
    for (std::size_t i = 0; i < series.size(); ++i) series[i].before.push_back(costs[i]);
  }
  const auto costs = machine.night();
  const std::size_t slow = seed % series.size();
  const auto is_slow = [&](std::size_t i) {
    return slowdown > 0 && (what == Slow::row ? i == slow : i / Machine::things == slow / Machine::things);
  };
  for (std::size_t i = 0; i < series.size(); ++i) series[i].after = costs[i] + (is_slow(i) ? std::log1p(slowdown) : 0);
  const auto checked = check_night(series, {});
  Trial result;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const bool named = checked.rows[i].finding == NightFinding::slower;
    if (is_slow(i))
      result.found |= named;
    else
      result.false_alarms += named;
  }
  return result;
}

Trial trials(int count, int nights, double slowdown, Slow what = Slow::row) {
  Trial sum;
  for (int seed = 0; seed < count; ++seed) {
    const Trial one = trial(static_cast<unsigned>(seed), nights, slowdown, what);
    sum.false_alarms += one.false_alarms, sum.found += one.found;
  }
  return sum;
}

TEST(Check, names_an_unchanged_row_no_more_often_than_stated) {
  for (const int nights : {7, 14, 30}) {
    const Trial sum = trials(300, nights, 0);
    RecordProperty("false_alarms_" + std::to_string(nights), static_cast<int>(sum.false_alarms));
    EXPECT_LE(sum.false_alarms, 300 * 0.05 + 3 * std::sqrt(300 * 0.05)) << nights << " nights";
  }
}

TEST(Check, names_a_node_that_is_20_percent_slower) {
  const Trial sum = trials(100, 14, 0.20, Slow::node);
  RecordProperty("found", static_cast<int>(sum.found));
  EXPECT_GE(sum.found, 95U);
  EXPECT_LE(sum.false_alarms, 100 * 0.05 + 3 * std::sqrt(100 * 0.05));
}

TEST(Check, names_more_the_larger_the_slowdown) {
  std::size_t last = 0;
  for (const int percent : {5, 10, 15, 20, 30}) {
    const std::size_t row = trials(100, 14, percent / 100.0).found, node = trials(100, 14, percent / 100.0, Slow::node).found;
    RecordProperty("row_" + std::to_string(percent), static_cast<int>(row));
    RecordProperty("node_" + std::to_string(percent), static_cast<int>(node));
    EXPECT_GE(row, last) << percent;
    last = row;
  }
  EXPECT_GE(last, 95U);
}

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

TEST(Check, a_night_that_is_unsure_of_itself_is_suspect_and_not_slower) {
  auto series = quiet(std::log(1.10));
  EXPECT_EQ(finding_of(series), NightFinding::slower);
  series.after_half_width = 0.2;
  EXPECT_EQ(finding_of(series), NightFinding::suspect);
}

TEST(Check, without_nights_there_is_no_finding_and_one_night_will_do) {
  EXPECT_EQ(finding_of(quiet(1.0, 0)), NightFinding::no_baseline);
  EXPECT_EQ(finding_of(quiet(std::log(1.5), 1)), NightFinding::slower);
}

TEST(Check, more_rows_need_a_greater_distance) {
  std::vector<CheckedSeries> many(1000, quiet(0));
  const auto few = check_night(std::span(many).first(1), {}), all = check_night(many, {});
  EXPECT_LT(few.rows.front().hi, all.rows.front().hi);
  EXPECT_DOUBLE_EQ(all.summary.probability_of_row, 0.05 / 1000);
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
