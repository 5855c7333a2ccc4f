// The plan of a GPU's ceilings, for made-up GPUs: a pure function of what CUDA would say of one.
#include "ert/gpu_ceiling_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

#include "ert/stream_grid.hpp"
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
  for (const char* name : {"GPU FP64 FMA",
                           "GPU FP64 mul+add",
                           "GPU FP32 FMA",
                           "GPU FP16 FMA",
                           "GPU BF16 FMA",
                           "GPU tensor BF16 mma.sync",
                           "GPU tensor FP64 mma.sync",
                           "GPU tensor FP16 WMMA",
                           "GPU shared load",
                           "GPU load own",
                           "GPU load",
                           "GPU load weak",
                           "GPU triad",
                           "GPU chase",
                           "GPU launch, graph",
                           "GPU launch, stream",
                           "GPU launch, waited for",
                           "GPU to host, copy engine, pinned",
                           "GPU FP64 vector k=8",
                           "GPU FP64 FMA, 4 warps an SM"})
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

/// Chunks that a block takes at most and at least in a pass.
std::pair<std::uint64_t, std::uint64_t> most_and_least(std::uint64_t chunks, std::uint64_t blocks) {
  return {(chunks + blocks - 1) / blocks, chunks / blocks};
}

/// The GPUs of this test hold four blocks of ert/stream a multiprocessor (of triads, with their registers, on most) to eight.
TEST(GpuCeilingPlan, what_is_stored_is_dealt_out_to_all_blocks_alike) {
  std::size_t held = 0;
  for (const GpuProperties* one : {&large(), &small()})
    for (const CeilingMode mode : {CeilingMode::quick, CeilingMode::full})
      for (const CeilingCase& point : plan(mode, *one)) {
        if (point.level != "sweep" || point.unit != "GB/s" || point.pattern.starts_with("load")) continue;
        const double n = point.share * static_cast<double>(point.measured.parameters.integer("n")),
                     chunks = n * 8 / static_cast<double>(stream_chunk_bytes);
        EXPECT_EQ(chunks, std::round(chunks)) << point.name << " " << point.working_set_bytes;
        const auto multiprocessors = static_cast<std::uint64_t>(one->multiprocessors);
        for (std::uint64_t resident = 4; resident <= 8; ++resident) {
          const std::uint64_t blocks = even_blocks(static_cast<std::uint64_t>(chunks), resident, multiprocessors);
          const auto [most, least] = most_and_least(static_cast<std::uint64_t>(chunks), blocks);
          EXPECT_EQ(most, least) << point.name << " " << point.working_set_bytes << " of " << resident;
          EXPECT_EQ(blocks % multiprocessors, 0U) << point.name << " " << point.working_set_bytes << " of " << resident;
        }
        ++held;
      }
  EXPECT_GT(held, 40U);
}

/// A user may choose any size: one chunk more than as many blocks as there is room for is no round of its own for one of them.
TEST(stream_grid, deals_any_number_of_chunks_out_so_that_no_block_takes_two_more_than_another) {
  EXPECT_EQ(even_blocks(1, 8, 132), 1U);
  EXPECT_EQ(even_blocks(1056, 8, 132), 1056U);
  EXPECT_EQ(even_blocks(1057, 8, 132), 529U);
  EXPECT_EQ(even_blocks(132 * 12, 8, 132), 132U * 6);
  for (std::uint64_t resident = 1; resident <= 8; ++resident)
    for (std::uint64_t chunks = 1; chunks < 3000; ++chunks) {
      const std::uint64_t blocks = even_blocks(chunks, resident, 132);
      ASSERT_GT(blocks, 0U) << chunks;
      ASSERT_LE(blocks, std::min(chunks, resident * 132)) << chunks;
      ASSERT_GE(2 * blocks, std::min(chunks, resident * 132)) << chunks;
      const auto [most, least] = most_and_least(chunks, blocks);
      ASSERT_LE(most, least + 1) << chunks;
    }
  EXPECT_EQ(even_chunks(1, 132), 132U) << "no fewer than one for each";
  EXPECT_EQ(even_chunks(132 * 7, 132), 132U * 4);
  EXPECT_EQ(even_chunks(132 * 745, 132), 132U * 744);
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
    const bool may_be_fmas = (point.precision == "fp16" || point.precision == "bf16") && point.pattern == "mul+add";
    if (point.unit != "GFLOP/s" || may_be_fmas) continue;
    EXPECT_EQ(point.amount_per_sweep, static_cast<double>(total_flops(point.measured.work().flops).lo)) << point.name;
  }
}

