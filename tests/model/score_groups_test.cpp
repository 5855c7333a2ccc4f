#include "model/scoring/score_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

const std::string id = "validation/series/fp64/form=loop/n=12/m=64/r1t1/gcc12-O3-v2";

CaseScore row(const std::string& case_id, double measured, double exact, const std::string& counter = "refills") {
  return {.case_id = case_id,
          .node = "a",
          .counter = counter,
          .quantity = "paper.bytes",
          .convention = Convention::paper,
          .measured = measured,
          .exact_lo = exact,
          .exact_hi = exact,
          .ratio = measured / exact};
}

TEST(score_groups, a_cases_properties_are_those_in_its_id) {
  const std::pair<const char*, const char*> expected[] = {
      {"kernel", "validation/series"}, {"precision", "fp64"}, {"form", "loop"}, {"n", "12"},  {"m", "64"}, {"team", "r1t1"},
      {"flavor", "gcc12-O3-v2"},       {"compiler", "gcc12"}, {"level", "O3"},  {"isa", "v2"}};
  for (const auto& [key, value] : expected) EXPECT_EQ(property_of(id, key), value) << key;
  for (const char* key : {"k", "", "series"}) EXPECT_FALSE(property_of(id, key)) << key;
}

TEST(score_groups, a_group_is_what_agrees_in_the_properties_named) {
  const std::vector<CaseScore> rows{row("s/k/fp64/n=1/m=64/r1t1/f", 10, 10), row("s/k/fp64/n=12/m=64/r1t1/f", 40, 10),
                                    row("s/k/fp64/n=1/m=65/r1t1/f", 20, 10), row("s/k/fp64/n=1/m=64/r1t1/f", 50, 10, "accesses")};
  const auto groups = group_scores(rows, {"m", "precision"});
  ASSERT_EQ(groups.size(), 3U);
  const std::vector<std::pair<std::string, std::string>> first{{"m", "64"}, {"precision", "fp64"}};
  EXPECT_EQ(groups[0].group, first);
  EXPECT_EQ(groups[0].ratio.n, 2U);
  EXPECT_EQ(groups[0].mean, 2.5);
  EXPECT_DOUBLE_EQ(groups[0].geometric_mean, 2);
  EXPECT_EQ(groups[0].ratio.min, 1);
  EXPECT_EQ(groups[0].ratio.max, 4);
  EXPECT_DOUBLE_EQ(groups[0].ratio.cv, std::sqrt(4.5) / 2.5);
  EXPECT_EQ(groups[0].measured.min, 10);
  EXPECT_EQ(groups[0].measured.max, 40);
  EXPECT_EQ(groups[1].group[0].second, "65");
  EXPECT_EQ(groups[2].counter, "accesses");
  EXPECT_TRUE(std::isnan(groups[2].ratio.cv)) << "one case has no spread";
}

TEST(score_groups, a_case_without_the_property_or_without_a_ratio_is_in_none) {
  EXPECT_TRUE(group_scores(std::vector{row(id, 10, 10)}, {"k"}).empty());
  EXPECT_TRUE(group_scores(std::vector{row(id, absent, 10)}, {"n"}).empty());
  EXPECT_EQ(group_scores(std::vector{row(id, 10, 10)}, {"n"}).size(), 1U);
}

TEST(score_groups, zero_tests_stand_apart_from_ratios) {
  CaseScore twice = row(id, 20, 10), passed = row(id, 0, 0), failed = row(id, 5, 0);
  passed.ratio = 1;
  passed.zero = ZeroTest::passed;
  failed.ratio = absent;
  failed.zero = ZeroTest::failed;
  const auto groups = group_scores(std::vector{twice, passed, failed}, {"n"});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].ratio.n, 1U);
  EXPECT_EQ(groups[0].mean, 2);
  EXPECT_EQ(groups[0].zero_tests, 2U);
  EXPECT_EQ(groups[0].zero_failures, 1U);
  const auto zeros = group_scores(std::vector{passed}, {"n"});
  EXPECT_EQ(zeros.at(0).ratio.n, 0U);
  EXPECT_TRUE(std::isnan(zeros.at(0).mean)) << "no ratio, and not 1";
}

}  // namespace
}  // namespace plumbline
