#include "model/scoring/counter_conditions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/scoring/accuracy.hpp"
#include "model/statistics/time_agreement.hpp"
#include "samples.hpp"

namespace plumbline {
namespace {

Counter counter(const std::string& name, const std::string& event, const std::string& quantity, double weight = 1) {
  return {.name = "cupti " + name,
          .backend = "cupti",
          .terms = {{event, weight}},
          .quantities = {quantity},
          .kind = quantity == "seconds" ? Kind::time : Kind::flops};
}

const std::vector<Counter> kept_counters{counter("time", "ns", "seconds", 1e-9), counter("cycles", "cycles", "cycles"),
                                         counter("clock", "cycles.per_second", "hertz"),
                                         counter("occupancy", "percent", "occupancy", 0.01)};

std::vector<Counter> with_times_by_cycles() {
  std::vector<Counter> all = kept_counters;
  for (const auto& time : times_by_cycles(kept_counters)) all.push_back(time);
  return all;
}

/// Timed at 2 GHz in 1.00 to 1.02 ms.
Measured timed(const std::map<std::string, double>& counts) {
  Measured measured{.timed = {1e-3, 1.02e-3}, .clock_hz = 2e9};
  measured.counting = Status::ok;
  for (const auto& [event, value] : counts) measured.counts["cupti"][event] = {value, Status::ok, {}};
  return measured;
}

Bounds allowed(const std::map<std::string, double>& counts) {
  Measurements measurements;
  measurements.cases.push_back(timed(counts));
  return seconds_allowed(measurements, kept_counters).at(0);
}

TEST(CounterConditions, are_what_was_counted_and_why_what_was_not) {
  const auto at = conditions_of(timed({{"ns", 1.5e6}, {"cycles.per_second", 1.5e9}}), kept_counters);
  EXPECT_DOUBLE_EQ(at.seconds.value, 1.5e-3);
  EXPECT_EQ(at.clock_hz.value, 1.5e9);
  EXPECT_DOUBLE_EQ(at.clock_ratio(), 0.75);
  EXPECT_TRUE(at.is_of_another_clock());
  EXPECT_EQ(at.occupancy.status, Status::unavailable);
  EXPECT_EQ(at.occupancy.reason, "cupti did not count 'percent'");
}

TEST(CounterConditions, take_cycles_over_time_for_the_clock_where_no_rate_was_counted) {
  const auto at = conditions_of(timed({{"ns", 1e6}, {"cycles", 1.96e6}}), kept_counters);
  EXPECT_DOUBLE_EQ(at.clock_hz.value, 1.96e9);
  EXPECT_FALSE(at.is_of_another_clock()) << "2 % are within what clocks differ by";
  EXPECT_FALSE(conditions_of(timed({{"ns", 1e6}}), kept_counters).clock_hz.ok());
}

/// Two GPUs, of which the second takes 3, 5 and 4 ms at half the clock, the first 1 ms.
TEST(CounterConditions, of_several_gpus_have_the_time_of_the_slowest_and_mean_clocks) {
  Results results;
  test::add(results, {.flavor = "cuda13-sm_90a", .ranks = 2, .counts = {{"x", 1}}, .backend = "cupti", .seconds = 5e-3, .gpus = 2});
  results.outcomes.front().placement = R"({"ranks":[{"gpu":{"device":"GPU"}},{"gpu":{"device":"GPU1"}}]})";
  results.counts.clear();
  const std::vector<double> of_second{3e6, 5e6, 4e6};
  for (int repetition = 0; repetition < 3; ++repetition)
    for (const int rank : {0, 1}) {
      const double ns = rank == 0 ? 1e6 : of_second[static_cast<std::size_t>(repetition)], hertz = rank == 0 ? 2e9 : 1e9;
      for (const auto& [event, net] : {std::pair{"ns", ns}, {"cycles", ns * hertz * 1e-9}, {"cycles.per_second", hertz}}) {
        CountRow row{.case_id = results.cases.front().id, .node = "node0", .session = {}, .event = event, .backend = "cupti"};
        row.rank = rank, row.repetition = repetition, row.net = net;
        results.counts.push_back(row);
      }
    }
  const Measurements measurements = measurements_of(results);
  ASSERT_EQ(measurements.cases.size(), 1U);
  const auto at = conditions_of(measurements.cases[0], kept_counters);
  EXPECT_DOUBLE_EQ(at.seconds.value, 4e-3) << "not 5, their sum, nor 2.5";
  EXPECT_DOUBLE_EQ(at.clock_hz.value, 1.5e9);
  for (const auto& score : score(measurements, with_times_by_cycles()).rows) {
    EXPECT_DOUBLE_EQ(score.measured, 4e-3) << score.counter;
    EXPECT_EQ(score.quantity, "seconds");
  }
}

TEST(SecondsAllowed, are_the_timed_ones_and_what_the_clocks_may_make_of_them) {
  const Bounds same = allowed({{"cycles.per_second", 2e9}}), slower = allowed({{"cycles.per_second", 1e9}}),
               faster = allowed({{"cycles.per_second", 4e9}});
  EXPECT_DOUBLE_EQ(same.lo, 1e-3 - 5e-6);
  EXPECT_DOUBLE_EQ(same.hi, 1.02e-3 + 5e-6);
  EXPECT_DOUBLE_EQ(slower.lo, same.lo) << "what memory bounds takes as long";
  EXPECT_DOUBLE_EQ(slower.hi, 2.04e-3 + 5e-6) << "what arithmetic bounds twice as long";
  EXPECT_DOUBLE_EQ(faster.lo, 0.5e-3 - 5e-6);
  EXPECT_DOUBLE_EQ(faster.hi, same.hi);
}

TEST(SecondsAllowed, are_unknown_without_either_clock) {
  EXPECT_TRUE(std::isnan(allowed({{"ns", 1e6}}).lo));
  Measurements measurements;
  measurements.cases.push_back(timed({{"cycles.per_second", 2e9}}));
  measurements.cases.back().clock_hz = absent;
  EXPECT_TRUE(std::isnan(seconds_allowed(measurements, kept_counters).at(0).lo));
  EXPECT_TRUE(seconds_allowed(measurements, std::vector{kept_counters[1]}).empty()) << "nobody counts time";
}

TEST(TimesByCycles, are_one_for_each_pair_of_cycles_and_their_rate) {
  const auto times = times_by_cycles(kept_counters);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].name, "cupti cycles / clock");
  EXPECT_EQ(times[0].claim(), "seconds");
  EXPECT_EQ(events_of(times[0]), (std::vector<std::string>{"cycles", "cycles.per_second"}));
}