const CeilingCase& named(const std::vector<CeilingCase>& plan, const std::string& name) {
  for (const CeilingCase& point : plan)
    if (point.name == name) return point;
  throw std::runtime_error("the plan has no " + name);
}
/// FLOP of a case over the iterations of its threads' loops.
double flops_a_thread(const CeilingCase& point) {
  const Parameters& p = point.measured.parameters;
  return point.amount_per_sweep / static_cast<double>(p.integer("blocks") * p.integer("threads") * p.integer("iterations"));
}

/// 256 instructions of a thread: of FMAs of pairs four FLOP each, of their sums and products two, of single numbers' FMAs two.
TEST(GpuCeilingPlan, of_16_bits_has_packed_and_single_fmas_and_what_is_not_fused) {
  const auto all = plan(CeilingMode::full, large());
  for (const std::string precision : {"FP16", "BF16"}) {
    EXPECT_EQ(flops_a_thread(named(all, "GPU " + precision + " FMA")), 1024);
    EXPECT_EQ(flops_a_thread(named(all, "GPU " + precision + " mul+add")), 512);
    const CeilingCase& single = named(all, "GPU " + precision + " scalar FMA");
    EXPECT_EQ(flops_a_thread(single), 512);
    EXPECT_EQ(single.measured.parameters.word("packed"), "no");
    EXPECT_EQ(single.amount_per_sweep, static_cast<double>(total_flops(single.measured.work().flops).lo));
  }
}

/// A multiprocessor holds whole blocks at once, from one warp to all.
TEST(GpuCeilingPlan, of_resident_warps_goes_to_all_that_a_multiprocessor_holds) {
  for (const auto& [threads, warps] :
       {std::pair(2048, std::vector<int>{1, 2, 4, 8, 16, 32, 64}), std::pair(1536, std::vector<int>{1, 2, 4, 8, 16, 32, 48}),
        std::pair(1024, std::vector<int>{1, 2, 4, 8, 16, 32})}) {
    GpuProperties one = large();
    one.threads_per_multiprocessor = threads;
    const auto all = plan(CeilingMode::full, one);
    std::size_t occupancies = 0;
    for (const CeilingCase& point : all) occupancies += point.level == "occupancy" ? 1 : 0;
    EXPECT_EQ(occupancies, 3 * warps.size());
    for (const int number : warps)
      for (const std::string precision : {"FP64", "FP32", "FP16"}) {
        const Parameters& p = named(all, "GPU " + precision + " FMA, " + std::to_string(number) + " warps an SM").measured.parameters;
        EXPECT_EQ(p.integer("blocks") * p.integer("threads"), 132U * 32U * static_cast<unsigned>(number)) << precision;
        EXPECT_EQ(p.integer("blocks") % 132, 0U);
      }
  }
}

/// A kernel's surroundings are 1 % of some milliseconds, by the rates that the GPU is expected to have: 32 bytes a cycle and multiprocessor
/// of L2, and memory as its clock and width tell.
TEST(GpuCeilingPlan, a_sweep_of_memory_or_of_the_vector_lasts_some_milliseconds) {
  GpuProperties told = large();
  told.memory_clock_hz = 2.619e9;
  told.memory_bus_bits = 5120;
  for (const auto& [one, memory_rate] : {std::pair(told, 3.352e12), std::pair(large(), 10 * 132 * 1.98e9)})
    for (const CeilingMode mode : {CeilingMode::quick, CeilingMode::full})
      for (const CeilingCase& point : plan(mode, one)) {
        if (point.level != "sweep" || point.unit != "GB/s" || point.pattern == "load own") continue;
        const double rate = point.working_set_bytes <= 128 * MiB ? 32 * 132 * 1.98e9 : memory_rate;
        EXPECT_GE(point.amount_per_sweep / rate, 0.0029) << point.name << " " << point.working_set_bytes;
        EXPECT_LE(point.amount_per_sweep / rate, point.working_set_bytes <= 256 * MiB ? 0.0032 : 0.07)
            << point.name << point.working_set_bytes;
      }
  for (const CeilingCase& point : plan(CeilingMode::full, told)) {
    if (point.level != "vector") continue;
    const double arithmetic = point.amount_per_sweep / (132 * 1.98e9 * (point.precision == "fp64" ? 128 : 256)),
                 memory = static_cast<double>(point.measured.parameters.integer("repeat")) * 256 * MiB / 3.352e12;
    EXPECT_GE(std::max(arithmetic, memory), 0.0028) << point.name;
  }
}

