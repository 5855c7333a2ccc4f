// Against Yang, Kurth, Williams, "Hierarchical Roofline Analysis for GPUs", CUG 2019, equations 6 and 7.
#include "model/fma_mix.hpp"

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

}  // namespace
}  // namespace plumbline
