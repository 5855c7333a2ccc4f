#include "model/placement/compute_roof.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumbline {
namespace {

using Ceilings = std::vector<ArithmeticCeiling>;

/// FLOPs a clock of one core, as reference machines have them.
Ceilings machine(double fma, double add, double mul, double mul_add, double fma_add, const std::string& precision = "fp64") {
  return {{"FMA", precision, "fma", fma},
          {"add", precision, "add", add},
          {"mul", precision, "mul", mul},
          {"mul+add", precision, "mul+add", mul_add},
          {"FMA+add", precision, "fma+add", fma_add},
          {"scalar FMA", precision, "scalar fma", fma / 8}};
}
const Ceilings zen = machine(32, 16, 16, 32, 48), intel = machine(32, 16, 16, 16, 24);
/// The ceilings that are planned of a GPU: no mix of FMAs and sums.
const Ceilings gpu{{"GPU FMA", "fp64", "fma", 7000}, {"GPU mul+add", "fp64", "mul+add", 3500}};

/// The mix of so many instructions of each kind.
ArithmeticMix of(double fma, double add, double mul, const std::string& precision = "fp64") {
  const double all = fma + add + mul;
  return {{precision, {2 * fma + add + mul, fma / all, add / all, mul / all}}};
}
ArithmeticMix of_unknown_kinds(double flops, const std::string& precision = "fp64") { return {{precision, {.flops = flops}}}; }

TEST(ComputeRoof, each_kind_alone_stands_under_its_own_ceiling) {
  for (const Ceilings& ceilings : {zen, intel}) {
    EXPECT_DOUBLE_EQ(compute_roof(of(7, 0, 0), ceilings).gflops, 32) << "and not under FMA+add";
    EXPECT_EQ(compute_roof(of(7, 0, 0), ceilings).ceiling, "FMA");
    EXPECT_DOUBLE_EQ(compute_roof(of(0, 7, 0), ceilings).gflops, 16);
    EXPECT_EQ(compute_roof(of(0, 7, 0), ceilings).ceiling, "add");
    EXPECT_DOUBLE_EQ(compute_roof(of(0, 0, 7), ceilings).gflops, 16);
    EXPECT_EQ(compute_roof(of(0, 0, 7), ceilings).ceiling, "mul");
  }
}

TEST(ComputeRoof, sums_run_beside_FMAs_and_products_where_the_mixes_say_so) {
  EXPECT_DOUBLE_EQ(compute_roof(of(1, 1, 0), zen).gflops, 48);
  EXPECT_DOUBLE_EQ(compute_roof(of(0, 1, 1), zen).gflops, 32);
  EXPECT_DOUBLE_EQ(compute_roof(of(1, 0, 1), zen).gflops, 24) << "one multiplier does both";
  EXPECT_DOUBLE_EQ(compute_roof(of(1, 2, 1), zen).gflops, 40);
  EXPECT_DOUBLE_EQ(compute_roof(of(4, 1, 0), zen).gflops, 36);
}

TEST(ComputeRoof, all_kinds_take_turns_where_the_mixes_are_no_faster) {
  EXPECT_DOUBLE_EQ(compute_roof(of(1, 1, 0), intel).gflops, 24);
  EXPECT_DOUBLE_EQ(compute_roof(of(0, 1, 1), intel).gflops, 16);
  EXPECT_DOUBLE_EQ(compute_roof(of(1, 1, 1), intel).gflops, 4 * 16.0 / 3);
  EXPECT_DOUBLE_EQ(compute_roof(of(60, 25, 15), intel).gflops, 0.80 * 32) << "Yang et al. 2019, equation 7";
}

TEST(ComputeRoof, a_gpus_mix_of_products_and_sums_tells_of_its_FMAs_too) {
  EXPECT_DOUBLE_EQ(compute_roof(of(9, 0, 0), gpu).gflops, 7000);
  EXPECT_DOUBLE_EQ(compute_roof(of(60, 25, 15), gpu).gflops, 0.80 * 7000);
  EXPECT_DOUBLE_EQ(compute_roof(of(0, 1, 0), gpu).gflops, 3500) << "a sum takes as long as an FMA where nothing else is known";
  const Ceilings stated{{"FP64 FMA", "fp64", "fma", 7000}, {"FP64 no FMA", "fp64", "no fma", 3500}};
  EXPECT_DOUBLE_EQ(compute_roof(of(60, 25, 15), stated).gflops, 0.80 * 7000);
}

TEST(ComputeRoof, what_nobody_measured_overlaps_but_never_beyond_the_highest_ceiling) {
  const Ceilings peak{{"peak", "fp64", "fma", 100}};
  EXPECT_DOUBLE_EQ(compute_roof(of(3, 1, 0), peak).gflops, 100);
  EXPECT_DOUBLE_EQ(compute_roof(of(1, 1, 0), peak).gflops, 100);
  EXPECT_DOUBLE_EQ(compute_roof(of(0, 1, 0), peak).gflops, 50);
}

TEST(ComputeRoof, of_unknown_kinds_is_that_of_the_fastest_mix) {
  EXPECT_DOUBLE_EQ(compute_roof(of_unknown_kinds(5), zen).gflops, 48);
  EXPECT_DOUBLE_EQ(compute_roof(of_unknown_kinds(5), intel).gflops, 32);
  EXPECT_FALSE(compute_roof(of_unknown_kinds(5), zen).is_of_kinds);
  EXPECT_TRUE(compute_roof(of(1, 0, 0), zen).is_of_kinds);
  // FMAs on two pipes, sums on two, one of them the same: five FLOPs a lane and clock, of twice as many FMAs as sums
  EXPECT_DOUBLE_EQ(compute_roof(of_unknown_kinds(5), machine(4, 2, 2, 3, 4.5)).gflops, 5);
}

TEST(ComputeRoof, times_of_precisions_and_tensor_work_add) {
  Ceilings ceilings = intel;
  for (const auto& one : machine(64, 32, 32, 32, 48, "fp32")) ceilings.push_back(one);
  ceilings.push_back({"AMX", "tensor.bf16", "amx", 1024});
  ArithmeticMix mix = of(1, 0, 0);
  mix.merge(of(1, 0, 0, "fp32"));
  EXPECT_DOUBLE_EQ(compute_roof(mix, ceilings).gflops, 4 / (2 / 32.0 + 2 / 64.0));
  mix["tensor.bf16"] = {.flops = 1024};
  EXPECT_DOUBLE_EQ(compute_roof(mix, ceilings).gflops, 1028 / (2 / 32.0 + 2 / 64.0 + 1));
  EXPECT_EQ(compute_roof(mix, ceilings).ceiling, "AMX");
}

TEST(ComputeRoof, a_precision_without_a_ceiling_is_named_and_there_is_none_where_it_is_most_of_the_work) {
  ArithmeticMix mix = of(50, 0, 0);
  mix["fp16"] = {.flops = 10};
  const ComputeRoof roof = compute_roof(mix, intel);
  EXPECT_EQ(roof.left_out, "fp16");
  EXPECT_DOUBLE_EQ(roof.gflops, 32 * 1.1);
  mix["fp16"].flops = 1000;
  EXPECT_TRUE(std::isnan(compute_roof(mix, intel).gflops));
  EXPECT_NE(compute_roof(mix, intel).reason.find("fp16"), std::string::npos);
  EXPECT_TRUE(std::isnan(compute_roof(of(1, 0, 0), {}).gflops));
  EXPECT_FALSE(compute_roof({}, intel).reason.empty());
}

TEST(ComputeRoof, the_peak_of_FMAs_is_that_of_FMAs_alone) {
  EXPECT_DOUBLE_EQ(fma_peak("fp64", zen), 32);
  EXPECT_TRUE(std::isnan(fma_peak("fp32", zen)));
  const ComputeRoof roof = compute_roof(of(1, 1, 0), zen);
  EXPECT_DOUBLE_EQ(roof.fma_gflops, 32);
}

TEST(ComputeRoof, samples_a_few_percent_off_move_it_by_as_much) {
  for (const double off : {0.96, 1.04}) {
    EXPECT_NEAR(compute_roof(of(10, 1, 0), machine(32, 16, 16, 16, 24 * off)).gflops, 21.0 * 16 / 11, 0.05 * 32) << off;
    EXPECT_NEAR(compute_roof(of(1, 1, 0), machine(32, 16, 16, 32 * off, 48 * off)).gflops, 48, 0.05 * 48) << off;
    EXPECT_NEAR(compute_roof(of(1, 0, 0), machine(32, 16 * off, 16, 32, 48)).gflops, 32, 1e-9) << off;
  }
}

/// A core whose instructions take one of these pipes (bits) for a clock each: FMAs and products the same ones.
struct Core {
  unsigned multiply, add;

