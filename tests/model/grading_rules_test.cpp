// Counters that are wrong, or right, in ways that a mean of ratios does not show: each rule of a grade by a campaign of made-up counts.
#include <gtest/gtest.h>

#include <algorithm>
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

const Counter bytes{.name = "bytes", .backend = "emulated", .terms = {{"ops", 1}}, .quantities = {"bytes.L1-L2"}};

struct Made {
  std::string kernel, flavor;
  std::int64_t n = 0;
  double exact = 0;
  std::size_t at = 0;
};

/// The count of one repetition, and its state.
struct Counted {
  double net = 0;
  Status status = Status::ok;
  Counted(double count) : net(count) {}  // NOLINT(google-explicit-constructor)
  Counted(double count, Status why) : net(count), status(why) {}
};
using Count = std::function<Counted(const Made&, int repetition)>;

struct MadeCases {
  std::vector<std::string> kernels = {"triad", "dot", "stencil5"}, flavors = {"gcc12-O3-v3", "clang14-O3-v3"};
  std::vector<std::int64_t> sizes = {10, 20, 40, 80, 160};
  double interval = 1;  // the model's upper bound over the lower
  double amount = 1e6;  // a case's exact count over its size
};

std::vector<Made> cases_of(const MadeCases& shape) {
  std::vector<Made> all;
  for (const auto& kernel : shape.kernels)
    for (const std::int64_t n : shape.sizes)
      for (const auto& flavor : shape.flavors) all.push_back({kernel, flavor, n, shape.amount * static_cast<double>(n), all.size()});
  return all;
}

CaseSample sample_of(const Made& made, const Counter& counter, double interval) {
  return {.work = "validation/" + made.kernel + "/fp64/n=" + std::to_string(made.n),
          .flavor = made.flavor,
          .model = {{counter.quantities.front(), {made.exact, made.exact * interval}}},
          .counts = {{"ops", 0}}};
}

constexpr int repetitions = 5;

void add_case(Results& results, const CaseSample& sample, const Made& made, const Count& count, std::int32_t group = 0) {
  if (group == 0) add(results, sample);
  CountRow row = results.counts.back();
  if (group == 0) results.counts.pop_back();
  row.group = group;
  for (row.repetition = 0; row.repetition < repetitions; ++row.repetition) {
    const Counted counted = count(made, row.repetition);
    row.net = counted.net;
    row.status = counted.status;
    results.counts.push_back(row);
  }
}

CounterScore graded(const Results& results, const Counter& counter) {
  return score(measurements_of(results), std::span(&counter, 1)).counters.at(0);
}

CounterScore graded(const MadeCases& shape, const Count& count, const Counter& counter = flops, const Count& beside_others = {}) {
  Results results;
  for (const Made& made : cases_of(shape)) {
    add_case(results, sample_of(made, counter, shape.interval), made, count);
    if (beside_others) add_case(results, sample_of(made, counter, shape.interval), made, beside_others, 1);
  }
  return graded(results, counter);
}

double right(const Made& made) { return made.exact; }

TEST(GradingRules, a_right_counter_is_trusted) {
  expect(graded({}, [](const Made& made, int) { return right(made); }), 'A', "always exact");
}

TEST(GradingRules, unsteady_cases_are_judged_and_not_left_out) {
  const CounterScore score =
      graded({}, [](const Made& made, int r) { return right(made) * (made.at % 5 == 0 && r >= 1 && r <= 3 ? 0.55 : 1); });
  expect(score, 'D', "does not repeat: in 6 of 30 cases");
  EXPECT_EQ(score.narrow, 30U);
  EXPECT_EQ(score.unsteady, 6U);
  EXPECT_EQ(score.sharp, 24U);
}

TEST(GradingRules, a_repetition_is_lost_only_by_more_than_the_surroundings_of_a_sweep_can_take_away) {
  const auto five_lines_less = [](const Made& made, int r) { return right(made) - (made.at % 5 == 0 && r == 4 ? 320 : 0); };
  expect(graded({.amount = 100}, five_lines_less, bytes), 'A', "always exact");
  const auto a_third_less = [](const Made& made, int r) { return right(made) * (made.at % 5 == 0 && r == 4 ? 0.67 : 1); };
  expect(graded({}, a_third_less, bytes), 'D', "loses counts in 6 of 150 repetitions");
}

