#include "model/cases/believed_times.hpp"

#include <gtest/gtest.h>

#include "model/cases/measured.hpp"
#include "model/comparing/observation.hpp"
#include "model/placement/roofline.hpp"
#include "samples.hpp"

namespace plumbline {
namespace {

/// A repetition of 20 sweeps by one thread.
struct Sample {
  double seconds = 1e-3, cpu_share = 1, steal_seconds = 0, clock_hz = 3e9;
};

Results timed(const std::vector<Sample>& samples) {
  Results results;
  test::add(results, {.counts = {{"flops.fp64.fma", 1000}}, .seconds = 1});
  const TimeRow first = results.times.front();
  results.times.clear();
  for (const auto& sample : samples) {
    TimeRow row = first;
    row.repetition = static_cast<std::int32_t>(results.times.size());
    row.seconds = sample.seconds;
    row.cpu_share = sample.cpu_share;
    row.steal_seconds = sample.steal_seconds;
    row.clock_hz = sample.clock_hz;
    row.sweeps = 20;
    results.times.push_back(row);
  }
  return results;
}

double median(const Results& results) { return measurements_of(results).cases.at(0).seconds.value; }

TEST(BelievedTimes, the_median_is_that_of_the_repetitions_that_nothing_disturbed) {
  EXPECT_EQ(median(timed({{1e-3}, {3e-3, 0.4}, {3e-3, 0.4}})), 1e-3);
  EXPECT_EQ(median(timed({{1e-3}, {3e-3, 1, 0.01}, {3e-3, 1, 0.01}})), 1e-3);  // 10 ms of 60 were stolen
  EXPECT_EQ(median(timed({{1e-3}, {1e-3}, {3e-3, 1, 0, 2e9}, {4e-3, 1, 0, 2e9}, {1e-3}})), 1e-3);
  EXPECT_EQ(median(timed({{1e-3}, {3e-3, 0.98}, {3e-3, 0.98}})), 3e-3);  // nothing unusual
}

TEST(BelievedTimes, a_tick_of_stolen_time_in_a_long_repetition_disturbs_nothing) {
  EXPECT_EQ(median(timed({{1e-3}, {30e-3, 1, 0.01}, {30e-3, 1, 0.01}})), 30e-3);
}

TEST(BelievedTimes, a_history_takes_the_same_repetitions) {
  const auto all = observe(timed({{1e-3}, {3e-3, 0.4}, {3e-3, 0.4}}), {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].sessions, (Sessions{{1e-3}}));
}

TEST(BelievedTimes, where_there_are_only_disturbed_ones_the_placement_says_so) {
  const auto note_of = [](const Results& results) {
    const Measurements measurements = measurements_of(results);
    const auto placement = place(measurements, {}).at(0);
    EXPECT_EQ(placement.seconds, 3e-3);
    return placement.notes.empty() ? "" : placement.notes.front();
  };
  EXPECT_NE(note_of(timed({{3e-3, 0.4}, {3e-3, 0.4}})).find("all repetitions were disturbed"), std::string::npos);
  EXPECT_EQ(note_of(timed({{1e-3, 0.4}, {3e-3, 1}})), "");
}

TEST(BelievedTimes, older_files_and_gpus_say_nothing_of_disturbances) {
  Results results = timed({{1e-3}, {3e-3, 0.4, 1, 2e9}, {3e-3, 0.4, 1, 2e9}});
  for (auto& row : results.times) row.cpu_share = row.steal_seconds = absent, row.sweeps = 0;
  EXPECT_EQ(median(results), 3e-3);
  EXPECT_EQ(measurements_of(results).cases.at(0).disturbed, 0U);
}

/// Results of two ranks: each has seconds and a CPU share of its own.
Results of_ranks(double team_seconds, Sample first, Sample second) {
  Results results = timed({{team_seconds}});
  results.cases.front().ranks = 2;
  for (const auto& [rank, sample] : {std::pair{0, first}, {1, second}}) {
    TimeRow row = results.times.front();
    row.rank = rank;
    row.seconds = sample.seconds;
    row.cpu_share = sample.cpu_share;
    results.times.push_back(row);
  }
  return results;
}

TEST(BelievedTimes, ranks_that_did_not_begin_together_are_disturbed) {
  const BelievedTimes together = believed_times(of_ranks(1.01e-3, {1e-3}, {0.99e-3})),
                      apart = believed_times(of_ranks(5e-3, {1e-3}, {1e-3}));
  EXPECT_FALSE(together.disturbed.front());
  EXPECT_TRUE(apart.disturbed.front());
  EXPECT_NEAR(apart.left.front(), 0.2, 1e-9);
}

TEST(BelievedTimes, what_others_left_is_told_by_the_slowest_rank) {
  EXPECT_NEAR(believed_times(timed({{3e-3, 0.4}})).left.front(), 0.4, 1e-9);
  EXPECT_NEAR(believed_times(timed({{3e-3, 1, 0.03}})).left.front(), 0.5, 1e-9);  // 30 ms of 60 were stolen
  EXPECT_NEAR(believed_times(of_ranks(4e-3, {4e-3, 0.25}, {1e-3, 1})).left.front(), 0.25, 1e-9);
}

}  // namespace
}  // namespace plumbline
