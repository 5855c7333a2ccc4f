// GPP shows what the papers found: intensity grows linearly with the energies, the steps of optimization do no more FLOPs than the first,
// all compute the same, and a stride costs lines.
#include <gtest/gtest.h>

#include <cmath>

#include "core/flows.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "machine/cpu.hpp"
#include "proxies/gpp_loop.hpp"
#include "tests/printed_amounts.hpp"

namespace plumbline {
namespace {

const std::vector<std::string> steps{"naive", "vector", "blocked", "nodivide"};
/// A core with an L3 that no row of waves below overflows, and no whole array fits.
const std::vector<CacheLevel> small_caches{{.name = "L1", .bytes = 32 << 10, .ways = 8},
                                           {.name = "L2", .bytes = 512 << 10, .ways = 8},
                                           {.name = "L3", .bytes = 1 << 20, .ways = 16, .shared = true}};

const Kernel& gpp() { return *find_kernel("proxies/gpp"); }

Parameters sized_bands(const std::string& variant, std::int64_t nw, std::int64_t ncouls = 8192, std::int64_t stride = 1) {
  return {{"variant", variant}, {"nbands", std::int64_t{32}}, {"ngpown", std::int64_t{32}}, {"ncouls", ncouls}, {"nw", nw},
          {"stride", stride}};
}

Amount bytes(const Parameters& p, const std::string& precision, const std::string& boundary) {
  return expected_counts(gpp().model(p, precision, ""), small_caches, 1).at("bytes." + boundary);
}

/// FLOPs by the mean of the bytes between which the model puts them.
double gpp_intensity(const Parameters& p, const std::string& precision, const std::string& boundary) {
  const Amount crossing = bytes(p, precision, boundary);
  const auto flops = static_cast<double>(total_flops(gpp().model(p, precision, "").flops).lo);
  return 2 * flops / (static_cast<double>(crossing.lo) + static_cast<double>(crossing.hi));
}

/// The square of the correlation of y with 1, 2, 3, ...
double r_squared(const std::vector<double>& y) {
  const auto n = static_cast<double>(y.size());
  double mean_x = (n + 1) / 2, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (const double value : y) mean_y += value / n;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double dx = static_cast<double>(i + 1) - mean_x, dy = y[i] - mean_y;
    xx += dx * dx, xy += dx * dy, yy += dy * dy;
  }
  return xy * xy / (xx * yy);
}

std::vector<double> intensities(const std::string& step, const std::string& precision, const std::string& boundary) {
  std::vector<double> by_nw;
  for (std::int64_t nw = 1; nw <= 6; ++nw) by_nw.push_back(gpp_intensity(sized_bands(step, nw), precision, boundary));
  return by_nw;
}

TEST(gpp, intensity_of_the_optimized_steps_grows_linearly_with_the_energies) {
  for (const char* step : {"vector", "blocked", "nodivide"})
    for (const char* precision : {"fp64", "fp32"})
      for (const char* boundary : {"reg-L1", "L3-mem"}) {
        const auto by_nw = intensities(step, precision, boundary);
        EXPECT_GE(r_squared(by_nw), 0.99) << step << " " << precision << " " << boundary;
        EXPECT_GT(by_nw.back() / by_nw.front(), 4) << step << " " << precision << " " << boundary;
      }
}

TEST(gpp, bytes_of_the_optimized_steps_are_constant_in_the_energies) {
  for (const char* step : {"vector", "blocked", "nodivide"})
    for (const char* precision : {"fp64", "fp32"}) {
      for (const char* boundary : {"reg-L1", "L3-mem"}) {
        const Amount one = bytes(sized_bands(step, 1), precision, boundary), six = bytes(sized_bands(step, 6), precision, boundary);
        EXPECT_NEAR(static_cast<double>(six.lo) / static_cast<double>(one.lo), 1, 0.05) << step << " " << precision << " " << boundary;
        EXPECT_NEAR(static_cast<double>(six.hi) / static_cast<double>(one.hi), 1, 0.05) << step << " " << precision << " " << boundary;
      }
      EXPECT_GT(gpp_intensity(sized_bands(step, 1), precision, "L3-mem"), gpp_intensity(sized_bands(step, 1), precision, "reg-L1"));
    }
}

TEST(gpp, the_naive_step_passes_its_rows_once_for_each_energy) {
  const auto by_nw = intensities("naive", "fp64", "reg-L1");
  for (const double one : by_nw) EXPECT_NEAR(one / by_nw.front(), 1, 0.01);
}

TEST(gpp, no_step_does_more_flops_than_the_first) {
  for (std::int64_t nw = 1; nw <= 6; ++nw) {
    const std::uint64_t meetings = 32 * 32 * 8192, n = static_cast<std::uint64_t>(nw);
    const auto flops = [&](const std::string& step) { return gpp().model(sized_bands(step, nw), "fp64", "").flops; };
    // Each row of plane waves ends with a sum for each part of each energy: rows of 8192 waves, or of 256.
    const std::uint64_t sums = 2 * n * 32 * 32;
    EXPECT_EQ(total_flops(flops("naive")), Amount(meetings * 30 * n + sums));
    EXPECT_EQ(total_flops(flops("vector")), Amount(meetings * (6 + 21 * n) + sums));
    EXPECT_EQ(total_flops(flops("blocked")), Amount(meetings * (6 + 21 * n) + 32 * sums));
    EXPECT_EQ(total_flops(flops("nodivide")), Amount(meetings * (6 + 22 * n) + 32 * sums));
    EXPECT_EQ(flops("vector").at("flops.fp64.div"), Amount(2 * n * meetings));
    EXPECT_EQ(flops("nodivide").at("flops.fp64.div"), Amount(n * meetings));
    for (const std::string& step : steps) EXPECT_LE(total_flops(flops(step)).hi, total_flops(flops("naive")).lo) << step;
  }
}

TEST(gpp, blocks_spare_bytes_where_a_row_overflows_a_cache) {
  for (const char* precision : {"fp64", "fp32"}) {
    const Parameters vector = sized_bands("vector", 3, 65536), blocked = sized_bands("blocked", 3, 65536);
    EXPECT_GT(bytes(vector, precision, "L3-mem").lo, 10 * bytes(blocked, precision, "L3-mem").hi) << precision;
  }
}

TEST(gpp, a_stride_costs_bytes_until_each_wave_has_a_line_of_its_own) {
  const auto moved = [](std::int64_t stride, const std::string& precision) {
    const Stream wtilde = gpp().model(sized_bands("vector", 6, 8192, stride), precision, "").streams.front();
    return wtilde.touched_bytes == 0 ? wtilde.footprint_bytes : wtilde.touched_bytes;
  };
  for (const auto& [precision, line] : {std::pair{"fp64", 8}, {"fp32", 16}})
    for (const std::int64_t stride : {1, 2, 3, 4, 8, 9, 16, 24, 31, 32})
      EXPECT_EQ(moved(stride, precision), static_cast<std::uint64_t>(std::min<std::int64_t>(stride, line)) * moved(1, precision)) << stride;
  const auto intensity_at = [](std::int64_t stride) { return gpp_intensity(sized_bands("blocked", 6, 8192, stride), "fp64", "L3-mem"); };
  EXPECT_NEAR(intensity_at(1) / intensity_at(4), 4, 0.2);
  EXPECT_EQ(gpp_intensity(sized_bands("vector", 6, 8192, 1), "fp64", "reg-L1"),
            gpp_intensity(sized_bands("vector", 6, 8192, 32), "fp64", "reg-L1"));
}

/// The sums that a flavor computes, row by row.
std::vector<double> results(const Flavor& flavor, const Parameters& p) {
  const auto workload = gpp().prepare(p, "fp64", *std::pmr::new_delete_resource());
  workload->initialise(0, workload->extent());
  flavor.sweep(workload->arguments(), 0, workload->extent());
  const auto& x = *static_cast<const Gpp<double>*>(workload->arguments());
  std::vector<double> sums;
  for (std::size_t igp = 0; igp < x.ngpown; ++igp)
    for (std::size_t iw = 0; iw < x.nw; ++iw)
      for (const double* part : {x.ach.re, x.ach.im}) sums.push_back(part[igp * x.ach_pitch + iw]);
  return sums;
}

TEST(gpp, all_steps_and_strides_compute_the_same) {
  int flavors = 0;
  for (const Flavor& flavor : gpp().flavors()) {
    const FlavorName name = split_flavor(flavor.name);
    if (flavor.precision != "fp64" || name.level != "O3" || !runs_isa(name.isa)) continue;
    const std::vector<double> first = results(flavor, sized_bands("naive", 5, 523));
    for (const std::string& step : steps)
      for (const std::int64_t stride : {1, 3, 16}) {
        const std::vector<double> others = results(flavor, sized_bands(step, 5, 523, stride));
        ASSERT_EQ(others.size(), first.size());
        for (std::size_t i = 0; i < first.size(); ++i)  // terms of modulus below 4, each with the roundings of a long row of sums
          EXPECT_NEAR(others[i], first[i], 4 * 32 * 523 * rounding_bound<double>(2 * (523 + 3 * 32 + 14))) << step << " " << stride;
      }
    ++flavors;
  }
  EXPECT_GT(flavors, 0);
}

}  // namespace
}  // namespace plumbline