TEST(GradingRules, less_than_nothing_where_there_is_something_counts_against_it) {
  const auto some = [](const Made& made, int) { return made.at % 3 == 0 ? Counted(-5000, Status::negative) : Counted(right(made)); };
  expect(graded({}, some), 'D', "counted less than in the empty region in 10 of 30 cases");
  expect(graded({}, [](const Made&, int) { return Counted(-1, Status::negative); }), 'D', "in all 30 cases that have something");
}

TEST(GradingRules, cases_that_were_lost_to_another_user_are_told_and_too_many_of_them_keep_it_from_A) {
  const auto lost_from = [](std::size_t first) {
    return [first](const Made& made, int) { return made.at >= first ? Counted(absent, Status::stolen) : Counted(right(made)); };
  };
  expect(graded({}, lost_from(12)), 'B', "counted in only 12 of 30 cases: 18 stolen");
  expect(graded({}, lost_from(28)), 'A', "counted in 28 of 30 cases: 2 stolen");
}

TEST(GradingRules, events_that_disturb_it_in_some_cases_alone_are_seen) {
  const auto alone = [](const Made& made, int) { return right(made); };
  const auto beside = [](const Made& made, int) { return right(made) * (made.at % 5 == 0 ? 0.5 : 1); };
  expect(graded({}, alone, flops, beside), 'C', "beside other events it counts in 6 of 30 cases 0.5 times");
}

TEST(GradingRules, repetitions_that_differ_in_either_direction_are_seen) {
  const auto one_in_five = [](double factor) { return [factor](const Made& made, int r) { return right(made) * (r == 2 ? factor : 1); }; };
  expect(graded({}, one_in_five(1.8)), 'B', "a repetition in 5 is about 1.8 times the median of its case");
  expect(graded({}, one_in_five(0.97)), 'B', "a repetition in 5 is about 0.97 times");
  expect(graded({}, [](const Made& made, int r) { return right(made) * (r % 2 == 1 ? 3 : 1); }), 'D',
         "does not repeat: 40 % of the repetitions are about 3 times");
}

// Array elements instead of operations: every order of a series has a factor of its own.
TEST(GradingRules, a_table_of_factors_is_no_regime) {
  Results results;
  for (const std::int64_t order : {2, 8, 29})
    for (const std::int64_t m : {64, 96, 128, 160, 192, 224}) {
      const auto elements = static_cast<double>(m * m);
      Made made{"series", "gcc12-O3-v3", m, elements * 2 * static_cast<double>(order), 0};
      CaseSample sample = sample_of(made, flops, 1);
      sample.work = "validation/series/fp64/n=" + std::to_string(order) + "/m=" + std::to_string(m);
      add_case(results, sample, made, [&](const Made&, int) { return elements; });
    }
  expect(graded(results, flops), 'D', "its factor is another for each order: n=2 x 4, n=8 x 16, n=29 x 58");
}

TEST(GradingRules, values_that_share_a_factor_are_a_regime_and_others_must_confirm_it) {
  const MadeCases shape{.flavors = {"gcc12-O3-v3", "clang14-O3-v3"}, .sizes = {10, 20, 30, 40, 50, 60, 70, 80}};
  const auto steady_in_two_kernels = [](const Made& made, int) {
    return right(made) * (made.kernel == "stencil5" ? 0.5 + 0.01 * static_cast<double>(made.n) : 0.8);
  };
  const CounterScore score = graded(shape, steady_in_two_kernels);
  expect(score, 'C', "good except kernel validation/stencil5 (B, x 1.25)");
  ASSERT_TRUE(score.regimes);
  EXPECT_TRUE(score.regimes->confirmed);
  EXPECT_EQ(score.regimes->cases, 32U);
}

TEST(GradingRules, one_wrong_kernel_of_many_is_an_exception) {
  const CounterScore score = graded({}, [](const Made& made, int) { return right(made) * (made.kernel == "stencil5" ? 2 : 1); });
  expect(score, 'C', "good except kernel validation/stencil5 (A)");
}

