// A score is taken at the word of its findings: what its sentence happens to name excuses nothing.
#include "adversary_use.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "adversary_base.hpp"

namespace plumbline {
namespace {

using namespace test;

struct adversary_use : ::testing::Test {
  const Bases bases = kept_bases(PLUMBLINE_GOLDEN);
  const CaseWords words{bases};
  const TrueCase& one = *std::find_if(bases.scored.begin(), bases.scored.end(), [](const TrueCase& any) {
    return any.row.kernel == "validation/dgemm" && any.of({"flops.fp64"}) > 1e6;
  });
  const MadeCounter twice{.counter = claiming("twice", {"flops.fp64"}), .kind = "x2", .count = [](const TrueCase& any, Random&) {
                            return 2 * any.of({"flops.fp64"});
                          }};

  bool is_off(const CounterScore& score) const {
    const double counted = 2 * one.of({"flops.fp64"}) * static_cast<double>(one.row.ranks);
    return used_as_it_says(twice, score, nullptr, {{&one, counted}}, words).is_off;
  }
};

TEST_F(adversary_use, a_kernel_that_the_reason_names_is_no_excuse) {
  EXPECT_TRUE(is_off({.grade = 'A', .reason = "always exact; hangs on validation/dgemm (without it B)"}));
  EXPECT_TRUE(is_off({.grade = 'A', .reason = "says nothing of validation/dgemm in 2 of 8 cases"}));
}

TEST_F(adversary_use, a_stray_an_open_case_and_an_open_kernel_are_excepted) {
  EXPECT_FALSE(is_off({.strays = {one.row.id}, .grade = 'B'}));
  EXPECT_FALSE(is_off({.coverage = {.open_cases = {one.row.id}}, .grade = 'A'}));
  EXPECT_FALSE(is_off({.coverage = {.open = {"validation/dgemm"}}, .grade = 'A'}));
  EXPECT_TRUE(is_off({.coverage = {.open = {"validation/dgemm in 2 of 8 cases"}}, .grade = 'A'})) << "which two?";
}

TEST_F(adversary_use, of_a_limited_one_only_its_regimes_count) {
  CounterScore score{.regimes = Regimes{.factor = Factor::kernel, .good = {"validation/dot"}, .grade = 'A'}, .grade = 'C'};
  EXPECT_FALSE(is_off(score));
  score.regimes->good.emplace_back("validation/dgemm");
  EXPECT_TRUE(is_off(score));
}

TEST_F(adversary_use, a_factor_is_stated_rightly_where_its_interval_holds_the_true_one) {
  CounterScore score{.grade = 'B'};
  score.calibration = Calibration{.factor = 0.5};
  score.steady_interval = {1.9, 2.1};
  EXPECT_FALSE(is_stated_wrongly(twice, score, bases.scored, words, 1));
  score.steady_interval = {1.9, 1.999};
  EXPECT_TRUE(is_stated_wrongly(twice, score, bases.scored, words, 1));
  score.steady_interval = {};
  EXPECT_FALSE(is_stated_wrongly(twice, score, bases.scored, words, 1)) << "no interval is stated";
}

TEST_F(adversary_use, an_offset_too) {
  const MadeCounter more{.counter = claiming("more", {"flops.fp64"}), .kind = "offset", .count = [](const TrueCase& any, Random&) {
                           return any.of({"flops.fp64"}) + 1e6 / static_cast<double>(any.row.ranks);
                         }};
  CounterScore score{.grade = 'B'};
  score.calibration = Calibration{.offset = 1e6, .offset_lo = 0.9e6, .offset_hi = 1.1e6};
  EXPECT_FALSE(is_stated_wrongly(more, score, bases.scored, words, 1));
  score.calibration->offset_hi = 0.99e6;
  EXPECT_TRUE(is_stated_wrongly(more, score, bases.scored, words, 1));
}

}  // namespace
}  // namespace plumbline