  /// Clocks of so many instructions: of the busiest set of kinds for its pipes (Hall's theorem).
  double clocks(double fma, double sums, double products) const {
    return std::max(
        {(fma + products) / std::popcount(multiply), sums / std::popcount(add), (fma + products + sums) / std::popcount(multiply | add)});
  }
  Ceilings ceilings() const {
    return machine(2 / clocks(1, 0, 0), 1 / clocks(0, 1, 0), 1 / clocks(0, 0, 1), 2 / clocks(0, 1, 1), 3 / clocks(1, 1, 0));
  }
};

TEST(ComputeRoof, no_mix_exceeds_it_on_any_core_of_four_pipes_and_most_reach_it) {
  for (unsigned multiply = 1; multiply < 16; ++multiply)
    for (unsigned add = 1; add < 16; ++add) {
      const Core core{multiply, add};
      const Ceilings ceilings = core.ceilings();
      double fastest = 0;
      for (double fma = 0; fma <= 6; ++fma)
        for (double sums = 0; sums <= 6; ++sums)
          for (double products = 0; products <= 6; ++products) {
            if (fma + sums + products == 0) continue;
            const double rate = (2 * fma + sums + products) / core.clocks(fma, sums, products);
            const double roof = compute_roof(of(fma, sums, products), ceilings).gflops;
            fastest = std::max(fastest, rate);
            EXPECT_LE(rate, roof * (1 + 1e-9)) << multiply << " " << add << ": " << fma << " " << sums << " " << products;
            const bool told = (multiply & add) == 0 || std::popcount(multiply) == std::popcount(add);
            if (told) {
              EXPECT_NEAR(rate, roof, 1e-9) << multiply << " " << add << ": " << fma << " " << sums << " " << products;
            }
          }
      EXPECT_LE(fastest, compute_roof(of_unknown_kinds(1), ceilings).gflops * (1 + 1e-9)) << multiply << " " << add;
    }
}

}  // namespace
}  // namespace plumbline