/// The first time around comes from L2, of the 512 or more that are measured, 256 in quick mode.
TEST(GpuCeilingPlan, a_chase_goes_around_so_often_that_an_L1_that_was_empty_hardly_shows) {
  std::size_t small_sets = 0;
  for (const CeilingMode mode : {CeilingMode::quick, CeilingMode::full})
    for (const CeilingCase& point : plan(mode, large())) {
      if (point.pattern != "chase") continue;
      EXPECT_EQ(point.amount_per_sweep, static_cast<double>(point.measured.parameters.integer("steps")));
      EXPECT_GE(point.amount_per_sweep, 8192);
      if (point.working_set_bytes > 256 * 1024) continue;
      ++small_sets;
      EXPECT_GE(point.amount_per_sweep, (mode == CeilingMode::quick ? 256 : 512) * point.working_set_bytes / 128)
          << point.working_set_bytes;
    }
  EXPECT_GE(small_sets, 10U);
}

/// Users know a GPU's memory so: both halves of a GiB, read and written, far beyond L2; the quick plan has no time for it.
TEST(GpuCeilingPlan, in_full_mode_the_runtimes_own_copy_stands_beside_the_streams_of_memory) {
  const auto of = [](CeilingMode mode) {
    auto points = plan(mode, large());
    std::erase_if(points, [](const CeilingCase& point) { return point.name != "GPU mem copy, cudaMemcpy"; });
    return points;
  };
  EXPECT_TRUE(of(CeilingMode::quick).empty());
  const auto copies = of(CeilingMode::full);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].level, "mem");
  EXPECT_EQ(copies[0].unit, "GB/s");
  EXPECT_EQ(copies[0].amount_per_sweep, 1024 * MiB);
  EXPECT_EQ(copies[0].working_set_bytes, 1024 * MiB);
  EXPECT_EQ(copies[0].measured.parameters.word("way"), "copy_here");
}

/// Two blocks of 32 KiB a multiprocessor are read again and again; what fills them is not counted.
TEST(GpuCeilingPlan, of_shared_memory_counts_its_loads) {
  for (const CeilingCase& point : plan(CeilingMode::full, large()))
    if (point.name == "GPU shared load") {
      EXPECT_EQ(point.working_set_bytes, 264 * 32768.0);
      EXPECT_EQ(point.amount_per_sweep, 264 * 32768.0 * static_cast<double>(point.measured.parameters.integer("repeat")));
    }
}

/// The rates are the estimate's own: 128 FLOP a cycle and multiprocessor in fp64.
TEST(GpuCeilingPlan, a_sweep_of_arithmetic_lasts_some_milliseconds) {
  const auto all = plan(CeilingMode::full, large());
  const auto fma = std::find_if(all.begin(), all.end(), [](const CeilingCase& point) { return point.name == "GPU FP64 FMA"; });
  ASSERT_NE(fma, all.end());
  EXPECT_NEAR(fma->amount_per_sweep / (128 * 132 * 1.98e9), 0.003, 0.0003);
}

// ------------------------------------------------------------------------------------------------- products of matrices

/// The module's kernels, but with the library as it is on no machine or on every one.
std::vector<Kernel> kernels_with_library(const std::string& why_not = "") {
  static const std::vector<Flavor> flavors = [] {
    std::vector<Flavor> all;
    for (const char* type : {"fp16", "bf16", "tf32", "fp64", "fp8", "int8", "fp32"}) all.push_back({"lib-cublas", type, nullptr});
    return all;
  }();
  std::vector<Kernel> kernels = opened_module().kernels();
  for (Kernel& kernel : kernels) {
    if (kernel.name != "ert/gemm") continue;
    kernel.flavors = [why_not] { return why_not.empty() ? std::span<const Flavor>(flavors) : std::span<const Flavor>(); };
    kernel.absent_flavors = [why_not] {
      return why_not.empty() ? std::vector<AbsentFlavor>() : std::vector<AbsentFlavor>{{"lib-cublas", why_not}};
    };
  }
  return kernels;
}

std::map<std::string, std::vector<std::string>> sizes_by_name(CeilingMode mode, const GpuProperties& gpu) {
  const std::vector<Kernel> kernels = kernels_with_library();
  std::map<std::string, std::vector<std::string>> sizes;
  for (const CeilingCase& point : plan_gpu_ceilings(mode, gpu, kernels))
    if (point.level == "gemm") sizes[point.name].push_back(point.pattern);
  return sizes;
}

