// GPUs' ceilings are tried by hand-calculated limits and by made-up samples of a GPU like an H100: nothing here was measured on one.
#include "model/ceilings/gpu_ceilings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/gpu_device.hpp"
#include "machines.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/ceilings/disturbances.hpp"
#include "model/ceilings/gpu_limits.hpp"
#include "model/ceilings/node_levels.hpp"

namespace plumbline {
namespace {

using test::MiB;

const GpuIdentity h100{"cuda13-sm_90a", "made-up H100", 9, 0, 132}, a100{"cuda13-sm_80", "", 8, 0, 108}, t4{"cuda13-sm_75", "", 7, 5, 40},
    unknown_gpu{"cuda13-sm_90a", "", 11, 0, 10};
constexpr double clock_hz = 1.98e9;

double flops_of_gpu(const GpuIdentity& gpu, const char* precision, const char* pattern) {
  const auto limit = gpu_arithmetic_limit(gpu, precision, pattern);
  return limit ? limit->per_clock : absent;
}

TEST(GpuLimits, are_those_of_the_vendors_tables) {
  EXPECT_EQ(flops_of_gpu(h100, "fp64", "fma"), 128);
  EXPECT_EQ(flops_of_gpu(h100, "fp64", "mul+add"), 64);
  EXPECT_EQ(flops_of_gpu(h100, "fp32", "fma"), 256);
  EXPECT_EQ(flops_of_gpu(h100, "fp16", "fma"), 512);
  EXPECT_EQ(flops_of_gpu(h100, "bf16", "fma"), 512);
  EXPECT_EQ(flops_of_gpu(h100, "tensor.bf16", "wgmma"), 4096);
  EXPECT_EQ(flops_of_gpu(h100, "tensor.int8", "wgmma"), 8192);
  EXPECT_EQ(flops_of_gpu(a100, "bf16", "fma"), 256);
  EXPECT_EQ(flops_of_gpu(a100, "tensor.fp64", "mma.sync"), 128);
  EXPECT_EQ(flops_of_gpu(t4, "fp64", "fma"), 4);
  EXPECT_EQ(gpu_bandwidth_limit(h100, "shared")->per_clock, 128);
  EXPECT_EQ(gpu_bandwidth_limit(h100, "L1")->per_clock, 128);
}

TEST(GpuLimits, of_peaks_that_data_sheets_tell) {  // TFLOP/s: H100 SXM5 at 1.83 GHz, A100 at 1.41 GHz, T4 at 1.59 GHz
  EXPECT_NEAR(132 * 1.83e-3 * flops_of_gpu(h100, "tensor.fp16", "mma.sync"), 989.4, 1);
  EXPECT_NEAR(132 * 1.98e-3 * flops_of_gpu(h100, "fp64", "fma"), 33.5, 0.1);
  EXPECT_NEAR(132 * 1.98e-3 * flops_of_gpu(h100, "fp32", "fma"), 66.9, 0.1);
  EXPECT_NEAR(108 * 1.41e-3 * flops_of_gpu(a100, "fp64", "fma"), 9.7, 0.1);
  EXPECT_NEAR(108 * 1.41e-3 * flops_of_gpu(a100, "fp16", "fma"), 78, 0.1);
  EXPECT_NEAR(108 * 1.41e-3 * flops_of_gpu(a100, "bf16", "fma"), 39, 0.1);
  EXPECT_NEAR(108 * 1.41e-3 * flops_of_gpu(a100, "tensor.tf32", "mma.sync"), 156, 1);
  EXPECT_NEAR(40 * 1.59e-3 * flops_of_gpu(t4, "tensor.fp16", "mma.sync"), 65, 1);
}

/// RTX 3090 at 1.695 GHz and 5070 at 2.512 GHz, by their makers' 35.6 and 30.9 TFLOP/s in fp32; fp64 is a 64th.
TEST(GpuLimits, of_graphics_chips_are_those_of_fp32_in_16_bits_and_say_so) {
  const GpuIdentity ga102{"", "", 8, 6, 82}, ad102{"", "", 8, 9, 128}, gb205{"", "", 12, 0, 48}, b200{"", "", 10, 0, 148};
  EXPECT_NEAR(82 * 1.695e-3 * flops_of_gpu(ga102, "fp32", "fma"), 35.6, 0.1);
  EXPECT_NEAR(48 * 2.512e-3 * flops_of_gpu(gb205, "fp16", "fma"), 30.9, 0.1);
  for (const GpuIdentity& chip : {ga102, ad102, gb205}) {
    EXPECT_EQ(flops_of_gpu(chip, "fp64", "fma"), 4);
    EXPECT_EQ(flops_of_gpu(chip, "fp32", "fma"), 64 * flops_of_gpu(chip, "fp64", "fma"));
    for (const char* halves : {"fp16", "bf16"}) {
      EXPECT_EQ(flops_of_gpu(chip, halves, "fma"), flops_of_gpu(chip, "fp32", "fma"));
      EXPECT_NE(gpu_arithmetic_limit(chip, halves, "fma")->source.find("unverified"), std::string::npos);
    }
    EXPECT_EQ(gpu_arithmetic_limit(chip, "fp32", "fma")->source.find("unverified"), std::string::npos);
  }
  EXPECT_EQ(flops_of_gpu(b200, "fp64", "fma"), 128);
  EXPECT_EQ(flops_of_gpu(b200, "fp32", "fma"), 256);
  EXPECT_TRUE(std::isnan(flops_of_gpu(b200, "fp16", "fma"))) << "the documents disagree";
}

TEST(GpuLimits, are_absent_where_the_table_has_none) {
  EXPECT_TRUE(std::isnan(flops_of_gpu(unknown_gpu, "fp64", "fma")));
  EXPECT_TRUE(std::isnan(flops_of_gpu(t4, "bf16", "fma")));
  EXPECT_TRUE(std::isnan(flops_of_gpu(a100, "tensor.fp8", "mma.sync")));
  EXPECT_TRUE(std::isnan(flops_of_gpu(h100, "fp64", "dot")));
  EXPECT_FALSE(gpu_bandwidth_limit(h100, "L2"));
  EXPECT_FALSE(gpu_bandwidth_limit(unknown_gpu, "L1"));
}

TEST(GpuLimits, a_method_says_which_gpu_it_was) {
  EXPECT_EQ(gpu_method(h100), "cuda13-sm_90a, 132 multiprocessors of 9.0, made-up H100");
  const auto read = gpu_of_method(gpu_method(h100));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->flavor, h100.flavor);
  EXPECT_EQ(read->name, h100.name);
  EXPECT_EQ(read->multiprocessors, 132);
  EXPECT_EQ(read->major, 9);
  EXPECT_EQ(read->minor, 0);
  for (const char* words :
       {"", "gcc12-O3-v3", "gcc12-O3-v3, best working set 32 KiB", "x, y multiprocessors of 9.0", "x, 3 multiprocessors of 9"})
    EXPECT_FALSE(gpu_of_method(words)) << words;
}

CeilingRow row(const std::string& name, const std::string& precision, const std::string& level, const std::string& pattern,
               const char* unit, double value, int round = 0) {
  CeilingRow r{.name = name,
               .precision = precision,
               .level = level,
               .pattern = pattern,
               .node = "n0",
               .session = "s",
               .round = round,
               .value = value,
               .unit = unit,
               .method = gpu_method(h100)};
  r.clock_hz = clock_hz;
  r.scope = gpu_scope;
  return r;
}

const Ceiling* named(const std::vector<Ceiling>& ceilings, const std::string& name) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.name == name; });
  return found == ceilings.end() ? nullptr : &*found;
}

