// The size from which on an LSTM is no longer bound by its launches is predicted from ceilings: here those of a made-up GPU like an H200.
#include "model/placement/launch_crossover.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "module_kernels.hpp"

namespace plumbline {
namespace {

Ceiling ceiling(CeilingLevel level, const char* precision, const char* pattern, double value) {
  Ceiling one;
  one.level = level;
  one.precision = precision;
  one.pattern = pattern;
  one.value = value;
  one.scope = gpu_scope;
  return one;
}
std::vector<Ceiling> stored() {
  Ceiling of_cpu = ceiling("mem", "-", "load", 20);
  of_cpu.scope = "node";
  return {ceiling("overhead", "-", "stream", 2.6e-6), ceiling("overhead", "-", "graph", 1.4e-6), ceiling("compute", "fp32", "fma", 60e3),
          ceiling("compute", "fp64", "fma", 30e3),    ceiling("mem", "-", "load", 4200),         of_cpu};
}

ApplicationWork lstm(std::int64_t batch, std::int64_t sequence, std::int64_t width) {
  const Parameters p{
      {"direction", std::string("forward")}, {"batch", batch}, {"sequence", sequence}, {"features", width}, {"hidden", width},
      {"variant", std::string("launches")}};
  for (const Kernel* kernel : all_kernels())
    if (kernel->name == "proxies/lstm") return kernel->application(p, "fp32", "");
  throw std::runtime_error("the module has no proxies/lstm");
}
/// The width (features and cells) from which on launches do not bind, of multiples of 64; 0 where there is none up to 2048.
std::int64_t crossover(std::int64_t batch, const LaunchRoofs& roofs, std::int64_t sequence = 16) {
  std::vector<ApplicationWork> sweeps;
  for (std::int64_t width = 64; width <= 2048; width += 64) sweeps.push_back(lstm(batch, sequence, width));
  const auto first = launch_crossover(sweeps, roofs);
  return first ? 64 * (static_cast<std::int64_t>(*first) + 1) : 0;
}

TEST(launch_crossover, the_papers_size_is_36_launches_and_nearly_nothing_beside) {
  const LaunchRoofs roofs = launch_roofs(stored(), "stream", "fp32");
  const ApplicationWork paper = lstm(16, 16, 16);
  EXPECT_DOUBLE_EQ(seconds_of_launches(paper, roofs), 36 * 2.6e-6);
  EXPECT_LT(seconds_at_roofs(paper, roofs), 0.01 * seconds_of_launches(paper, roofs));
}

// All products of 16 steps and 128 sequences are 2 2048 4W 2W FLOPs, with W features and cells: at 60 TFLOP/s 0.546 ns W^2, as long as 36
// launches (93.6 us) where W = 414, as those in a graph (50.4 us) where W = 304. What is beside them moves neither by 16.
TEST(launch_crossover, is_where_arithmetic_takes_as_long_as_launches) {
  EXPECT_EQ(crossover(128, launch_roofs(stored(), "stream", "fp32")), 448);
  EXPECT_EQ(crossover(128, launch_roofs(stored(), "graph", "fp32")), 320);
}

TEST(launch_crossover, comes_earlier_with_a_larger_batch_and_does_not_hang_on_the_sequence) {
  const LaunchRoofs stream = launch_roofs(stored(), "stream", "fp32");
  ASSERT_GT(crossover(1024, stream), 0) << "there is one at all";
  EXPECT_LT(crossover(1024, stream), crossover(64, stream));
  EXPECT_NEAR(static_cast<double>(crossover(128, stream, 64)), static_cast<double>(crossover(128, stream)), 64);
}

TEST(launch_crossover, is_not_told_where_a_roof_is_missing_or_no_size_reaches_it) {
  std::vector<Ceiling> without = stored();
  without.front().status = Status::failed;
  EXPECT_TRUE(std::isnan(launch_roofs(without, "stream", "fp32").launch_seconds));
  EXPECT_EQ(crossover(128, launch_roofs(without, "stream", "fp32")), 0);
  EXPECT_EQ(crossover(128, {.launch_seconds = 1, .flops = 6e13, .bytes = 4e12}), 0);
}

}  // namespace
}  // namespace plumbline