GpuProperties of_capability(int major, int minor) {
  GpuProperties other = large();
  other.major = major, other.minor = minor;
  return other;
}

TEST(GpuCeilingPlan, products_of_matrices_are_of_every_type_and_size) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const auto sizes = sizes_by_name(CeilingMode::full, large());
  for (const char* name : {"GPU tensor FP16 cuBLAS", "GPU tensor BF16 cuBLAS", "GPU tensor TF32 cuBLAS", "GPU tensor FP64 cuBLAS",
                           "GPU tensor FP8 cuBLAS", "GPU tensor INT8 cuBLAS", "GPU FP32 cuBLAS"}) {
    ASSERT_TRUE(sizes.contains(name)) << name;
    EXPECT_EQ(sizes.at(name), (std::vector<std::string>{"n=8192", "n=4096", "n=2048", "n=1024"})) << name;
  }
  EXPECT_EQ(sizes.size(), 7U);
}

TEST(GpuCeilingPlan, quick_has_the_largest_products_of_two_types) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const std::map<std::string, std::vector<std::string>> largest{{"GPU tensor BF16 cuBLAS", {"n=8192"}},
                                                                {"GPU tensor FP64 cuBLAS", {"n=8192"}}};
  EXPECT_EQ(sizes_by_name(CeilingMode::quick, large()), largest);
}

TEST(GpuCeilingPlan, products_of_matrices_have_the_librarys_flavor_and_the_conventions_flops) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const std::vector<Kernel> kernels = kernels_with_library();
  for (const CeilingCase& point : plan_gpu_ceilings(CeilingMode::full, large(), kernels)) {
    if (point.name != "GPU tensor FP8 cuBLAS" || point.pattern != "n=2048") continue;
    EXPECT_EQ(point.measured.id(), "ert/gemm/fp8/n=2048/g1/lib-cublas");
    EXPECT_EQ(point.measured.work_id(), "ert/gemm/fp8/n=2048");
    EXPECT_EQ(point.precision, "tensor.fp8");
    EXPECT_EQ(point.amount_per_sweep, 2.0 * 2048 * 2048 * 2048);
    EXPECT_EQ(point.working_set_bytes, 2048.0 * 2048 * (1 + 1 + 4));
    return;
  }
  FAIL() << "no such point";
}

/// A GPU whose fp64 is 1/64 of its fp32 would take seconds for the largest product; one with little memory does not hold all.
TEST(GpuCeilingPlan, products_too_long_or_too_large_are_left_out) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const auto slow = sizes_by_name(CeilingMode::full, of_capability(8, 6));
  EXPECT_FALSE(slow.contains("GPU tensor FP8 cuBLAS"));
  EXPECT_EQ(slow.at("GPU tensor FP64 cuBLAS").front(), "n=2048");
  GpuProperties tiny = large();
  tiny.memory_bytes = 410'000'000;
  EXPECT_EQ(sizes_by_name(CeilingMode::quick, tiny).at("GPU tensor FP64 cuBLAS").front(), "n=2048") << "102 MB hold 3 x 32 MiB";
}

/// The GPU's own instruction for BF16 lasts, and so do FMAs and the library's largest product.
TEST(GpuCeilingPlan, in_full_mode_arithmetic_is_sampled_for_a_second_too_on_the_data_of_its_burst) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const std::vector<Kernel> kernels = kernels_with_library();
  const auto all = plan_gpu_ceilings(CeilingMode::full, large(), kernels);
  std::map<std::string, std::size_t> of_precision;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].sample_seconds > 0, all[i].level == "sustained") << all[i].name;
    if (all[i].level != "sustained") continue;
    EXPECT_GE(all[i].sample_seconds, 1);
    EXPECT_EQ(all[i].name, all.at(i - 1).name + ", sustained");
    EXPECT_EQ(all[i].measured.id(), all.at(i - 1).measured.id());
    EXPECT_EQ(all[i].amount_per_sweep, all.at(i - 1).amount_per_sweep);
    ++of_precision[all[i].precision];
  }
  EXPECT_EQ(of_precision, (std::map<std::string, std::size_t>{{"fp64", 1}, {"fp32", 1}, {"tensor.bf16", 2}}));
  for (const CeilingCase& one : plan_gpu_ceilings(CeilingMode::quick, large(), kernels)) EXPECT_EQ(one.sample_seconds, 0) << one.name;
}

