#include "model/ceilings/disturbances.hpp"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

CeilingRow quiet_sample(std::int64_t threads = 1) {
  CeilingRow row{
      .name = {}, .precision = {}, .level = {}, .pattern = {}, .threads = threads, .node = "n", .session = {}, .unit = {}, .method = {}};
  row.sentinel = 4;
  row.cpu_share = 0.999;
  row.clock_hz = 3e9;
  return row;
}

TEST(Disturbances, a_quiet_run_has_none) {
  const std::vector<CeilingRow> rows(100, quiet_sample());
  const auto found = find_disturbances(rows);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].samples, 100U);
  EXPECT_EQ(found[0].disturbed, 0U);
  EXPECT_FALSE(is_disturbed(found[0]));
}

TEST(Disturbances, each_kind_is_told_and_a_sample_counts_once) {
  std::vector<CeilingRow> rows(20, quiet_sample());
  rows[0].sentinel = 2.1;  // a neighbour on the other hardware thread
  rows[1].cpu_share = 0.6;
  rows[1].involuntary_switches = 3;
  rows[2].clock_hz = 2.1e9;
  rows[3].sentinel = 2;
  rows[3].clock_hz = 2e9;
  const auto found = find_disturbances(rows).at(0);
  EXPECT_EQ(found.shared_core, 2U);
  EXPECT_EQ(found.lost_cpu, 1U);
  EXPECT_EQ(found.slow_clock, 2U);
  EXPECT_EQ(found.disturbed, 4U);
  EXPECT_EQ(found.switches, 3);
  EXPECT_TRUE(is_disturbed(found));
  EXPECT_EQ(found.clock_lowest_hz, 2e9);
}

TEST(Disturbances, one_sentinel_too_high_disturbs_no_other_sample) {
  std::vector<CeilingRow> rows(492, quiet_sample());
  rows[17].sentinel = 4.7;  // its clock was read too low
  EXPECT_EQ(find_disturbances(rows).at(0).disturbed, 0U);
  rows[18].sentinel = 3.5;
  EXPECT_EQ(find_disturbances(rows).at(0).shared_core, 1U);
}

TEST(Disturbances, a_neighbour_that_is_there_most_of_the_time_is_told) {
  std::vector<CeilingRow> rows(100, quiet_sample());
  for (std::size_t i = 0; i < 70; ++i) rows[i].sentinel = 2.2;
  EXPECT_EQ(find_disturbances(rows).at(0).shared_core, 70U);
}

TEST(Disturbances, teams_are_held_to_their_own_usual) {
  std::vector<CeilingRow> rows(10, quiet_sample(1));
  for (int i = 0; i < 10; ++i) {
    rows.push_back(quiet_sample(2));  // both hardware threads of one core, always
    rows.back().sentinel = 2;
    rows.back().clock_hz = 2.6e9;
  }
  EXPECT_EQ(find_disturbances(rows).at(0).disturbed, 0U);
}

TEST(Disturbances, wide_vectors_may_have_a_clock_of_their_own) {
  std::vector<CeilingRow> rows(10, quiet_sample());
  for (int i = 0; i < 4; ++i) {
    rows.push_back(quiet_sample());
    rows.back().pattern = "fma";
    rows.back().clock_hz = 2.3e9;
  }
  EXPECT_EQ(find_disturbances(rows).at(0).disturbed, 0U);
  rows.back().clock_hz = 1.9e9;
  EXPECT_EQ(find_disturbances(rows).at(0).slow_clock, 1U);
}

TEST(Disturbances, rows_without_a_record_are_not_called_quiet) {
  std::vector<CeilingRow> rows(5);
  EXPECT_TRUE(find_disturbances(rows).empty());
}

}  // namespace
}  // namespace plumbline
