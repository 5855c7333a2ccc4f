// Counters that are right for so much and no more, or once a constant is taken away: of the team, of each rank, of each thread.
#include "model/scoring/amounts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "model/scoring/accuracy.hpp"
#include "samples.hpp"
#include "scores.hpp"

namespace plumbline {
namespace {

using test::add;
using test::CaseSample;
using test::expect;
using test::flops;

const Counter demand_reads{
    .name = "reads", .backend = "emulated", .terms = {{"ops", 1}}, .quantities = {"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}};

struct Rank {
  std::string kernel;
  double exact = 0;
  std::int64_t ranks = 1, threads = 1;
};
using CountOfRank = std::function<double(const Rank&)>;

/// A noise of up to two per mille, the same for the same amount and kernel.
double noise(const Rank& of) { return 1 + 0.002 * std::sin(78.233 * of.exact + 12.9898 * static_cast<double>(of.kernel.size())); }

/// Kernels by sizes by teams, and of each team a case of single precision that has nothing of it.
Results campaign(const std::vector<std::string>& kernels, const CountOfRank& count) {
  Results results;
  for (const auto& kernel : kernels)
    for (const auto& [ranks, threads] : {std::pair{1, 1}, {2, 1}, {1, 2}}) {
      for (const double exact : {0.0, 2e3, 2e4, 2e5, 2e6, 2e7}) {
        const Rank rank{kernel, exact, ranks, threads};
        const bool is_zero = exact == 0;
        CaseSample sample{.work = "validation/" + kernel + (is_zero ? "/fp32" : "/fp64") + "/n=" + std::to_string(static_cast<long>(exact)),
                          .ranks = ranks,
                          .threads = threads,
                          .model = {{"flops.fp64", {exact, exact}}, {"flops.fp32", {is_zero ? 1e4 : 0, is_zero ? 1e4 : 0}}},
                          .counts = {{"ops", count(rank)}}};
        add(results, sample);
      }
    }
  return results;
}

CounterScore graded(const CountOfRank& count, const std::vector<std::string>& kernels = {"triad", "dot", "stencil5"}) {
  return score(measurements_of(campaign(kernels, count)), std::span(&flops, 1)).counters.at(0);
}

TEST(Amounts, a_counter_that_stops_is_good_up_to_there) {
  const CounterScore score = graded([](const Rank& r) { return std::min(r.exact, 1e5); });
  expect(score, 'C', "good up to 98000 operations a sweep (A); over all 0.005 to 1; does not count beyond 100000 operations a sweep");
  ASSERT_TRUE(score.amounts);
  EXPECT_NEAR(score.amounts->up_to, 0.98e5, 1);
  EXPECT_EQ(score.amounts->cases, 18U) << "2e3, 2e4 and 4e4 of two ranks";
  EXPECT_NEAR(score.amounts->ratio_lo, 1, 1e-9);
  EXPECT_FALSE(score.regimes);
}

TEST(Amounts, a_counter_that_is_full_in_nearly_all_cases_is_good_nowhere) {
  expect(graded([](const Rank& r) { return std::min(r.exact, 1e3); }), 'D', "does not count beyond 1000 operations a sweep");
  const auto right_in_one_kernel = [](const Rank& r) { return r.kernel == "dot" ? std::min(r.exact, 1e5) : std::min(0.5 * r.exact, 1e5); };
  EXPECT_FALSE(graded(right_in_one_kernel).amounts);
}

TEST(Amounts, whoever_adds_a_constant_is_found_and_zero_tests_are_judged_without_it) {
  const auto adds = [](double team, double rank, double thread) {
    return [=](const Rank& r) {
      return (r.exact + rank + team / static_cast<double>(r.ranks) + thread * static_cast<double>(r.threads)) * noise(r);
    };
  };
  const CounterScore team = graded(adds(500, 0, 0)), rank = graded(adds(0, 500, 0)), thread = graded(adds(0, 0, 500));
  expect(team, 'B', "operations a sweep (");
  expect(rank, 'B', "operations a rank and sweep (");
  expect(thread, 'B', "operations a thread and sweep (");
  for (const CounterScore* one : {&team, &rank, &thread}) {
    EXPECT_EQ(one->zero_failures, 9U) << "as counted";
    ASSERT_TRUE(one->calibration);
    EXPECT_NEAR(one->calibration->offset, 500, 15) << one->reason;
    EXPECT_TRUE(one->is_calibration_confirmed);
  }
}

TEST(Amounts, a_zero_test_that_shows_more_than_the_offset_still_rejects) {
  const CounterScore score = graded([](const Rank& r) { return r.exact + (r.exact == 0 && r.kernel == "dot" ? 1200 : 500); });
  expect(score, 'D', "zero tests failed");
  EXPECT_FALSE(score.calibration);
}

TEST(Amounts, an_offset_that_is_too_uncertain_for_small_cases_is_taken_off_larger_ones) {
  const CounterScore score = graded([](const Rank& r) { return (r.exact + 2e5) * noise(r); });
  expect(score, 'C', "operations a rank and sweep (");
  expect(score, 'C', "good from ");
  ASSERT_TRUE(score.amounts);
  EXPECT_GT(score.amounts->from, 2e3);
  EXPECT_LT(score.amounts->from, 2e5);
  EXPECT_TRUE(std::isinf(score.amounts->up_to));
  EXPECT_NEAR(score.calibration->offset, 2e5, 2e3);
}

TEST(Amounts, an_offset_that_one_kernel_alone_shows_is_not_confirmed) {
  EXPECT_FALSE(graded([](const Rank& r) { return r.exact + 500; }, {"triad"}).is_calibration_confirmed);
}

TEST(Amounts, what_its_flows_explain_is_no_regime) {
  Results results;
  for (int i = 1; i <= 12; ++i)
    for (const char* kernel : {"dot", "series", "triad", "stencil5"}) {
      const bool writes = std::string(kernel) == "triad" || std::string(kernel) == "stencil5";
      const double read = 1e6 * i, rfo = writes ? 4e5 * (1 + i % 3) : 0;
      add(results, {.work = std::string("validation/") + kernel + "/fp64/n=" + std::to_string(i),
                    .model = {{"bytes.L1-L2.demand_read", {read, read}}, {"bytes.L1-L2.rfo", {rfo, rfo}}},
                    .counts = {{"ops", read + 0.3 * rfo}}});
    }
  const CounterScore one = score(measurements_of(results), std::span(&demand_reads, 1)).counters.at(0);
  expect(one, 'D', "hardly sees bytes.L1-L2.rfo (weight 0.3); all that it counts is 1 x bytes.L1-L2.demand_read, 0.3 x bytes.L1-L2.rfo");
  EXPECT_FALSE(one.regimes);
}

}  // namespace
}  // namespace plumbline