TEST(GradingRules, a_kernel_of_too_few_cases_to_be_judged_alone_is_no_exception_where_it_agrees) {
  const auto graded_with = [](double few) {
    Results results;
    std::size_t cases_of_few = 0;
    for (const Made& made : cases_of({.kernels = {"triad", "dot", "stencil7c", "stencil5"}})) {
      if (made.kernel == "stencil5" && ++cases_of_few > 2) continue;
      add_case(results, sample_of(made, flops, 1), made, [&](const Made& m, int) {
        return right(m) * (m.kernel == "stencil7c" ? 2 : m.kernel == "stencil5" ? few : 1);
      });
    }
    return graded(results, flops);
  };
  const CounterScore agrees = graded_with(1);
  expect(agrees, 'C', "good except kernel validation/stencil7c (A)");
  EXPECT_EQ(agrees.regimes->cases, 22U);
  expect(graded_with(0.7), 'C', "good only for kernel validation/dot, validation/triad (A)");
}

TEST(GradingRules, what_one_kernel_shows_is_no_regime) {
  const MadeCases shape{.kernels = {"triad"}, .flavors = {"gcc12-O3-v3", "gcc12-O0-v3"}, .sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  const auto wrong_at_O0 = [](const Made& made, int) {
    return right(made) * (made.flavor == "gcc12-O3-v3" ? 1 : 1 + 0.1 * static_cast<double>(made.n));
  };
  expect(graded(shape, wrong_at_O0), 'D', "good only for optimization level O3 (A) by these cases, which no other kernels confirm");
}

/// Triad alone was compiled without optimization, and is wrong at any level.
TEST(GradingRules, a_level_that_moves_nothing_is_not_blamed_for_a_kernel) {
  Results results;
  for (const Made& made : cases_of({.flavors = {"gcc12-O3-v3", "gcc12-O0-v3"}}))
    if (made.kernel == "triad" || made.flavor == "gcc12-O3-v3")
      add_case(results, sample_of(made, flops, 1), made, [](const Made& m, int) { return right(m) * (m.kernel == "triad" ? 2 : 1); });
  expect(graded(results, flops), 'C', "good except kernel validation/triad (A)");
}

/// Kernels without the fault hold more cases than the compiler that is good in all.
TEST(GradingRules, a_factor_that_does_not_part_good_from_bad_hides_no_other) {
  Results results;
  const MadeCases shape{.kernels = {"triad", "dot", "stencil5", "stencil7", "stencil7c"}, .flavors = {"gcc12-O3-v3", "clang14-O3-v3"}};
  for (const Made& made : cases_of(shape))
    if (made.flavor == "gcc12-O3-v3" || made.kernel == "triad" || made.kernel == "dot")
      add_case(results, sample_of(made, flops, 1), made,
               [](const Made& m, int) { return right(m) * (m.flavor == "clang14-O3-v3" ? 2 : 1); });
  expect(graded(results, flops), 'C', "good only for compiler gcc12 (A)");
}

TEST(GradingRules, a_kernel_whose_sweeps_have_more_than_all_others_may_be_wrong_for_its_size) {
  const MadeCases shape{.kernels = {"triad", "dot", "dgemm"}};
  const auto stops = [](const Made& made, int) { return right(made) * (made.kernel == "dgemm" ? 0.5 : 1); };
  EXPECT_EQ(graded(shape, stops).reason.find("it may be the size"), std::string::npos);
  Results results;
  for (Made made : cases_of(shape)) {
    if (made.kernel == "dgemm") made.exact *= 100;
    add_case(results, sample_of(made, flops, 1), made, stops);
  }
  expect(graded(results, flops), 'C', "good except kernel validation/dgemm (A)");
  expect(graded(results, flops), 'C', "validation/dgemm has more in a sweep than all others: it may be the size");
}

TEST(GradingRules, what_the_model_leaves_open_is_not_covered_and_said) {
  Results results;
  for (const Made& made : cases_of({}))
    add_case(results, sample_of(made, flops, made.kernel == "dot" ? 2.45 : 1), made,
             [](const Made& m, int) { return right(m) * (m.kernel == "dot" ? 2 : 1); });
  const CounterScore score = graded(results, flops);
  expect(score, 'A', "says nothing of validation/dot, which the model leaves open by more than 1.5 times");
  EXPECT_EQ(score.n, 20U);
}

/// About normal, with a standard deviation of 1; the same everywhere.
double noise(const Made& made, int repetition) {
  const auto k = static_cast<double>(made.at * repetitions + static_cast<std::size_t>(repetition) + 1);
  return (std::sin(12.9898 * k * k) + std::sin(78.233 * k * k) + std::sin(37.719 * k * k)) / 1.22;
}

TEST(GradingRules, noise_is_named_and_is_not_held_to_be_a_fault_of_the_median) {
  const auto noisy = [](double part) { return [part](const Made& made, int r) { return right(made) * (1 + part * noise(made, r)); }; };
  expect(graded({}, noisy(0.001)), 'A', "within");
  expect(graded({}, noisy(0.008)), 'B', "but from repetition to repetition its counts scatter by");
  expect(graded({}, noisy(0.1)), 'D', "does not repeat");
}

TEST(GradingRules, a_repetition_that_counts_twice_is_no_interrupt) {
  const auto twice = [](const Made& made, int r) { return right(made) * (made.at == 7 && r == 3 ? 2 : 1); };
  expect(graded({}, twice), 'B', "counts far more in 1 of 150 repetitions than in most");
  const auto interrupted = [](const Made& made, int r) { return right(made) + (made.at == 7 && r == 3 ? 200 : 0); };
  expect(graded({.amount = 100}, interrupted), 'A', "always exact");
}

TEST(GradingRules, few_cases_are_not_enough_for_A) {
  const MadeCases shape{.kernels = {"triad"}, .flavors = {"gcc12-O3-v3"}, .sizes = {10, 20, 40}};
  const CounterScore score = graded(shape, [](const Made& made, int) { return right(made); });
  expect(score, 'B', "from 1 kernel, 3 cases whose exact amount is known");
  expect(score, 'B', "tried only at O3");
}

TEST(GradingRules, one_stray_case_is_borne_and_named_but_most_cases_of_a_work_are_no_accident) {
  const auto off_in = [](std::vector<std::size_t> cases) {
    return
        [cases](const Made& made, int) { return right(made) * (std::find(cases.begin(), cases.end(), made.at) == cases.end() ? 1 : 1.3); };
  };
  expect(graded({}, off_in({7})), 'B', "right to 2 %, except 1 of 30 cases: validation/triad/fp64/n=80/r1t1/clang14-O3-v3");
  MadeCases large;
  for (std::int64_t n = 200; n < 220; ++n) large.sizes.push_back(n);  // 150 cases bear three strays
  expect(graded(large, off_in({1, 60, 111})), 'B', "except 3 of 150 cases");
  expect(graded(large, off_in({60, 61, 111})), 'D', "moved by size");  // both cases of a work
  EXPECT_GT(graded(large, off_in({1, 40, 60, 111})).grade, 'B') << "four are too many";
}

TEST(GradingRules, a_grade_that_one_kernel_carries_is_the_one_without_it) {
  const MadeCases shape{.kernels = {"triad", "dot"}, .sizes = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120}};
  const auto uneven = [](const Made& made, int) {  // dot: two sizes of twelve only, and these differ
    if (made.kernel == "dot" && made.n > 40) return Counted(absent, Status::skipped);
    return Counted(right(made) * (made.kernel == "dot" ? (made.n % 20 == 0 ? 1.05 : 0.95) : 1));
  };
  expect(graded(shape, uneven, bytes), 'D', "hinges on validation/triad (without it D)");
}

