// Metrics of another profiler become FLOPs, bytes and seconds: which way counts, what contradicts it, what is absent.
#include "model/placement/profiled.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

ProfilerMetric row(const std::string& quantity, std::vector<Term> terms) { return {.quantity = quantity, .terms = std::move(terms)}; }

MetricValues values(const std::map<std::string, double>& numbers) {
  MetricValues all;
  for (const auto& [name, value] : numbers) all[name] = {value, Status::ok, {}};
  return all;
}

const ProfilerMetrics metrics_of_ncu{"ncu",
                                     {row("bytes.L2-mem", {{"read", 32}, {"write", 32}}), row("bytes.L2-mem", {{"bytes", 1}}),
                                      row("flops.fp64", {{"fma", 2}, {"add", 1}}), row("flops.fp32", {{"ffma", 2}})}};

TEST(Profiled, the_first_way_whose_metrics_are_all_there_counts) {
  EXPECT_EQ(profiled(metrics_of_ncu, "bytes.L2-mem", values({{"read", 2}, {"write", 1}, {"bytes", 96}}), absent, 70).value, 96);
  const Profiled second = profiled(metrics_of_ncu, "bytes.L2-mem", values({{"read", 2}, {"bytes", 90}}), absent, 70);
  EXPECT_EQ(second.value, 90);
  EXPECT_EQ(second.by->formula(), "bytes");
  EXPECT_EQ(metrics_of_ncu.rows[0].formula(), "32 x read + 32 x write");
}

TEST(Profiled, ways_that_disagree_are_named_beyond_the_tolerance_only) {
  const auto off_by = [](double bytes) {
    return profiled(metrics_of_ncu, "bytes.L2-mem", values({{"read", 1}, {"write", 1}, {"bytes", bytes}}), absent, 70);
  };
  EXPECT_TRUE(off_by(64 * 1.04).disagreements.empty());
  ASSERT_EQ(off_by(64 * 1.06).disagreements.size(), 1U);
  EXPECT_NEAR(off_by(64 * 1.06).disagreements[0].ratio, 1.06, 1e-12);
  EXPECT_EQ(off_by(64 * 1.06).value, 64);
  EXPECT_TRUE(
      profiled(metrics_of_ncu, "bytes.L2-mem", values({{"read", 0}, {"write", 0}, {"bytes", 0}}), absent, 70).disagreements.empty());
}

TEST(Profiled, a_part_stands_in_but_does_not_contradict) {
  ProfilerMetrics with_part = metrics_of_ncu;
  with_part.rows[1].part = true;
  EXPECT_TRUE(profiled(with_part, "bytes.L2-mem", values({{"read", 1}, {"write", 1}, {"bytes", 10}}), absent, 70).disagreements.empty());
  EXPECT_EQ(profiled(with_part, "bytes.L2-mem", values({{"bytes", 10}}), absent, 70).value, 10);
}

TEST(Profiled, what_is_missing_is_absent_and_named) {
  const Profiled none = profiled(metrics_of_ncu, "bytes.L2-mem", values({{"read", 1}}), absent, 70);
  EXPECT_FALSE(none.ok());
  EXPECT_TRUE(std::isnan(none.value));
  EXPECT_EQ(none.reason, "not collected: write");
  MetricValues refused = values({{"read", 1}});
  refused["write"] = {absent, Status::unavailable, "n/a"};
  EXPECT_EQ(profiled(metrics_of_ncu, "bytes.L2-mem", refused, absent, 70).reason, "not collected: write (n/a)");
}

TEST(Profiled, rates_take_time_and_quotients_need_a_divisor) {
  ProfilerMetrics rates{"ncu", {row("bytes.L2-mem", {{"rate", 1}}), row("seconds", {{"cycles", 1}})}};
  rates.rows[0].times = {"seconds"};
  rates.rows[1].over = "hertz";
  EXPECT_EQ(profiled(rates, "bytes.L2-mem", values({{"rate", 5}}), 2, 70).value, 10);
  EXPECT_EQ(profiled(rates, "bytes.L2-mem", values({{"rate", 5}}), absent, 70).reason, "not collected: the launch's time");
  EXPECT_EQ(profiled(rates, "seconds", values({{"cycles", 6}, {"hertz", 3}}), absent, 70).value, 2);
  EXPECT_FALSE(profiled(rates, "seconds", values({{"cycles", 6}, {"hertz", 0}}), absent, 70).ok());
}

TEST(Profiled, the_main_precision_does_most) {
  EXPECT_EQ(main_precision(profiled_flops(metrics_of_ncu, values({{"fma", 1}, {"add", 0}, {"ffma", 2}}), absent, 70)), "fp32");
  EXPECT_EQ(main_precision(profiled_flops(metrics_of_ncu, values({{"ffma", 0}}), absent, 70)), "-");
  EXPECT_EQ(main_precision({}), "-");
}

TEST(Profiled, chips_are_read_from_the_flavor_and_keep_other_rows_out) {
  EXPECT_EQ(chip_of("cuda-sm_70"), 70);
  EXPECT_EQ(chip_of("cuda"), 0);
  ProfilerMetrics one = metrics_of_ncu;
  one.rows[3].chips = {90};
  EXPECT_TRUE(profiled_flops(one, values({{"ffma", 1}}), absent, 90).contains("fp32"));
  EXPECT_FALSE(profiled_flops(one, values({{"ffma", 1}}), absent, 70).contains("fp32"));
}

}  // namespace
}  // namespace plumbline