/// Loads past L1: 5500 GB/s up to 40 MB, 2900 GB/s beyond; each multiprocessor's own: 30 TB/s up to 192 KiB each, then what L2 gives.
std::vector<CeilingRow> sweeps() {
  std::vector<CeilingRow> rows;
  for (int round = 0; round < 3; ++round) {
    const double noise = 1 - 0.003 * round;
    for (double bytes = 2 * MiB; bytes < 4600 * MiB; bytes *= std::exp2(0.25)) {
      const double in_l2 = std::min(1.0, 40 * MiB / bytes),
                   rate = 1 / (in_l2 * in_l2 * in_l2 * in_l2 / 5500 + (1 - in_l2 * in_l2 * in_l2 * in_l2) / 2900);
      rows.push_back(row("GPU load", "-", "sweep", gpu_load, "GB/s", rate * noise, round));
      rows.back().working_set_bytes = bytes;
      if (bytes > 32 * MiB && bytes < 40 * MiB) continue;
      rows.push_back(row("GPU copy", "-", "sweep", "copy", "GB/s", (bytes < 40 * MiB ? 4000 : 2700) * noise, round));
      rows.back().working_set_bytes = bytes;
    }
    for (double bytes = 16384; bytes < 600 * MiB; bytes *= 2) {
      rows.push_back(row("GPU chase", "-", "sweep", gpu_chase, "seconds",
                         (bytes <= 192 * 1024 ? 20e-9
                          : bytes < 40 * MiB  ? 130e-9
                                              : 430e-9) /
                             noise,
                         round));
      rows.back().working_set_bytes = bytes;
    }
    for (const int pieces : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48}) {
      rows.push_back(row("GPU load own", "-", "sweep", gpu_load_own, "GB/s", (pieces <= 12 ? 32500 : 5600) * noise, round));
      rows.back().working_set_bytes = 132 * 16384.0 * pieces;
    }
  }
  return rows;
}