TEST(GradingRules, a_bias_that_few_kernels_leave_open_is_not_trusted) {
  const MadeCases shape{.kernels = {"triad", "dot"}};
  const CounterScore score = graded(
      shape, [](const Made& made, int) { return right(made) * (made.kernel == "dot" ? 1.03 : 1); }, bytes);
  expect(score, 'B', "its bias is not sure to 5 %");
  EXPECT_LT(score.bias_interval.lo, 0.95);
  EXPECT_GT(score.bias_interval.hi, 1.08);
}

TEST(GradingRules, a_count_inside_an_interval_may_be_off_by_its_width) {
  MadeCases shape{.interval = 1.04};
  const auto jumps = [](const Made& made, int) { return right(made) * (made.at % 2 == 0 ? 1 : 1.04); };
  const CounterScore score = graded(shape, jumps, bytes);
  expect(score, 'A', "in which it may be off by");
  EXPECT_NEAR(score.possible.lo, 1 / 1.04, 1e-9);
  EXPECT_NEAR(score.possible.hi, 1.04, 1e-9);
  EXPECT_EQ(score.min, 1);
  EXPECT_EQ(score.max, 1);
}

TEST(GradingRules, equal_amounts_that_differ_in_the_last_digit_make_no_slope) {
  Results results;
  for (int i = 0; i < 12; ++i) {
    Made made{"triad", "gcc12-O3-v3", 10 + i, 1e6 * (1 + 1e-15 * i), 0};
    add_case(results, sample_of(made, flops, 1), made, [&](const Made&, int) { return 1e6 * (1 + 0.3 * (i % 4)); });
  }
  const Linearity line = graded(results, flops).linearity.front();
  EXPECT_TRUE(std::isnan(line.slope)) << line.slope;
  EXPECT_TRUE(std::isnan(line.intercept_hi)) << line.intercept_hi;
}