TEST(GpuCeilingPlan, a_library_or_a_type_that_is_missing_is_told_with_its_words) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const auto told = [](const GpuProperties& gpu, const std::vector<Kernel>& kernels) {
    std::map<std::string, std::string> reasons;
    for (const AbsentFlavor& one : absent_gpu_ceilings(gpu, kernels)) reasons[one.name] = one.reason;
    return reasons;
  };
  const std::string words = "cuBLAS cannot be opened: libcublasLt.so.13: cannot open shared object file";
  const std::vector<Kernel> without = kernels_with_library(words), with = kernels_with_library();
  EXPECT_EQ(told(large(), without).at("GPU tensor BF16 cuBLAS"), words);
  for (const std::string& name : names(plan_gpu_ceilings(CeilingMode::full, large(), without)))
    EXPECT_FALSE(name.ends_with("cuBLAS")) << name;
  EXPECT_FALSE(told(large(), with).contains("GPU tensor FP8 cuBLAS"));
  EXPECT_EQ(told(of_capability(8, 0), with).at("GPU tensor FP8 cuBLAS"), "needs compute capability 8.9");
  std::vector<Kernel> unbuilt = with;
  std::erase_if(unbuilt, [](const Kernel& kernel) { return kernel.name == "ert/gemm"; });
  EXPECT_NE(told(large(), unbuilt).at("GPU FP32 cuBLAS").find("cublasLt.h"), std::string::npos);
}

/// Held with the library, so that it holds on machines without it too.
TEST(GpuCeilingPlan, products_of_matrices_stay_within_the_time_of_the_plan) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const std::vector<Kernel> kernels = kernels_with_library();
  for (const GpuProperties& one : {large(), small(), of_capability(8, 6), of_capability(12, 0)}) {
    EXPECT_LT(gpu_ceilings_seconds(plan_gpu_ceilings(CeilingMode::quick, one, kernels), one, 4), 30) << one.name << one.major;
    EXPECT_LT(gpu_ceilings_seconds(plan_gpu_ceilings(CeilingMode::full, one, kernels), one, 5), 240) << one.name << one.major;
  }
}

/// The names of ceilings as they are planned, or for a sweep as its levels are called: "GPU L2 load".
std::set<std::string> names_of_ceilings(const GpuProperties& gpu, const std::vector<Kernel>& kernels) {
  std::set<std::string> all;
  for (const CeilingCase& point : plan_gpu_ceilings(CeilingMode::full, gpu, kernels)) {
    if (point.level != "sweep") all.insert(point.name);
    if (point.pattern == "load own") all.insert("GPU L1 load");
    if (point.level == "sweep" && point.pattern != "load own")
      for (const char* level : {"GPU L2 ", "GPU mem "}) all.insert(level + point.pattern);
  }
  return all;
}

TEST(GpuCeilingPlan, measures_what_the_goals_name) {
  if (!has_library()) GTEST_SKIP() << no_library;
  std::ifstream file(PLUMBLINE_GOALS);
  const std::string goals{std::istreambuf_iterator<char>(file), {}};
  GpuProperties hopper = large();
  hopper.flavor = "cuda13-sm_90a";
  const std::set<std::string> measured = names_of_ceilings(hopper, kernels_with_library());
  const std::regex name("\"(GPU [^\"]+)\"");
  std::size_t found = 0;
  for (std::sregex_iterator at(goals.begin(), goals.end(), name), end; at != end; ++at, ++found)
    EXPECT_TRUE(measured.contains((*at)[1])) << (*at)[1];
  EXPECT_GT(found, 20U);
}

TEST(GpuCeilingPlan, what_a_gpu_cannot_be_asked_has_a_reason) {
  GpuProperties two = large();
  two.peers = 1;
  const auto missing = absent_gpu_ceilings(large(), opened_module().kernels());
  const auto alone = names(plan(CeilingMode::full, large())), beside = names(plan(CeilingMode::full, two));
  for (const char* name : {"GPU from peer, copy engine", "GPU to peer, copy engine", "GPU from peer, kernel", "GPU to peer, kernel"}) {
    EXPECT_TRUE(std::any_of(missing.begin(), missing.end(), [&](const AbsentFlavor& one) {
      return one.name == name && !one.reason.empty();
    })) << name;
    EXPECT_FALSE(alone.contains(name)) << name;
    EXPECT_TRUE(beside.contains(name)) << name;
  }
}

