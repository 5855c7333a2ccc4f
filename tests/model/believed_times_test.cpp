#include "model/believed_times.hpp"

#include <gtest/gtest.h>

#include "model/measured.hpp"
#include "model/observation.hpp"
#include "model/roofline.hpp"
#include "samples.hpp"

namespace plumbline {
namespace {

/// One repetition of 20 sweeps by one thread.
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
  EXPECT_NE(note_of(timed({{3e-3, 0.4}, {3e-3, 0.4}})).find("all 2 repetitions were disturbed"), std::string::npos);
  EXPECT_EQ(note_of(timed({{1e-3, 0.4}, {3e-3, 1}})), "");
}

TEST(BelievedTimes, older_files_and_gpus_say_nothing_of_disturbances) {
  Results results = timed({{1e-3}, {3e-3, 0.4, 1, 2e9}, {3e-3, 0.4, 1, 2e9}});
  for (auto& row : results.times) row.cpu_share = row.steal_seconds = absent, row.sweeps = 0;
  EXPECT_EQ(median(results), 3e-3);
  EXPECT_EQ(measurements_of(results).cases.at(0).disturbed, 0U);
}

}  // namespace
}  // namespace plumbline
