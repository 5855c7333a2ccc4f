#include "model/scoring/derived_intensity.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

CaseScore paper_row(const std::string& id, const std::string& quantity, const std::string& counter, double measured, double exact) {
  return {.case_id = id,
          .node = "a",
          .counter = counter,
          .quantity = quantity,
          .convention = Convention::paper,
          .measured = measured,
          .exact_lo = exact,
          .exact_hi = exact,
          .ratio = measured / exact};
}

TEST(derived_intensity, is_counted_flops_over_each_candidates_bytes) {
  const std::vector<CaseScore> rows{paper_row("x", "paper.flops", "flops", 4, 4), paper_row("y", "paper.flops", "flops", 8, 4),
                                    paper_row("x", "paper.bytes", "refills", 20, 40), paper_row("x", "paper.bytes", "accesses", 160, 40),
                                    paper_row("y", "paper.bytes", "refills", 160, 40)};
  const auto scores = derived_intensities(rows);
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores[0].flops_per_byte, 0.2);
  EXPECT_EQ(scores[0].exact, 0.1);
  EXPECT_EQ(scores[0].ratio, 2);
  EXPECT_EQ(scores[1].ratio, 0.25);
  EXPECT_EQ(scores[2].ratio, 0.5);
  const auto summaries = summarize(scores);
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].counter, "refills");
  EXPECT_EQ(summaries[0].n, 2U);
  EXPECT_EQ(summaries[0].min, 0.5);
  EXPECT_DOUBLE_EQ(summaries[0].geometric_mean, 1);
  EXPECT_EQ(summaries[0].max, 2);
}

TEST(derived_intensity, there_is_none_without_counted_flops_or_bytes) {
  const CaseScore flops = paper_row("x", "paper.flops", "flops", 4, 4), bytes = paper_row("x", "paper.bytes", "refills", 20, 40);
  CaseScore uncounted = paper_row("x", "paper.bytes", "refills", absent, 40);
  CaseScore by_flow = bytes;
  by_flow.convention = Convention::flow;
  EXPECT_TRUE(derived_intensities(std::vector{bytes}).empty());
  EXPECT_TRUE(derived_intensities(std::vector{flops, uncounted}).empty());
  EXPECT_TRUE(derived_intensities(std::vector{flops, by_flow}).empty());
  EXPECT_TRUE(derived_intensities(std::vector{flops, paper_row("x", "paper.bytes", "refills", 0, 40)}).empty()) << "a zero makes no ratio";
}

}  // namespace
}  // namespace plumbline