/// Links are measured both ways by the copy engine and by a kernel: for each 128 MiB cross the link, whatever memory is at its other end.
TEST(GpuCeilingPlan, of_links_has_both_ways_by_copy_engine_and_by_kernel) {
  GpuProperties two = large();
  two.peers = 1;
  const auto all = plan(CeilingMode::full, two);
  std::set<std::string> links;
  for (const CeilingCase& point : all) {
    if (point.level != "host-dev") continue;
    links.insert(point.name);
    EXPECT_EQ(point.amount_per_sweep, 128 * MiB) << point.name;
    EXPECT_EQ(point.measured.parameters.word("to"), point.name.starts_with("GPU from ") ? "device" : "host") << point.name;
    EXPECT_EQ(point.measured.parameters.word("way").starts_with("kernel_"), point.name.find(", kernel") != std::string::npos) << point.name;
    EXPECT_EQ(point.measured.parameters.word("way").ends_with("_peer"), point.name.find(" peer,") != std::string::npos) << point.name;
  }
  std::set<std::string> expected;
  for (const std::string way : {"from ", "to "})
    for (const std::string end :
         {"host, copy engine, pinned", "host, copy engine, pageable", "host, kernel, pinned", "peer, copy engine", "peer, kernel"})
      expected.insert("GPU " + way + end);
  EXPECT_EQ(links, expected);
}

/// Each differs from the first in one thing, so that what it costs can be told.
TEST(GpuCeilingPlan, in_full_mode_launches_are_measured_by_what_is_launched) {
  const auto all = plan(CeilingMode::full, large());
  const Parameters& least = named(all, "GPU launch of 1 thread").measured.parameters;
  EXPECT_EQ(least.path(), "blocks=1/threads=1/arguments=1/shared_bytes=0/launches=1000");
  const auto differs = [&](const std::string& name) {
    const CeilingCase& one = named(all, name);
    EXPECT_EQ(one.level, "overhead");
    EXPECT_EQ(one.amount_per_sweep, 1000);
    std::map<std::string, std::uint64_t> changed;
    for (const char* what : {"blocks", "threads", "arguments", "shared_bytes", "launches"})
      if (const auto value = one.measured.parameters.integer(what); value != least.integer(what)) changed[what] = value;
    return changed;
  };
  using Changed = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(differs("GPU launch of 1024 threads"), (Changed{{"threads", 1024}}));
  EXPECT_EQ(differs("GPU launch of 256 threads an SM"), (Changed{{"threads", 256}, {"blocks", 132}}));
  EXPECT_EQ(differs("GPU launch of 2048 threads an SM"), (Changed{{"threads", 256}, {"blocks", 8 * 132}}));
  EXPECT_EQ(differs("GPU launch of 8 arguments"), (Changed{{"arguments", 8}}));
  EXPECT_EQ(differs("GPU launch of 128 arguments"), (Changed{{"arguments", 128}}));
  EXPECT_EQ(differs("GPU launch of 48 KiB of shared memory"), (Changed{{"shared_bytes", 48 * 1024}}));
  EXPECT_FALSE(names(plan(CeilingMode::quick, large())).contains("GPU launch of 1 thread"));
}

/// Blocks that find no room wait for others: that would be two waves, and no launch of a full GPU.
TEST(GpuCeilingPlan, the_launch_that_fills_a_gpu_is_one_wave_of_blocks_whatever_a_multiprocessor_has_room_for) {
  for (const int threads : {1024, 1536, 2048}) {
    GpuProperties one = large();
    one.threads_per_multiprocessor = threads;
    const auto all = plan(CeilingMode::full, one);
    const Parameters& full = named(all, "GPU launch of " + std::to_string(threads) + " threads an SM").measured.parameters;
    EXPECT_EQ(full.integer("blocks") * full.integer("threads"), 132U * static_cast<unsigned>(threads));
    const auto has_another = [&](const CeilingCase& point) {
      return point.name.ends_with(" threads an SM") && point.measured.parameters.integer("blocks") > full.integer("blocks");
    };
    EXPECT_TRUE(std::none_of(all.begin(), all.end(), has_another)) << threads;
  }
}

TEST(GpuCeilingPlan, is_empty_for_a_gpu_without_code) {
  GpuProperties other = large();
  other.flavor = "";
  EXPECT_TRUE(plan(CeilingMode::full, other).empty());
}

}  // namespace
}  // namespace plumbline
