// A bias is known within an interval by few kernels, by models that leave something open, and beside single cases that are far off.
#include "model/scoring/bias_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "model/scoring/accuracy.hpp"
#include "samples.hpp"
#include "scores.hpp"

namespace plumbline {
namespace {

using test::add;
using test::CaseSample;
using test::fills;

/// Cases of one kernel at different sizes, counted `ratio` times as much as the model says at least, which leaves `open` times that.
struct Kernel {
  std::string name;
  int cases;
  double ratio, open = 1;
};

void add_cases(Results& results, const Kernel& kernel) {
  for (int n = 1; n <= kernel.cases; ++n) {
    const double bytes = 640e3 * n;
    add(results, {.work = "validation/" + kernel.name + "/fp64/n=" + std::to_string(n),
                  .model = {{"bytes.L1-L2", {bytes, kernel.open * bytes}}},
                  .counts = {{"lines", kernel.ratio * bytes / 64}}});
  }
}

CounterScore score_of(std::initializer_list<Kernel> kernels) {
  Results results;
  for (const auto& kernel : kernels) add_cases(results, kernel);
  return score(measurements_of(results), std::span(&fills, 1)).counters.at(0);
}

TEST(BiasInterval, one_kernel_alone_has_none) {
  EXPECT_TRUE(std::isnan(score_of({{"triad", 12, 1.01}}).bias_interval.lo));
  EXPECT_TRUE(std::isnan(score_of({{"triad", 1, 1.01}, {"dot", 1, 1}}).bias_interval.lo)) << "nor have two cases";
}

TEST(BiasInterval, a_kernel_of_many_cases_does_not_outvote_one_of_few) {
  const CounterScore score = score_of({{"triad", 36, 1}, {"dot", 2, 1.02}});
  const double middle = std::sqrt(1.02);
  EXPECT_NEAR(std::sqrt(score.bias_interval.lo * score.bias_interval.hi), middle, 1e-6);
  // Student's t of one degree of freedom, beyond which 1.6 % lie.
  EXPECT_NEAR(std::log(score.bias_interval.hi / middle), std::log(1.02) / 2 / std::tan(0.016 * M_PI), 1e-6);
  EXPECT_EQ(score.grade, 'B') << score.reason;
}

TEST(BiasInterval, holds_the_mean_of_the_cases) {
  const CounterScore score = score_of({{"triad", 60, 1.04},
                                       {"a", 1, 1},
                                       {"b", 1, 1},
                                       {"c", 1, 1},
                                       {"d", 1, 1},
                                       {"e", 1, 1},
                                       {"f", 1, 1},
                                       {"g", 1, 1},
                                       {"h", 1, 1},
                                       {"i", 1, 1},
                                       {"j", 1, 1},
                                       {"k", 1, 1},
                                       {"l", 1, 1}});
  EXPECT_GE(score.bias_interval.hi, score.bias);
  EXPECT_LE(score.bias_interval.lo, score.bias);
}

TEST(BiasInterval, of_a_factor_is_as_wide_as_the_model_leaves_the_exact_amounts) {
  const CounterScore score = score_of({{"triad", 6, 1.3, 1.04}, {"dot", 6, 1.3, 1.04}});
  EXPECT_EQ(score.grade, 'B') << score.reason;
  EXPECT_NEAR(score.bias, 1.3 / 1.04, 1e-6) << "as if the model's most were the truth";
  EXPECT_NEAR(score.bias_interval.hi, 1.3 / 1.04, 1e-6) << "the grade hangs on what the counter shows, not on what the model leaves open";
  EXPECT_NEAR(score.steady_interval.lo, 1.3 / 1.04, 1e-6);
  EXPECT_NEAR(score.steady_interval.hi, 1.3, 1e-6) << "it may be its least";
}

TEST(BiasInterval, of_a_factor_leaves_single_strays_out) {
  Results results;
  for (const char* kernel : {"triad", "dot"}) add_cases(results, {kernel, 20, 2});
  results.counts.back().net *= 3;
  const CounterScore scored = score(measurements_of(results), std::span(&fills, 1)).counters.at(0);
  ASSERT_EQ(scored.strays, std::vector<std::string>{results.cases.back().id});
  EXPECT_NEAR(scored.steady_interval.lo, 2, 1e-6);
  EXPECT_NEAR(scored.steady_interval.hi, 2, 1e-6);
  EXPECT_GT(scored.bias_interval.hi, 2.1);
}

TEST(BiasInterval, of_a_regime_is_of_its_cases) {
  Results results;
  for (const char* kernel : {"triad", "dot", "stencil5"}) {
    add_cases(results, {kernel, 4, 2});
    for (int n = 1; n <= 4; ++n)
      add(results, {.work = std::string("validation/") + kernel + "/fp64/n=" + std::to_string(n),
                    .flavor = "gcc12-O0-v3",
                    .model = {{"bytes.L1-L2", {640e3 * n, 640e3 * n}}},
                    .counts = {{"lines", 1e4 * n * (1 + 0.2 * n)}}});
  }
  const CounterScore scored = score(measurements_of(results), std::span(&fills, 1)).counters.at(0);
  ASSERT_TRUE(scored.regimes) << scored.reason;
  EXPECT_EQ(scored.regimes->good, std::vector<std::string>{"O3"});
  EXPECT_NEAR(scored.regimes->steady_interval.lo, 2, 1e-6);
  EXPECT_NEAR(scored.regimes->steady_interval.hi, 2, 1e-6);
}

TEST(BiasInterval, what_lies_beside_a_wide_interval_by_no_more_than_is_borne_is_left_open) {
  const CounterScore score = score_of({{"triad", 12, 1}, {"dot", 12, 1}, {"stencil5", 1, 0.99, 2}});
  ASSERT_EQ(score.coverage.open, std::vector<std::string>{"validation/stencil5"}) << "it may as well be half";
  EXPECT_EQ(score.coverage.open_cases, std::vector<std::string>{"validation/stencil5/fp64/n=1/r1t1/gcc12-O3-v3"});
  EXPECT_TRUE(score_of({{"triad", 12, 1}, {"dot", 12, 1}, {"stencil5", 1, 0.8, 2}}).coverage.open.empty()) << "that tells";
}

}  // namespace
}  // namespace plumbline
