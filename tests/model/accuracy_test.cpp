#include "model/scoring/accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "samples.hpp"
#include "scores.hpp"

namespace plumbline {
namespace {

using test::add;
using test::CaseSample;
using test::fills;

/// A case whose exact bytes and counted lines are given.
CaseSample fill_case(int n, double lo, double hi, double lines, const std::string& flavor = "gcc12-O3-v3") {
  return {.work = "validation/triad/fp64/n=" + std::to_string(n),
          .flavor = flavor,
          .model = {{"bytes.L1-L2", {lo, hi}}},
          .counts = {{"lines", lines}}};
}

Accuracy score_all(const std::vector<CaseSample>& samples, const Counter& counter = fills) {
  Results results;
  for (const auto& sample : samples) add(results, sample);
  const Measurements measurements = measurements_of(results);
  return score(measurements, std::span(&counter, 1));
}

double ratio_of(double lo, double hi, double lines) { return score_all({fill_case(1, lo, hi, lines)}).rows.at(0).ratio; }

TEST(Accuracy, a_weighted_count_is_held_against_the_exact_amount) {
  const CaseScore row = score_all({fill_case(1, 640, 640, 11)}).rows.at(0);
  EXPECT_EQ(row.measured, 704);
  EXPECT_DOUBLE_EQ(row.ratio, 1.1);
}

TEST(Accuracy, inside_the_interval_the_ratio_is_one_and_outside_it_is_to_the_nearer_edge) {
  EXPECT_EQ(ratio_of(640, 1280, 10), 1);
  EXPECT_EQ(ratio_of(640, 1280, 20), 1);
  EXPECT_DOUBLE_EQ(ratio_of(640, 1280, 5), 0.5);
  EXPECT_DOUBLE_EQ(ratio_of(640, 1280, 30), 1.5);
}

TEST(Accuracy, nothing_counted_where_there_is_something_is_a_failure_and_no_ratio) {
  const CaseScore row = score_all({fill_case(1, 640, 640, 0)}).rows.at(0);
  EXPECT_TRUE(std::isnan(row.ratio));
  EXPECT_EQ(row.status, Status::failed);
}

TEST(Accuracy, an_exact_zero_is_a_zero_test) {
  EXPECT_EQ(score_all({fill_case(1, 0, 0, 0)}).rows.at(0).ratio, 1);
  const Accuracy failed =
      score_all({fill_case(1, 0, 0, 300), fill_case(2, 640, 640, 10), fill_case(3, 640, 640, 10), fill_case(4, 640, 640, 10)});
  EXPECT_TRUE(std::isnan(failed.rows.at(0).ratio));
  EXPECT_EQ(failed.counters.at(0).zero_tests, 1U);
  EXPECT_EQ(failed.counters.at(0).zero_failures, 1U);
  EXPECT_EQ(failed.counters.at(0).grade, 'D');
}

TEST(Accuracy, a_team_is_the_sum_of_its_ranks_against_as_many_models) {
  CaseSample sample = fill_case(1, 640, 640, 10);
  sample.ranks = 4;
  const CaseScore row = score_all({sample}).rows.at(0);
  EXPECT_EQ(row.measured, 2560);
  EXPECT_EQ(row.exact_lo, 2560);
  EXPECT_EQ(row.ratio, 1);
}

// A socket's shared counters: one rank reads them, and the others skip.
TEST(Accuracy, what_other_ranks_skip_is_in_the_count_of_the_rank_that_reads) {
  Results results;
  CaseSample sample = fill_case(1, 640, 640, 20);
  sample.ranks = 2;
  add(results, sample);
  results.counts.back().status = Status::skipped;
  results.counts.back().net = absent;
  const CaseScore row = score(measurements_of(results), std::span(&fills, 1)).rows.at(0);
  EXPECT_EQ(row.measured, 20 * 64);
  EXPECT_EQ(row.ratio, 1);
  for (auto& count : results.counts) count.status = Status::skipped;
  EXPECT_EQ(score(measurements_of(results), std::span(&fills, 1)).rows.at(0).status, Status::skipped) << "nobody read them";
}

TEST(Accuracy, a_team_of_which_a_rank_is_missing_has_no_count) {
  Results results;
  CaseSample sample = fill_case(1, 640, 640, 10);
  sample.ranks = 2;
  add(results, sample);
  results.counts.pop_back();
  const CaseScore row = score(measurements_of(results), std::span(&fills, 1)).rows.at(0);
  EXPECT_TRUE(std::isnan(row.measured));
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_NE(row.reason.find("1 of 2 ranks"), std::string::npos);
}

TEST(Accuracy, a_status_of_the_counter_is_handed_on_and_never_a_ratio) {
  Results results;
  add(results, fill_case(1, 640, 640, 10));
  results.counts.front().status = Status::multiplexed;
  const CaseScore row = score(measurements_of(results), std::span(&fills, 1)).rows.at(0);
  EXPECT_EQ(row.status, Status::multiplexed);
  EXPECT_TRUE(std::isnan(row.ratio));
}

TEST(Accuracy, a_case_that_was_not_counted_says_why) {
  Results results;
  add(results, {.model = {{"bytes.L1-L2", {64, 64}}}, .seconds = 1});
  const CaseScore row = score(measurements_of(results), std::span(&fills, 1)).rows.at(0);
  EXPECT_EQ(row.status, Status::unavailable);
  EXPECT_EQ(row.reason, "no counting pass");
}

TEST(Accuracy, what_the_model_does_not_speak_of_is_not_scored) {
  Results results;
  add(results, {.counts = {{"lines", 3}}});
  EXPECT_TRUE(score(measurements_of(results), std::span(&fills, 1)).rows.empty());
}

TEST(Accuracy, a_precision_that_a_model_of_flops_does_not_name_is_nothing) {
  Counter all{.name = "all", .backend = "pmu", .terms = {{"ops", 1}}, .quantities = {"flops.fp64", "flops.fp32", "flops.bf16"}};
  all.kind = Kind::flops;
  const CaseSample fp64{.model = {{"flops.fp64", {2000, 2000}}, {"flops.fp32", {0, 0}}}, .counts = {{"ops", 2000}}, .backend = "pmu"};
  const Accuracy scored = score_all({fp64}, all);
  EXPECT_EQ(scored.rows.at(0).exact_lo, 2000);
  EXPECT_EQ(scored.rows.at(0).ratio, 1);
  Counter half{.name = "half", .backend = "pmu", .terms = {{"ops", 1}}, .quantities = {"flops.fp16"}, .kind = Kind::flops};
  EXPECT_EQ(score_all({fp64}, half).rows.at(0).zero, ZeroTest::failed);
  CaseSample without = fp64;
  without.model = {{"bytes.reg-L1", {9, 9}}};
  EXPECT_TRUE(score_all({without}, all).rows.empty()) << "a model that says nothing of FLOPs says no zeros";
}

TEST(Accuracy, a_counter_of_the_machine_that_no_model_speaks_of_says_so) {
  const Counter counter{.name = "N1", .backend = "pmu", .terms = {{"ops", 1}}, .quantities = {"fp_instructions"}, .kind = Kind::flops};
  const CaseSample sample{.model = {{"flops.fp64", {1, 1}}}, .counts = {{"ops", 1}}, .backend = "pmu"};
  const Accuracy scored = score_all({sample}, counter);
  ASSERT_EQ(scored.unscored.size(), 1U);
  EXPECT_EQ(scored.unscored[0].reason, "no case's model speaks of fp_instructions");
  CaseSample uncounted = sample;
  uncounted.counts = {{"other", 1}};
  EXPECT_TRUE(score_all({uncounted}, counter).unscored.empty());
}

TEST(Accuracy, bias_is_the_geometric_mean) {
  const CounterScore score = score_all({fill_case(1, 640, 640, 5), fill_case(2, 640, 640, 20)}).counters.at(0);
  EXPECT_EQ(score.n, 2U);
  EXPECT_DOUBLE_EQ(score.bias, 1);  // 1/2 and 2
  EXPECT_EQ(score.min, 0.5);
  EXPECT_EQ(score.max, 2);
}

TEST(Accuracy, ten_right_cases_are_trusted_three_are_B_at_most_and_two_do_not_decide) {
  std::vector<CaseSample> ten;
  for (int n = 1; n <= 10; ++n) ten.push_back(fill_case(n, 640.0 * n, 640.0 * n, 10.0 * n));
  EXPECT_EQ(score_all(ten).counters.at(0).grade, 'A');
  const CounterScore few = score_all({fill_case(1, 640, 640, 10), fill_case(2, 1280, 1280, 20), fill_case(3, 64, 64, 1)}).counters.at(0);
  EXPECT_EQ(few.grade, 'B');
  EXPECT_NE(few.reason.find("from 1 kernel, 3 cases"), std::string::npos) << few.reason;
  EXPECT_EQ(score_all({fill_case(1, 640, 640, 10), fill_case(2, 1280, 1280, 20)}).counters.at(0).grade, '-');
}

TEST(Accuracy, one_case_is_one_case) {
  EXPECT_EQ(score_all({fill_case(1, 640, 640, 10)}).counters.at(0).reason, "only 1 case could tell; a grade takes 3");
  EXPECT_EQ(score_all({fill_case(1, 0, 0, 300)}).counters.at(0).reason,
            "1 of 1 zero test failed: it counts what is not there (up to 19200 bytes)");
  EXPECT_EQ(score_all({fill_case(1, 640, 640, 0)}).counters.at(0).reason, "counted as good as nothing in 1 case that has something");
  EXPECT_EQ(score_all({fill_case(1, 0, 0, 0)}).counters.at(0).reason, "0 expected, 0 counted in 1 case: not graded");
}

TEST(Accuracy, being_inside_an_interval_that_begins_at_nothing_is_no_evidence) {
  const CounterScore score = score_all({fill_case(1, 0, 6400, 10), fill_case(2, 0, 6400, 20), fill_case(3, 0, 6400, 30)}).counters.at(0);
  EXPECT_EQ(score.n, 0U);
  EXPECT_EQ(score.grade, '-');
}

TEST(Accuracy, a_steady_factor_is_calibratable_and_named) {
  const CounterScore score = score_all({fill_case(1, 640, 640, 5), fill_case(2, 1280, 1280, 10), fill_case(3, 128, 128, 1)}).counters.at(0);
  EXPECT_EQ(score.grade, 'B');
  EXPECT_NE(score.reason.find("multiply by 2"), std::string::npos) << score.reason;
}

TEST(Accuracy, a_factor_at_one_size_of_one_kernel_is_not_decided) {
  const CaseSample sample = fill_case(1000, 64000, 64000, 500);
  std::vector<CaseSample> samples(3, sample);
  samples[1].flavor = "clang14-O3-v3";
  samples[2].flavor = "gcc12-O0-v3";
  const CounterScore score = score_all(samples).counters.at(0);
  EXPECT_EQ(score.grade, '-');
  EXPECT_NE(score.reason.find("it may be a factor as well as a count beyond which it does not go"), std::string::npos) << score.reason;
}

TEST(Accuracy, a_counter_right_only_when_optimized_is_limited_to_that_regime) {
  std::vector<CaseSample> samples;
  for (int n = 1; n <= 8; ++n) {
    samples.push_back(fill_case(n, 640, 640, 10, "gcc12-O3-v3"));
    samples.push_back(fill_case(n, 640, 640, 10.0 * n * n, "gcc12-O0-v3"));
    for (const std::size_t triad : {samples.size() - 2, samples.size() - 1}) {
      CaseSample dot = samples[triad];
      dot.work = "validation/dot/fp64/n=" + std::to_string(n);
      samples.push_back(dot);
    }
  }
  const CounterScore score = score_all(samples).counters.at(0);
  EXPECT_EQ(score.grade, 'C');
  EXPECT_NE(score.reason.find("O3 (A)"), std::string::npos) << score.reason;
}

TEST(Accuracy, a_kernel_tried_only_when_optimized_is_no_regime_of_its_own) {
  std::vector<CaseSample> samples;
  for (int n = 1; n <= 3; ++n) {
    samples.push_back(fill_case(n, 640, 640, 10));
    CaseSample other = fill_case(n, 640, 640, 10.0 * n);
    other.work = "validation/dot/fp64/n=" + std::to_string(n);
    samples.push_back(other);
    other.flavor = "gcc12-O0-v3";
    other.counts["lines"] = 100.0 * n;
    samples.push_back(other);
  }
  EXPECT_EQ(score_all(samples).counters.at(0).grade, 'D');
}

TEST(Accuracy, emulated_flops_that_differ_from_the_arithmetic_fail_exactness) {
  CaseSample sample{.model = {{"flops.fp64", {2000, 2000}}, {"flops.fp32", {0, 0}}}};
  for (const char* precision : {"fp64", "fp32"})
    for (const char* kind : {"add", "mul", "fma", "div", "sqrt"}) sample.counts["flops." + std::string(precision) + "." + kind] = 0;
  sample.counts["flops.fp64.fma"] = 1000;
  Results right, wrong;
  add(right, sample);
  EXPECT_EQ(score(measurements_of(right), known_counters()).failed_exactness, 0U);
  sample.counts["flops.fp64.add"] = 1;
  add(wrong, sample);
  EXPECT_EQ(score(measurements_of(wrong), known_counters()).failed_exactness, 1U);
}

TEST(Accuracy, the_papers_convention_is_scored_beside_the_flows) {
  CaseSample sample{.model = {{"bytes.L1-L2", {0, 100}}, {"paper.bytes", {3200, 3200}}}, .counts = {{"loads", 100}, {"stores", 100}}};
  Results results;
  add(results, sample);
  for (const auto& row : score(measurements_of(results), known_counters()).rows) {
    if (row.counter != "accesses x 16 B") continue;
    EXPECT_EQ(row.ratio, row.convention == Convention::paper ? 1 : 32) << row.quantity;
  }
}

}  // namespace
}  // namespace plumbline