TEST(GpuCeilings, levels_are_where_the_sweeps_have_their_steps) {
  const auto ceilings = fit_gpu_ceilings(sweeps());
  const Ceiling *l1 = named(ceilings, "GPU L1 load"), *l2 = named(ceilings, "GPU L2 load"), *mem = named(ceilings, "GPU mem load"),
                *copy = named(ceilings, "GPU mem copy");
  ASSERT_TRUE(l1 && l2 && mem && copy);
  EXPECT_EQ(l1->status, Status::ok);
  EXPECT_NEAR(l1->value, 32500, 1);
  EXPECT_NEAR(l1->size_bytes / 132 / 1024, 192, 64);
  EXPECT_NEAR(l1->limit, 128 * 132 * 1.98, 1e-6);
  EXPECT_NEAR(l2->value, 5500, 50);
  EXPECT_NEAR(l2->size_bytes / MiB, 40, 15);
  EXPECT_TRUE(std::isnan(l2->limit));
  EXPECT_NEAR(mem->value, 2900, 30);
  EXPECT_EQ(mem->traffic_gbs, mem->value);
  EXPECT_NEAR(copy->value, 2700, 1);
}

TEST(GpuCeilings, latencies_are_those_of_one_multiprocessors_l1_and_of_what_lies_behind) {
  const auto ceilings = fit_gpu_ceilings(sweeps());
  const Ceiling *l1 = named(ceilings, "GPU L1 chase"), *l2 = named(ceilings, "GPU L2 chase"), *mem = named(ceilings, "GPU mem chase");
  ASSERT_TRUE(l1 && l2 && mem);
  EXPECT_NEAR(l1->value, 20e-9, 1e-12);
  EXPECT_NEAR(l2->value, 130e-9, 1e-12);
  EXPECT_NEAR(mem->value, 430e-9, 1e-12);
}

TEST(GpuCeilings, without_a_step_there_is_a_reason_and_no_number) {
  std::vector<CeilingRow> flat;
  for (double bytes = 2 * MiB; bytes < 4600 * MiB; bytes *= std::exp2(0.5)) {
    flat.push_back(row("GPU load", "-", "sweep", gpu_load, "GB/s", 1000));
    flat.back().working_set_bytes = bytes;
  }
  const auto ceilings = fit_gpu_ceilings(flat);
  ASSERT_TRUE(named(ceilings, "GPU mem load"));
  EXPECT_NE(named(ceilings, "GPU mem load")->status, Status::ok);
  EXPECT_FALSE(named(ceilings, "GPU mem load")->reason.empty());
  EXPECT_TRUE(std::isnan(named(ceilings, "GPU L2 load")->value));
}

