// Nights are kept or let go in folders that are made up.
#include "app/nights/retention.hpp"

#include <gtest/gtest.h>

namespace plumbline::app {
namespace {

constexpr std::int64_t day_ns = 86'400LL * 1'000'000'000LL, first_ns = 20'000 * day_ns;  // 2024-10-04

Night night(int day, const std::vector<SeriesKey>& rows = {{"a", "n0"}}, const std::string& campaign = "c") {
  Night one{.file = std::to_string(day) + ".h5", .started_unix_ns = first_ns + day * day_ns, .campaign = campaign};
  for (const auto& key : rows) one.rows.push_back({.key = key, .row_class = "mem", .unit = "seconds"});
  return one;
}

std::string gone(const std::vector<Night>& nights, const RetentionWish& wish, const std::vector<AcceptedLevel>& levels = {},
                 int now_day = 400) {
  std::string files;
  for (const auto& fate : fates_of(nights, levels, wish, first_ns + now_day * day_ns))
    if (fate.kept_for.empty()) files += fate.night->file + " ";
  return files;
}

TEST(Retention, days_are_counted_from_the_last_night_and_not_from_now) {
  EXPECT_EQ(gone({night(0), night(1), night(2), night(3)}, {.keep_days = 2}), "0.h5 ");
  EXPECT_EQ(gone({night(0)}, {.keep_days = 1}), "") << "the last one always stays";
}

TEST(Retention, a_night_of_the_future_is_not_the_last_one) {
  EXPECT_EQ(gone({night(0), night(1), night(900)}, {.keep_days = 2}), "");
  EXPECT_EQ(gone({night(900), night(901)}, {.keep_days = 1}), "") << "where all are of the future nothing is old";
}

TEST(Retention, the_first_night_of_each_month_stays_where_it_is_asked_for) {
  const std::vector<Night> nights{night(0), night(10), night(28), night(40), night(100)};  // October twice, November twice
  EXPECT_EQ(gone(nights, {.keep_days = 1}), "0.h5 10.h5 28.h5 40.h5 ");
  EXPECT_EQ(gone(nights, {.keep_days = 1, .keep_monthly = true}), "10.h5 40.h5 ");
}

TEST(Retention, the_last_night_of_what_is_gone_stays_until_that_is_accepted) {
  const std::vector<Night> nights{night(0, {{"a", "n0"}, {"a", "n1"}}), night(1, {{"a", "n0"}, {"a", "n1"}}), night(2), night(9)};
  EXPECT_EQ(gone(nights, {.keep_days = 1}), "0.h5 2.h5 ");
  const AcceptedLevel gone_for_good{.from_unix_ns = nights[2].started_unix_ns + 1, .from_file = "x.h5", .node = "n1"};
  EXPECT_EQ(gone(nights, {.keep_days = 1}, {gone_for_good}), "0.h5 1.h5 2.h5 ");
}

TEST(Retention, a_row_that_failed_is_no_last_measurement) {
  std::vector<Night> nights{night(0), night(1), night(9)};
  nights[1].rows[0].status = nights[2].rows[0].status = Status::failed;
  EXPECT_EQ(gone(nights, {.keep_days = 1}), "1.h5 ");
}

TEST(Retention, a_night_whose_level_was_accepted_stays_by_its_start_or_its_name) {
  const std::vector<Night> nights{night(0), night(1), night(2), night(9)};
  EXPECT_EQ(gone(nights, {.keep_days = 1}, {{.from_unix_ns = nights[1].started_unix_ns, .from_file = "renamed.h5"}}), "0.h5 2.h5 ");
  EXPECT_EQ(gone(nights, {.keep_days = 1}, {{.from_unix_ns = 1, .from_file = "2.h5"}}), "0.h5 1.h5 ");
  EXPECT_EQ(gone(nights, {.keep_days = 1}, {{.from_unix_ns = 1, .from_file = "2.h5", .cluster = "another"}}), "0.h5 1.h5 2.h5 ");
}

TEST(Retention, of_what_is_spread_over_nodes_the_last_of_the_fullest_nights_stays) {
  std::vector<Night> nights{night(0, {{"a", "n0"}, {"a", "n1"}}), night(1, {{"a", "n0"}, {"a", "n1"}}), night(2), night(3, {{"a", "n1"}}),
                            night(9)};
  EXPECT_EQ(gone(nights, {.keep_days = 1}), "0.h5 1.h5 2.h5 ");
  for (auto& one : nights) one.distributed = true;
  EXPECT_EQ(gone(nights, {.keep_days = 1}), "0.h5 2.h5 ");
}

TEST(Retention, nights_of_which_nobody_can_say_what_came_after_them_stay) {
  const std::vector<SeriesKey> one_thing{{"a", "n0"}};
  EXPECT_EQ(gone({night(0, {}), night(1, {}), night(50, {})}, {.keep_days = 1}), "") << "nothing was timed in them";
  EXPECT_EQ(gone({night(0, one_thing, ""), night(1, one_thing, ""), night(50, one_thing, "")}, {.keep_days = 1}), "")
      << "campaigns without a name";
}

TEST(Retention, what_was_accepted_below_keeps_its_night_and_no_other) {
  const std::vector<Night> nights{night(0), night(1), night(50)};
  const std::vector<AcceptedLevel> below{{.from_unix_ns = nights[1].started_unix_ns, .from_file = "1.h5"}};
  const auto fates = fates_of(nights, {}, {.keep_days = 1}, first_ns + 400 * day_ns, below);
  EXPECT_EQ(fates[0].kept_for, "");
  EXPECT_NE(fates[1].kept_for.find("was accepted"), std::string::npos) << fates[1].kept_for;
}

TEST(Retention, campaigns_and_clusters_age_apart) {
  std::vector<Night> nights{night(0), night(1, {{"a", "n0"}}, "other"), night(2), night(3, {{"a", "n0"}}, "other"), night(50)};
  nights[0].cluster = nights[2].cluster = "alps";
  EXPECT_EQ(gone(nights, {.keep_days = 1}), "0.h5 1.h5 ");
}

}  // namespace
}  // namespace plumbline::app
