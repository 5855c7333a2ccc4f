#include "app/stages/count_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline::app {
namespace {

RegionCounts counts(const std::vector<std::uint64_t>& kernel, const std::vector<std::uint64_t>& empty, std::uint64_t sweeps = 1) {
  RegionCounts all{.kernel = {}, .empty = {}, .sweeps = sweeps};
  for (const auto raw : kernel) all.kernel.push_back({{.event = "loads", .raw = raw}});
  for (const auto raw : empty) all.empty.push_back({{.event = "loads", .raw = raw}});
  return all;
}

std::vector<CountRow> rows_of(const std::vector<RegionCounts>& counted) {
  std::vector<CountRow> rows;
  add_count_rows(rows, {.case_id = "case", .node = "node", .session = "s", .event = "", .backend = "papi"}, counted);
  return rows;
}

TEST(CountRows, have_the_count_a_sweep_without_that_of_the_empty_region) {
  const auto rows = rows_of({counts({1030}, {30}, 10)});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].event, "loads");
  EXPECT_EQ(rows[0].thread, -1);
  EXPECT_EQ(rows[0].raw, 1030U);
  EXPECT_EQ(rows[0].net, 100);
  EXPECT_EQ(rows[0].status, Status::ok);
}

TEST(CountRows, keep_the_number_where_the_empty_region_had_more) {
  const auto rows = rows_of({counts({5}, {30}, 10)});
  EXPECT_EQ(rows.at(0).status, Status::negative);
  EXPECT_EQ(rows[0].net, -2.5);
  EXPECT_EQ(rows[0].raw, 0U) << "the contract: nothing unless ok";
}

TEST(CountRows, leave_a_rate_as_it_is) {
  RegionCounts counted = counts({63}, {80});
  counted.kernel[0][0].rate = 62.5;
  counted.empty[0][0].status = Status::failed;
  const auto rows = rows_of({counted});
  EXPECT_EQ(rows.at(0).status, Status::ok) << "what it is where nothing runs says nothing";
  EXPECT_EQ(rows[0].net, 62.5);
  EXPECT_EQ(rows[0].raw, 63U);
}

TEST(CountRows, make_no_number_of_a_reading_that_is_not_ok) {
  for (const bool kernel : {true, false}) {
    RegionCounts counted = counts({100}, {1});
    (kernel ? counted.kernel : counted.empty)[0][0].status = Status::stolen;
    const auto rows = rows_of({counted});
    EXPECT_EQ(rows.at(0).status, Status::stolen);
    EXPECT_TRUE(std::isnan(rows[0].net));
    EXPECT_EQ(rows[0].raw, 0U);
  }
}

TEST(CountRows, lose_nothing_to_an_interrupt_in_one_empty_region) {
  const auto rows = rows_of({counts({1030}, {30}, 10), counts({1031}, {530}, 10), counts({1030}, {31}, 10)});
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ(rows[r].repetition, static_cast<int>(r));
    EXPECT_NEAR(rows[r].net, 100, 0.2);
  }
}

TEST(CountRows, sum_the_threads_and_show_each) {
  const auto rows = rows_of({counts({100, 10}, {1, 20})});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].thread, -1);
  EXPECT_EQ(rows[0].net, 89);
  EXPECT_EQ(rows[1].net, 99);
  EXPECT_EQ(rows[2].status, Status::negative);
  EXPECT_EQ(rows[2].net, -10);
}

}  // namespace
}  // namespace plumbline::app
