// Grades follow from facts alone, whatever words are found for them.
#include "model/scoring/decision.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plumbline {
namespace {

/// The kinds that a reason tells, in its order: "zero_test offset".
std::string told(const Decision& decision) {
  std::string words;
  for (const Told& one : decision.reason) words += (words.empty() ? "" : " ") + std::string(to_string(one.kind));
  return words;
}

void expect(const Facts& facts, char grade, const std::string& reason) {
  const Decision decision = decide(facts);
  EXPECT_EQ(decision.grade, grade);
  EXPECT_EQ(told(decision), reason);
}

Regimes regimes(bool confirmed) {
  return {.factor = Factor::level, .good = {"O3"}, .others = {"O0"}, .grade = 'A', .confirmed = confirmed};
}

TEST(Decision, without_findings_the_cases_decide) {
  expect({.by_cases = 'A'}, 'A', "trusted");
  expect({.by_cases = '-'}, '-', "undecided");
  expect({.by_cases = 'B', .found = {FindingKind::factor}}, 'B', "factor");
  expect({.by_cases = 'D'}, 'D', "neither");
}

TEST(Decision, the_gravest_finding_rejects_and_is_told_first_with_two_that_explain) {
  const Facts facts{
      .by_cases = 'D',
      .found = {FindingKind::depends_on, FindingKind::saturates, FindingKind::offset, FindingKind::lost, FindingKind::zero_test}};
  expect(facts, 'D', "zero_test offset saturates");
}

TEST(Decision, what_keeps_a_right_counter_from_A_is_told_after_why_it_is_right) {
  expect({.by_cases = 'A', .found = {FindingKind::few_cases, FindingKind::repetitions}}, 'B', "trusted repetitions few_cases");
  expect({.by_cases = 'A', .found = {FindingKind::few_cases, FindingKind::grouping}}, 'C', "alone grouping");
}

TEST(Decision, only_regimes_that_others_confirm_make_it_C) {
  expect({.by_cases = 'D', .regimes = regimes(true)}, 'C', "regimes range");
  expect({.by_cases = 'D', .found = {FindingKind::nothing}, .regimes = regimes(true)}, 'C', "nothing regimes");
  expect({.by_cases = 'D', .regimes = regimes(false)}, 'D', "neither unconfirmed_regimes");
  expect({.by_cases = 'D', .regimes = regimes(true), .has_look_up = true}, 'D', "neither look_up");
}

TEST(Decision, an_offset_is_enough_only_where_nothing_else_is_wrong) {
  Facts facts{.by_cases = 'D', .found = {FindingKind::offset}, .offset = OffsetVerdict::calibrated};
  expect(facts, 'B', "calibrated");
  EXPECT_TRUE(decide(facts).is_by_offset);
  facts.offset = OffsetVerdict::too_uncertain;
  expect(facts, 'D', "neither offset unsure_offset");
  EXPECT_FALSE(decide(facts).is_by_offset);
}

TEST(Decision, zero_tests_reject_only_where_no_offset_explains_them) {
  Facts facts{.by_cases = 'D', .found = {FindingKind::zero_test, FindingKind::offset}};
  expect(facts, 'D', "zero_test offset");
  facts.is_good_from = true;
  expect(facts, 'C', "calibrated_from");
  facts.offset = OffsetVerdict::calibrated;
  expect(facts, 'B', "calibrated");
}

TEST(Decision, what_stops_is_good_up_to_there_and_what_its_flows_explain_nowhere) {
  Facts facts{.by_cases = 'D', .found = {FindingKind::saturates}, .regimes = regimes(true), .is_good_up_to = true};
  expect(facts, 'C', "up_to range saturates");
  facts = {.by_cases = 'D', .found = {FindingKind::unseen_flow, FindingKind::by_flows}, .regimes = regimes(true)};
  expect(facts, 'D', "neither unseen_flow by_flows");
}

TEST(Decision, a_good_grade_is_the_one_without_the_kernel_that_it_hinges_on) {
  const HangsOn better{Factor::kernel, "dot", 'A'}, worse{Factor::kernel, "triad", 'D'};
  expect({.by_cases = 'B', .found = {FindingKind::factor}, .hangs_on = {better, worse}}, 'D', "hinges factor hangs_on");
  expect({.by_cases = 'D', .hangs_on = {better}}, 'D', "neither hangs_on");
}

TEST(Decision, a_factor_known_at_one_work_alone_is_not_decided) {
  expect({.by_cases = 'B', .found = {FindingKind::factor}, .is_of_one_work = true}, '-', "one_work factor");
}

TEST(Decision, what_was_not_covered_is_told_last_and_once) {
  expect({.by_cases = 'A', .found = {FindingKind::some_uncounted}, .leaves_open = true, .has_one_level = true}, 'A',
         "trusted open one_level some_uncounted");
  expect({.by_cases = 'A', .found = {FindingKind::few_counted}}, 'B', "trusted few_counted");
  expect({.by_cases = 'A', .is_of_code = true}, 'A', "of_code trusted");
}

}  // namespace
}  // namespace plumbline