TEST(GpuCeilings, arithmetic_is_held_against_its_limit_at_the_clock_of_the_best_sample) {
  auto slow = row("GPU FP64 FMA", "fp64", "compute", "fma", "GFLOP/s", 30000),
       fast = row("GPU FP64 FMA", "fp64", "compute", "fma", "GFLOP/s", 32000, 1);
  slow.clock_hz = 1.8e9;
  const auto ceilings = fit_gpu_ceilings(std::vector{slow, fast});
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_EQ(ceilings[0].value, 32000);
  EXPECT_EQ(ceilings[0].n, 2U);
  EXPECT_EQ(ceilings[0].clock_hz, clock_hz);
  EXPECT_NEAR(ceilings[0].limit, 132 * 128 * 1.98, 1e-6);
  EXPECT_NEAR(ceilings[0].fraction_of_limit(), 0.9565, 1e-3);
}

TEST(GpuCeilings, what_lasts_is_no_roof_and_has_the_power_and_the_limit_of_its_best_sample) {
  auto burst = row("GPU tensor BF16 wgmma", "tensor.bf16", "compute", "wgmma", "GFLOP/s", 900e3);
  auto hot = row("GPU tensor BF16 wgmma, sustained", "tensor.bf16", "sustained", "wgmma", "GFLOP/s", 640e3), cool = hot;
  cool.round = 1;
  cool.value = 650e3;
  cool.clock_hz = 1.3e9;
  cool.power_watts = 690;
  cool.sample_seconds = 1.02;
  hot.power_watts = 700;
  const auto ceilings = fit_gpu_ceilings(std::vector{burst, hot, cool});
  ASSERT_EQ(ceilings.size(), 2U);
  const Ceiling* const lasting = named(ceilings, "GPU tensor BF16 wgmma, sustained");
  ASSERT_TRUE(lasting);
  EXPECT_FALSE(lasting->is_compute());
  EXPECT_EQ(lasting->value, 650e3);
  EXPECT_EQ(lasting->power_watts, 690);
  EXPECT_EQ(lasting->sample_seconds, 1.02);
  EXPECT_NEAR(lasting->limit, 4096 * 132 * 1.3, 1e-6);
  EXPECT_TRUE(named(ceilings, "GPU tensor BF16 wgmma")->is_compute());
  EXPECT_TRUE(std::isnan(named(ceilings, "GPU tensor BF16 wgmma")->power_watts));
}

CeilingRow product(double n, double value, int round, const char* name = "GPU tensor BF16 cuBLAS", const char* precision = "tensor.bf16") {
  CeilingRow r = row(name, precision, "gemm", "n=" + std::to_string(static_cast<int>(n)), "GFLOP/s", value, round);
  r.working_set_bytes = 8 * n * n;
  return r;
}

TEST(GpuCeilings, of_products_the_best_size_is_the_ceiling_and_each_has_a_row) {
  const auto ceilings = fit_gpu_ceilings(std::vector{product(1024, 300e3, 0), product(4096, 700e3, 0), product(8192, 690e3, 0),
                                                     product(1024, 310e3, 1), product(4096, 680e3, 1), product(8192, 702e3, 1)});
  ASSERT_EQ(ceilings.size(), 4U);
  const Ceiling* const best = named(ceilings, "GPU tensor BF16 cuBLAS");
  ASSERT_TRUE(best);
  EXPECT_EQ(best->level, "compute");
  EXPECT_EQ(best->pattern, "n=8192") << "by medians: 696 above 690";
  EXPECT_EQ(best->value, 702e3);
  EXPECT_EQ(best->n, 2U) << "other sizes are no samples of it";
  EXPECT_NEAR(best->limit, 4096 * 132 * 1.98, 1e-6);
  EXPECT_EQ(best->samples_bytes, 8.0 * 8192 * 8192);
  const Ceiling* const small = named(ceilings, "GPU tensor BF16 cuBLAS, n=1024");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->level, "gemm");
  EXPECT_EQ(small->value, 310e3);
  EXPECT_EQ(small->limit, best->limit);
}