CountRow row(const std::string& event, int repetition, std::uint64_t raw, double net, int group = 0) {
  CountRow row{.case_id = "case " + std::to_string(repetition), .node = "n", .session = "s", .event = event, .backend = "cupti"};
  row.group = group, row.repetition = repetition, row.raw = raw, row.net = net;
  return row;
}

TEST(TimeAgreements, hold_what_one_pass_counted_against_each_other_by_its_raw_numbers) {
  Results results;
  for (int repetition = 0; repetition < 3; ++repetition) {  // net is less than raw by what the empty region took
    results.counts.push_back(row("ns", repetition, 1000, 900));
    results.counts.push_back(row("cycles", repetition, repetition == 2 ? 1510 : 1500, 1400));
    results.counts.push_back(row("cycles.per_second", repetition, 1500000000, 1.5003e9));
  }
  results.counts.push_back(row("ns", 3, 1000, 900));
  results.counts.push_back(row("cycles", 3, 9000, 900, 1));  // of another pass: of another run
  results.counts.push_back(row("cycles.per_second", 3, 1500000000, 1.5e9, 1));
  const auto agreements = time_agreements(results, with_times_by_cycles());
  ASSERT_EQ(agreements.size(), 1U);
  const TimeAgreement& one = agreements[0];
  EXPECT_EQ(one.counter, "cupti cycles / clock");
  EXPECT_EQ(one.other, "cupti time");
  EXPECT_TRUE(one.must_agree);
  EXPECT_EQ(one.repetitions, 3U);
  EXPECT_EQ(one.apart, 1U) << "half a cycle of 1500 and half a nanosecond of 1000 are rounding, ten cycles are not";
  EXPECT_EQ(one.farthest, "case 2");
  EXPECT_DOUBLE_EQ(one.most, 1510 / 1.5003e9 / 1e-6);
}

TEST(TimeAgreements, are_none_where_no_pass_had_all_three) {
  Results results;
  results.counts = {row("ns", 0, 1000, 1000), row("cycles", 0, 1500, 1500)};
  EXPECT_TRUE(time_agreements(results, with_times_by_cycles()).empty());
}

}  // namespace
}  // namespace plumbline
