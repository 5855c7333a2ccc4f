// The mix is held against Yang, Kurth, Williams, "Hierarchical Roofline Analysis for GPUs", CUG 2019, equations 6 and 7.
#include "model/placement/fma_mix.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace plumbline {
namespace {

TEST(fma_mix, of_the_paper_is_60_percent_and_bounds_its_kernel_at_80_percent_of_the_peak) {
  const FmaMix gpp = fma_mix(60, 25, 15);
  EXPECT_DOUBLE_EQ(gpp.fraction, 0.60);
  EXPECT_DOUBLE_EQ(gpp.ceiling, 0.80);
}

TEST(fma_mix, of_fmas_alone_is_the_peak_and_without_any_half_of_it) {
  EXPECT_DOUBLE_EQ(fma_mix(7, 0, 0).fraction, 1);
  EXPECT_DOUBLE_EQ(fma_mix(7, 0, 0).ceiling, 1);
  EXPECT_DOUBLE_EQ(fma_mix(0, 3, 4).fraction, 0);
  EXPECT_DOUBLE_EQ(fma_mix(0, 3, 4).ceiling, 0.5);
}

TEST(fma_mix, is_absent_where_nothing_was_counted) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (const FmaMix& none : {fma_mix(0, 0, 0), fma_mix(nothing, 1, 1), fma_mix(1, nothing, 1), fma_mix(1, 1, nothing), fma_mix(2, -1, 1)}) {
    EXPECT_TRUE(std::isnan(none.fraction));
    EXPECT_TRUE(std::isnan(none.ceiling));
  }
}

std::map<std::string, Reported> counts(const std::map<std::string, double>& numbers) {
  std::map<std::string, Reported> all;
  for (const auto& [event, value] : numbers) all[event] = {value, Status::ok, {}};
  return all;
}

const std::vector<Term> packed{{"hfma", 4, "fma"}, {"hadd", 2, "add"}, {"hmul", 2, "mul"}, {"hsqrt", 1}};

TEST(fma_mix, of_terms_weighs_packed_instructions_by_their_operations_and_leaves_other_kinds_out) {
  EXPECT_DOUBLE_EQ(fma_mix(packed, counts({{"hfma", 60}, {"hadd", 25}, {"hmul", 15}, {"hsqrt", 7}})).fraction, 0.60);
  std::vector<Term> both = packed;
  both.push_back({"ffma", 2, "fma"});  // 60 packed are 120 FMAs, and 80 single ones
  EXPECT_DOUBLE_EQ(fma_mix(both, counts({{"hfma", 60}, {"hadd", 25}, {"hmul", 25}, {"ffma", 80}})).fraction, 200.0 / 300);
}

TEST(fma_mix, of_terms_is_absent_where_one_is_missing_or_a_kind_has_none) {
  EXPECT_FALSE(fma_mix(packed, counts({{"hfma", 60}, {"hadd", 25}})).is_known());
  EXPECT_FALSE(fma_mix(std::vector<Term>{{"flops", 1}}, counts({{"flops", 60}})).is_known());
  EXPECT_FALSE(fma_mix(std::vector<Term>{{"fma", 2, "fma"}}, counts({{"fma", 60}})).is_known());
}

Measured with(std::map<std::string, Bounds>& model) {
  Measured measured;
  measured.model = &model;
  return measured;
}

TEST(fma_mix, of_a_model_is_known_where_no_compiler_can_fuse_a_sum_with_a_product) {
  std::map<std::string, Bounds> fmas{{"flops.fp64.fma", {9, 9}}, {"flops.fp64", {18, 18}}},
      triad{{"flops.fp64.add", {1, 1}}, {"flops.fp64.mul", {1, 1}}}, open{{"flops.fp32.add", {1, 2}}};
  EXPECT_DOUBLE_EQ(modelled_fma_mixes(with(fmas)).at("fp64").ceiling, 1);
  EXPECT_TRUE(modelled_fma_mixes(with(triad)).empty());
  EXPECT_TRUE(modelled_fma_mixes(with(open)).empty());
}

}  // namespace
}  // namespace plumbline
