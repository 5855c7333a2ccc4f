// The compute roof is scaled by what the measured occupancy allows by measured rates of as many warps, and is absent where one is missing.
#include "model/placement/occupancy_roof.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/gpu_device.hpp"

namespace plumbline {
namespace {

Ceiling by_warps(int warps, double gflops, const std::string& precision = "fp64", int device = 0) {
  Ceiling one{
      .name = std::to_string(warps), .precision = precision, .level = CeilingKind::occupancy, .pattern = std::to_string(warps) + " warps"};
  one.node = "node0";
  one.value = gflops;
  one.unit = "GFLOP/s";
  one.scope = gpu_scope;
  one.device = device;
  return one;
}

/// A GPU whose FMAs keep its units busy from 8 warps on.
const std::vector<Ceiling> saturating{by_warps(1, 100), by_warps(2, 200),  by_warps(4, 400),
                                      by_warps(8, 780), by_warps(16, 800), by_warps(64, 790)};

RooflinePlacement placed(double roof_gflops) {
  RooflinePlacement placement{.node = "node0"};
  placement.roof_precision = "fp64";
  placement.gpus = {0};
  placement.compute.gflops = roof_gflops;
  return placement;
}

OccupancyRoof roof(double occupancy, double roof_gflops = 600, const std::vector<Ceiling>& ceilings = saturating) {
  return occupancy_roof(placed(roof_gflops), {occupancy, Status::ok, {}}, ceilings);
}

TEST(OccupancyRoof, few_warps_allow_what_they_reached_by_measurement) {
  const OccupancyRoof four = roof(4.0 / 64);
  EXPECT_EQ(four.status, Status::ok);
  EXPECT_DOUBLE_EQ(four.warps, 4);
  EXPECT_DOUBLE_EQ(four.most_warps, 64);
  EXPECT_DOUBLE_EQ(four.part, 0.5);
  EXPECT_DOUBLE_EQ(four.gflops, 300) << "of the roof of its own mix, not of the FMA peak";
}

TEST(OccupancyRoof, between_two_numbers_of_warps_it_grows_with_them_until_the_upper_rate) {
  EXPECT_DOUBLE_EQ(roof(3.0 / 64).part, 300.0 / 800);
  EXPECT_DOUBLE_EQ(roof(12.0 / 64).part, 1) << "780 x 12 / 8 is beyond the 800 of 16 warps";
  EXPECT_DOUBLE_EQ(roof(0.5 / 64).part, 50.0 / 800) << "half a warp on average";
}

TEST(OccupancyRoof, full_occupancy_takes_nothing_off_but_what_was_measured) { EXPECT_DOUBLE_EQ(roof(1).part, 790.0 / 800); }

TEST(OccupancyRoof, without_a_measured_basis_there_is_none_and_it_says_why) {
  const auto has_none = [](const OccupancyRoof& roof, const char* why) {
    EXPECT_EQ(roof.status, Status::unavailable);
    EXPECT_TRUE(std::isnan(roof.gflops) && std::isnan(roof.part));
    EXPECT_NE(roof.reason.find(why), roof.reason.npos) << roof.reason;
  };
  has_none(roof(0.5, 600, {}), "no rates of fp64 FMAs by resident warps");
  has_none(roof(0.5, 600, {by_warps(1, 100, "fp32"), by_warps(2, 200, "fp32")}), "no rates of fp64");
  has_none(roof(0.5, 600, {by_warps(1, 100, "fp64", 1), by_warps(2, 200, "fp64", 1)}), "no rates of fp64");
  has_none(roof(0.5, absent), "no roof of arithmetic");
  has_none(occupancy_roof(placed(600), {absent, Status::unavailable, "cupti did not count it"}, saturating), "cupti did not count it");
}

}  // namespace
}  // namespace plumbline