TEST(GradingRules, what_few_repetitions_agree_on_by_chance_does_not_make_the_third_lost) {
  const auto lost = [](const std::vector<std::vector<double>>& cases) {
    std::vector<Evidence> evidence;
    for (const auto& counts : cases) judge_repetitions(counts, limits_of(Kind::bytes), 0, evidence.emplace_back());
    return repeatability_of(evidence).lost;
  };
  EXPECT_EQ(lost({{92, 100, 108}, {93, 100, 107}, {91, 100, 109}, {80, 100, 100.1}}), 0U);
  EXPECT_EQ(lost({{99.9, 100, 100.1}, {99.9, 100, 100.1}, {99.9, 100, 100.1}, {80, 100, 100.1}}), 1U);
}

TEST(GradingRules, two_amounts_are_no_line) {
  EXPECT_FALSE(std::isfinite(fit_line({{100, 110}, {100, 110}, {300, 350}, {300, 350}}, "").intercept));
  EXPECT_TRUE(std::isfinite(fit_line({{100, 110}, {200, 210}, {300, 310}, {300, 310}}, "").intercept));
}

TEST(GradingRules, a_line_that_falls_is_none) {
  const CounterScore score = graded({}, [](const Made& made, int) { return 1e6 + 1e13 / right(made); });
  EXPECT_TRUE(std::isnan(score.linearity.front().slope));
}

// The compiler gcc12 alone compiled without optimization: it is the level.
TEST(GradingRules, a_compiler_that_alone_has_a_level_is_not_blamed_for_it) {
  const MadeCases shape{.flavors = {"gcc12-O3-v3", "clang14-O3-v3", "gcc12-O0-v3"}};
  const CounterScore score = graded(shape, [](const Made& made, int) {
    return right(made) * (made.flavor == "gcc12-O0-v3" ? 1 + 0.1 * static_cast<double>(made.n) : 1);
  });
  expect(score, 'C', "good only for optimization level O3 (A)");
  EXPECT_EQ(score.reason.find("hangs on gcc12"), std::string::npos) << score.reason;
}

TEST(GradingRules, a_factor_on_operations_is_not_explained_by_write_allocate) {
  expect(graded({}, [](const Made& made, int) { return right(made) / 0.75; }), 'B', "multiply by 0.75 (about 3/4)");
  expect(graded(
             {}, [](const Made& made, int) { return right(made) / 0.75; }, bytes),
         'B', "(about 3/4, as write-allocate in a triad)");
}

}  // namespace
}  // namespace plumbline
