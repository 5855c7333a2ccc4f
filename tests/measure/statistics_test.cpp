#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

TEST(median, of_even_and_odd_counts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(median_halfwidth, of_equal_samples_is_zero) { EXPECT_EQ(median_halfwidth({2, 2, 2, 2, 2, 2}), 0); }

TEST(median_halfwidth, is_unknown_below_five_samples) { EXPECT_TRUE(std::isinf(median_halfwidth({1, 1, 1, 1}))); }

TEST(median_halfwidth, ignores_a_single_outlier_among_many) {
  std::vector<double> samples(40, 1.0);
  samples.push_back(1000);
  EXPECT_EQ(median_halfwidth(samples), 0);
}

TEST(median_halfwidth, spans_the_order_statistics_of_20) {
  // n/2 -+ 1.96 sqrt(n)/2 = 5.6 and 14.4: samples 5 and 15 from zero.
  std::vector<double> samples;
  for (int i = 0; i < 20; ++i) samples.push_back(100 + i);
  EXPECT_DOUBLE_EQ(median_halfwidth(samples), (115.0 - 105.0) / 2 / 109.5);
}

}  // namespace
}  // namespace plumbline
