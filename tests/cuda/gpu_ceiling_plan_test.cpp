// The plan of a GPU's ceilings, for made-up GPUs: a pure function of what CUDA would say of one.
#include "ert/gpu_ceiling_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "opened_module.hpp"

namespace plumbline {
namespace {

constexpr double MiB = 1024.0 * 1024;

GpuProperties gpu(const char* name, int multiprocessors, std::uint64_t memory_bytes) {
  GpuProperties made_up{.name = name, .pci = {}, .flavor = {}};
  for (const Flavor& flavor : opened_module().kernels().front().flavors()) made_up.flavor = flavor.name;  // of the last architecture built
  for (const Kernel& kernel : opened_module().kernels())
    if (kernel.name == "ert/wgmma")
      for (const Flavor& flavor : kernel.flavors()) made_up.flavor = flavor.name;  // where it is there, the one that has everything
  made_up.major = 9;
  made_up.multiprocessors = multiprocessors;
  made_up.threads_per_multiprocessor = 2048;
  made_up.clock_hz = 1.98e9;
  made_up.memory_bytes = memory_bytes;
  return made_up;
}
const GpuProperties& large() {
  static const GpuProperties made_up = gpu("made-up H100", 132, 80'000'000'000);
  return made_up;
}
const GpuProperties& small() {
  static const GpuProperties made_up = gpu("made-up small GPU", 10, 4'000'000'000);
  return made_up;
}

std::vector<CeilingCase> plan(CeilingMode mode, const GpuProperties& gpu) {
  return plan_gpu_ceilings(mode, gpu, opened_module().kernels());
}

std::set<std::string> names(const std::vector<CeilingCase>& plan) {
  std::set<std::string> all;
  for (const CeilingCase& one : plan) all.insert(one.name);
  return all;
}

TEST(GpuCeilingPlan, names_what_users_know) {
  const auto all = names(plan(CeilingMode::full, large()));
  for (const char* name : {"GPU FP64 FMA", "GPU FP64 mul+add", "GPU FP32 FMA", "GPU FP16 FMA", "GPU BF16 FMA", "GPU tensor BF16 mma.sync",
                           "GPU tensor FP64 mma.sync", "GPU tensor FP16 WMMA", "GPU shared load", "GPU load own", "GPU load", "GPU triad",
                           "GPU chase", "GPU launch, graph", "GPU launch, stream", "GPU launch, waited for",
                           "GPU to host, copy engine, pinned", "GPU FP64 vector k=8", "GPU FP64 FMA, 4 warps an SM"})
    EXPECT_TRUE(all.contains(name)) << name;
  for (const std::string& name : all) EXPECT_TRUE(name.starts_with("GPU ")) << name;
}

TEST(GpuCeilingPlan, every_point_is_there_once) {
  for (const CeilingMode mode : {CeilingMode::quick, CeilingMode::full})
    for (const GpuProperties* one : {&large(), &small()}) {
      std::set<std::pair<std::string, double>> points;
      for (const CeilingCase& point : plan(mode, *one))
        EXPECT_TRUE(points.insert({point.name, std::isfinite(point.working_set_bytes) ? point.working_set_bytes : 0}).second)
            << point.name << " " << point.working_set_bytes;
    }
}

TEST(GpuCeilingPlan, quick_is_a_part_of_full) {
  const auto quick = names(plan(CeilingMode::quick, large())), full = names(plan(CeilingMode::full, large()));
  EXPECT_LT(quick.size(), full.size());
  EXPECT_TRUE(std::includes(full.begin(), full.end(), quick.begin(), quick.end()));
  for (const char* name : {"GPU FP64 FMA", "GPU FP32 FMA", "GPU load", "GPU shared load", "GPU launch, stream"})
    EXPECT_TRUE(quick.contains(name)) << name;
}

TEST(GpuCeilingPlan, quick_is_estimated_below_30_seconds_and_full_below_4_minutes) {
  for (const GpuProperties* one : {&large(), &small()}) {
    const double quick = gpu_ceilings_seconds(plan(CeilingMode::quick, *one), *one, 4),
                 full = gpu_ceilings_seconds(plan(CeilingMode::full, *one), *one, 5);
    EXPECT_LT(quick, 30) << one->name;
    EXPECT_LT(full, 240) << one->name;
    EXPECT_GT(full, quick) << one->name;
  }
}

TEST(GpuCeilingPlan, working_sets_fit_a_quarter_of_the_memory_and_loads_reach_four_gigabytes) {
  double largest = 0;
  for (const GpuProperties* one : {&large(), &small()})
    for (const CeilingCase& point : plan(CeilingMode::full, *one)) {
      double footprint = 0;
      for (const Stream& stream : point.measured.work().streams) footprint += static_cast<double>(stream.footprint_bytes);
      EXPECT_LE(footprint, static_cast<double>(one->memory_bytes) / 4 * 1.001) << point.name << " " << point.working_set_bytes;
      if (one == &large() && point.pattern == "load") largest = std::max(largest, point.working_set_bytes);
    }
  EXPECT_GE(largest, 4e9);
}

TEST(GpuCeilingPlan, sweeps_of_loads_are_dense_enough_to_find_levels) {
  for (const CeilingMode mode : {CeilingMode::quick, CeilingMode::full})
    for (const char* pattern : {"load", "load own"}) {
      std::set<double> sizes;
      for (const CeilingCase& point : plan(mode, large()))
        if (point.level == "sweep" && point.pattern == pattern) sizes.insert(point.working_set_bytes);
      ASSERT_GT(sizes.size(), 4U) << pattern;
      EXPECT_GE(static_cast<double>(sizes.size() - 1), 1.7 * std::log2(*sizes.rbegin() / *sizes.begin())) << pattern;
      for (auto next = std::next(sizes.begin()); next != sizes.end(); ++next)
        EXPECT_LE(*next / *std::prev(next), 2.05) << pattern << " " << *next / MiB;
    }
}

TEST(GpuCeilingPlan, a_part_of_large_data_is_swept_where_it_says_so) {
  for (const CeilingCase& point : plan(CeilingMode::full, large())) {
    if (point.share == 1) continue;
    double footprint = 0;
    for (const Stream& stream : point.measured.work().streams)
      if (stream.array.size() == 1) footprint += static_cast<double>(stream.footprint_bytes);  // a, b, c
    EXPECT_NEAR(point.working_set_bytes, point.share * footprint, 1) << point.name;
  }
}

TEST(GpuCeilingPlan, amounts_are_the_models) {
  for (const CeilingCase& point : plan(CeilingMode::full, large())) {
    EXPECT_GT(point.amount_per_sweep, 0) << point.name;
    if (point.unit != "GFLOP/s") continue;
    EXPECT_EQ(point.amount_per_sweep, static_cast<double>(total_flops(point.measured.work().flops).lo)) << point.name;
  }
}

/// The assembler makes FMAs of 16-bit sums and products.
TEST(GpuCeilingPlan, has_no_ceiling_without_fmas_of_16_bits) {
  for (const std::string& name : names(plan(CeilingMode::full, large())))
    EXPECT_TRUE((!name.starts_with("GPU FP16 ") && !name.starts_with("GPU BF16 ")) || name.ends_with(" FMA")) << name;
}

/// Two blocks a multiprocessor, of 32 KiB each, again and again; what fills them is not counted.
TEST(GpuCeilingPlan, of_shared_memory_counts_its_loads) {
  for (const CeilingCase& point : plan(CeilingMode::full, large()))
    if (point.name == "GPU shared load") {
      EXPECT_EQ(point.working_set_bytes, 264 * 32768.0);
      EXPECT_EQ(point.amount_per_sweep, 264 * 32768.0 * static_cast<double>(point.measured.parameters.integer("repeat")));
    }
}

/// By the estimate's own rates: 128 FLOP a cycle and multiprocessor in fp64.
TEST(GpuCeilingPlan, a_sweep_of_arithmetic_lasts_some_milliseconds) {
  const auto all = plan(CeilingMode::full, large());
  const auto fma = std::find_if(all.begin(), all.end(), [](const CeilingCase& point) { return point.name == "GPU FP64 FMA"; });
  ASSERT_NE(fma, all.end());
  EXPECT_NEAR(fma->amount_per_sweep / (128 * 132 * 1.98e9), 0.003, 0.0003);
}

TEST(GpuCeilingPlan, what_a_gpu_cannot_be_asked_has_a_reason) {
  const auto missing = absent_gpu_ceilings(large(), opened_module().kernels());
  EXPECT_TRUE(std::any_of(missing.begin(), missing.end(),
                          [](const AbsentFlavor& one) { return one.name == "GPU to peer, copy engine" && !one.reason.empty(); }));
  EXPECT_FALSE(names(plan(CeilingMode::full, large())).contains("GPU to peer, copy engine"));
  GpuProperties two = large();
  two.peers = 1;
  EXPECT_TRUE(names(plan(CeilingMode::full, two)).contains("GPU to peer, copy engine"));
}

TEST(GpuCeilingPlan, is_empty_for_a_gpu_without_code) {
  GpuProperties other = large();
  other.flavor = "";
  EXPECT_TRUE(plan(CeilingMode::full, other).empty());
}

}  // namespace
}  // namespace plumbline