TEST(GpuCeilings, of_one_size_of_products_there_is_one_row) {
  const auto ceilings = fit_gpu_ceilings(std::vector{product(8192, 50e3, 0, "GPU FP32 cuBLAS", "fp32")});
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_TRUE(ceilings[0].is_compute());
  EXPECT_NEAR(ceilings[0].limit, 256 * 132 * 1.98, 1e-6) << "of FMAs";
}

TEST(GpuCeilings, of_products_that_all_failed_there_is_the_reason) {
  auto failed = product(8192, absent, 0), other = product(4096, absent, 0);
  failed.status = other.status = Status::failed;
  failed.reason = "cuBLAS 13.1 has no product of these types";
  const auto ceilings = fit_gpu_ceilings(std::vector{failed, other});
  ASSERT_EQ(ceilings.size(), 3U);
  EXPECT_EQ(ceilings[0].status, Status::failed);
  EXPECT_NE(ceilings[0].reason.find("has no product"), std::string::npos);
}

/// The rates are like an H200's on PCIe 5.0 x16: a kernel that loads from the host reaches 50 GB/s, one that stores there 53, the copy
/// engine 55.
std::vector<CeilingRow> link_samples() {
  std::vector<CeilingRow> rows;
  for (const int round : {0, 1}) {
    const double noise = 1 - 0.01 * round;
    rows.push_back(row("GPU from host, copy engine, pinned", "-", "host-dev", "copy_pinned to device", "GB/s", 55 * noise, round));
    rows.push_back(row("GPU from host, kernel, pinned", "-", "host-dev", "kernel_pinned to device", "GB/s", 50 * noise, round));
    rows.push_back(row("GPU to host, kernel, pinned", "-", "host-dev", "kernel_pinned to host", "GB/s", 53 * noise, round));
    rows.push_back(row("GPU from peer, kernel", "-", "host-dev", "kernel_peer to device", "GB/s", 300 * noise, round));
  }
  return rows;
}

TEST(GpuCeilings, what_kernels_reach_of_the_hosts_memory_is_a_level_and_what_copy_engines_and_peers_reach_is_none) {
  const auto ceilings = fit_gpu_ceilings(link_samples());
  ASSERT_EQ(ceilings.size(), 4U);
  for (const auto& [name, level, value] : {std::tuple{"GPU from host, copy engine, pinned", "host-dev", 55.0},
                                           {"GPU from host, kernel, pinned", "system", 50.0},
                                           {"GPU to host, kernel, pinned", "system", 53.0},
                                           {"GPU from peer, kernel", "host-dev", 300.0}}) {
    const Ceiling* const one = named(ceilings, name);
    ASSERT_TRUE(one) << name;
    EXPECT_EQ(one->level.word(), level) << name;
    EXPECT_EQ(one->value, value) << name;
    EXPECT_EQ(one->traffic_gbs, value) << name;
    EXPECT_EQ(one->n, 2U) << name;
    EXPECT_TRUE(std::isnan(one->limit)) << name;
  }
}

TEST(GpuCeilings, of_launches_the_shortest_counts) {
  const auto ceilings = fit_gpu_ceilings(std::vector{row("GPU launch, graph", "-", "overhead", "graph", "seconds", 1.4e-6),
                                                     row("GPU launch, graph", "-", "overhead", "graph", "seconds", 1.3e-6, 1)});
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_EQ(ceilings[0].value, 1.3e-6);
  EXPECT_TRUE(std::isnan(ceilings[0].limit));
}

