// A kernel of each region is where its FLOPs, bytes, launches and time put it.
#include "model/placement/time_roofline.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

/// 1 TFLOP/s and 100 GB/s: the balance is 10 FLOP/byte; all launches take 10 us.
constexpr PlaneRoofs roofs{.flops = 1e12, .bytes = 1e11, .overhead_seconds = 1e-5};

TEST(TimeRoofline, what_bounds_a_kernel_takes_its_run_time_and_the_other_is_shorter_by_intensity_over_balance) {
  const TimePlace dense = time_place(4e-3, 2e9, 1e7, roofs);  // 200 FLOP/byte
  EXPECT_DOUBLE_EQ(dense.balance, 10);
  EXPECT_DOUBLE_EQ(dense.compute_seconds, 4e-3);
  EXPECT_DOUBLE_EQ(dense.bandwidth_seconds, 4e-3 / 20);
  const TimePlace sparse = time_place(4e-3, 1e8, 1e8, roofs);  // 1 FLOP/byte
  EXPECT_DOUBLE_EQ(sparse.compute_seconds, 4e-4);
  EXPECT_DOUBLE_EQ(sparse.bandwidth_seconds, 4e-3);
}

TEST(TimeRoofline, a_kernel_of_each_region_is_told_rightly) {
  const auto region = [](double flops, double bytes) { return time_place(1e-3, flops, bytes, roofs).of_complexity; };
  EXPECT_EQ(region(2e9, 1e7), PlaneRegion::compute);
  EXPECT_EQ(region(1e8, 1e8), PlaneRegion::bandwidth);
  EXPECT_EQ(region(1e9, 1e8), PlaneRegion::compute) << "on the balance";
  EXPECT_EQ(region(9.9e6, 9.9e5), PlaneRegion::overhead);
  EXPECT_EQ(region(1.01e7, 9.9e5), PlaneRegion::compute) << "the box ends at launches x overhead x peak";
  EXPECT_EQ(region(9.9e6, 1.01e6), PlaneRegion::bandwidth) << "and at launches x overhead x bandwidth";
  EXPECT_EQ(region(0, 1e8), PlaneRegion::bandwidth) << "a kernel without FLOPs";
  EXPECT_EQ(region(1e8, 0), PlaneRegion::compute) << "one whose data stay in an inner cache";
}

TEST(TimeRoofline, a_small_kernel_that_took_long_is_in_the_box_of_complexity_alone) {
  const TimePlace slow = time_place(5e-5, 1e6, 1e3, roofs), fast = time_place(9e-6, 1e6, 1e3, roofs);
  EXPECT_EQ(slow.of_complexity, PlaneRegion::overhead);
  EXPECT_EQ(slow.of_time, PlaneRegion::compute);
  EXPECT_EQ(fast.of_time, PlaneRegion::overhead);
}

TEST(TimeRoofline, there_is_no_box_without_a_measured_overhead_and_no_place_without_a_roof_or_anything_to_do) {
  const PlaneRoofs of_cpu{.flops = 1e12, .bytes = 1e11};
  EXPECT_EQ(time_place(1e-6, 10, 1, of_cpu).of_complexity, PlaneRegion::compute);
  EXPECT_TRUE(std::isnan(time_place(1e-6, 10, 1, {.flops = 1e12}).balance));
  EXPECT_TRUE(std::isnan(time_place(1e-6, 0, 0, roofs).balance));
  EXPECT_TRUE(std::isnan(time_place(absent, 10, 1, roofs).balance));
  EXPECT_TRUE(std::isnan(time_place(1e-6, absent, 1, roofs).balance));
  EXPECT_TRUE(std::isnan(time_place(1e-6, 10, absent, roofs).compute_seconds));
}

}  // namespace
}  // namespace plumbline