TEST(GpuCeilings, what_failed_is_there_with_its_reason) {
  auto failed = row("GPU tensor BF16 wgmma", "tensor.bf16", "compute", "wgmma", "GFLOP/s", absent);
  failed.status = Status::wrong_result;
  failed.reason = "wrong result";
  const auto ceilings = fit_gpu_ceilings(std::vector{failed});
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_EQ(ceilings[0].status, Status::wrong_result);
  EXPECT_NE(ceilings[0].reason.find("wrong result"), std::string::npos);
}

TEST(GpuCeilings, of_each_gpu_of_a_node_are_its_own) {
  std::vector<CeilingRow> rows = sweeps();
  for (CeilingRow second : sweeps()) {
    second.name = name_on_gpu(second.name, 1);
    second.device = 1;
    second.value *= second.unit == "seconds" ? 2 : 0.5;
    rows.push_back(second);
  }
  rows.push_back(row("GPU FP64 FMA", "fp64", "compute", "fma", "GFLOP/s", 30000));
  rows.push_back(row("GPU1 FP64 FMA", "fp64", "compute", "fma", "GFLOP/s", 20000));
  rows.back().device = 1;
  const auto ceilings = fit_gpu_ceilings(rows);
  EXPECT_EQ(ceilings.size(), 2 * (fit_gpu_ceilings(sweeps()).size() + 1));
  for (const auto& [of_first, of_second] :
       {std::pair{"GPU L1 load", "GPU1 L1 load"}, {"GPU mem load", "GPU1 mem load"}, {"GPU L2 copy", "GPU1 L2 copy"}}) {
    ASSERT_TRUE(named(ceilings, of_first) && named(ceilings, of_second)) << of_second;
    EXPECT_DOUBLE_EQ(named(ceilings, of_second)->value, 0.5 * named(ceilings, of_first)->value);
  }
  EXPECT_DOUBLE_EQ(named(ceilings, "GPU1 mem chase")->value, 2 * named(ceilings, "GPU mem chase")->value);
  EXPECT_EQ(named(ceilings, "GPU1 FP64 FMA")->value, 20000);
}

TEST(GpuCeilings, never_meet_those_of_cpus) {
  const auto gpu_rows = sweeps();
  EXPECT_TRUE(levels_of_nodes(gpu_rows).empty());
  EXPECT_TRUE(find_disturbances(gpu_rows).empty());
  const auto alone = fit_ceilings(gpu_rows, {});
  EXPECT_EQ(alone.size(), fit_gpu_ceilings(gpu_rows).size());
  for (const Ceiling& ceiling : alone) EXPECT_EQ(ceiling.scope, gpu_scope);

  std::vector<CeilingRow> cpu_rows;
  for (double bytes = 4608; bytes < 140 * MiB; bytes *= std::exp2(0.25)) {
    cpu_rows.push_back({.name = "load",
                        .precision = "-",
                        .level = "sweep",
                        .pattern = "load",
                        .node = "n0",
                        .session = "s",
                        .value = bytes < 32768 ? 300.0
                                 : bytes < MiB ? 100.0
                                               : 10.0,
                        .unit = "GB/s",
                        .method = "gcc12-O3-v3"});
    cpu_rows.back().working_set_bytes = bytes;
  }
  const auto before = fit_ceilings(cpu_rows, {});
  auto both = cpu_rows;
  both.insert(both.begin(), gpu_rows.begin(), gpu_rows.end());
  const auto after = fit_ceilings(both, {});
  ASSERT_EQ(after.size(), before.size() + alone.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(after[i].value, before[i].value);
    EXPECT_NE(after[i].scope, gpu_scope);
  }
}

TEST(GpuCeilings, stated_ones_stay_what_the_user_said) {
  auto said = row("L2", "-", "L2", "stated", "GB/s", 5000);
  EXPECT_FALSE(is_gpu_sample(said));
  const auto ceilings = fit_ceilings(std::vector{said}, {});
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_EQ(ceilings[0].value, 5000);
}

}  // namespace
}  // namespace plumbline
