// SPDX-License-Identifier: BSD-3-Clause
// The times that processes leave of their marked regions are read, and joined with what was counted.
#include "profile/region_times.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "preload/region_records.h"
#include "profile/native_run.hpp"
#include "profile/run_window.hpp"
#include "profile/timed_regions.hpp"

namespace plumbline {
namespace {

template <class Record>
std::string bytes_of(const Record& record) {
  return std::string(reinterpret_cast<const char*>(&record), sizeof record);
}

std::string region_record(std::uint64_t first_ms, std::uint64_t last_ms, std::uint64_t elapsed_ms, std::string name) {
  RegionRecord record{};
  record.first_ns = first_ms * 1'000'000, record.last_ns = last_ms * 1'000'000, record.elapsed_ns = elapsed_ms * 1'000'000;
  record.name = static_cast<std::uint32_t>(name.size());
  name.resize((name.size() + 7) / 8 * 8);
  record.begin = {kRegionRecord, static_cast<std::uint32_t>(sizeof record + name.size())};
  return bytes_of(record) + name;
}

std::string thread_record(std::uint64_t region, std::uint64_t entries, std::uint64_t ms, std::uint64_t cpu_ms, std::uint32_t depth = 0) {
  RegionThreadRecord record{};
  record.begin = {kRegionThreadRecord, sizeof record};
  record.region = region, record.entries = entries, record.depth = depth;
  record.elapsed_ns = ms * 1'000'000, record.cpu_ns = cpu_ms * 1'000'000;
  return bytes_of(record);
}

void write_region_file(const std::filesystem::path& file, std::uint32_t process, const std::string& records) {
  const RegionsHead head{{PLUMBLINE_REGIONS_FORMAT, sizeof head + records.size(), process, 1}, 2, 300};
  std::ofstream(file, std::ios::binary) << bytes_of(head) << records << std::string(4096, 0);
}

TEST(RegionTimes, AreReadOfAllProcessesAndThreads) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("regions" + std::to_string(getpid()));
  EXPECT_EQ(region_timing(folder).value, folder.string());
  const std::string first = region_record(10, 110, 90, "solve");
  const std::uint64_t begin = sizeof(RegionsHead), second = begin + first.size();
  write_region_file(folder / "7.0.regions", 7,
                    first + region_record(20, 30, 10, "setup") + thread_record(begin, 3, 60, 50) + thread_record(begin, 3, 90, 70, 1) +
                        thread_record(second, 1, 10, 5) + first.substr(0, 20));           // the last is not whole: the process was killed
  write_region_file(folder / "8.0.regions", 8, first + thread_record(begin, 1, 40, 40));  // at once with the first
  write_region_file(folder / "9.0.regions", 9, region_record(200, 230, 30, "solve") + thread_record(begin, 1, 30, 30));  // behind it
  std::ofstream(folder / "8.1.regions") << "torn";
  const TimedRegions timed = read_region_times(folder);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(timed.lost, 6U);
  EXPECT_DOUBLE_EQ(timed.mark_seconds, 300e-9);
  ASSERT_EQ(timed.regions.size(), 2U);
  const RegionTimes &setup = timed.regions[0], &solve = timed.regions[1];
  EXPECT_EQ(setup.name, "setup");
  EXPECT_DOUBLE_EQ(setup.seconds, 0.010);
  EXPECT_FALSE(setup.open);
  EXPECT_EQ(solve.entries, 8U);
  EXPECT_EQ(solve.processes, 3);
  EXPECT_EQ(solve.threads, 4);
  EXPECT_TRUE(solve.open);
  EXPECT_DOUBLE_EQ(solve.seconds, 0.090 + 0.030) << "processes that were in it at once count once";
  EXPECT_DOUBLE_EQ(solve.cpu_seconds, 0.190);
  EXPECT_DOUBLE_EQ(solve.longest_cpu_seconds, 0.070);
  EXPECT_DOUBLE_EQ(solve.cores, 0.220 / 0.120);
}

TEST(RegionTimes, AreNoneWhereNothingWasLeft) { EXPECT_TRUE(read_region_times("/no/such/folder").regions.empty()); }

RegionTimes region_times(const std::string& name, std::uint64_t entries, double seconds) {
  return {.name = name,
          .entries = entries,
          .ranks = 1,
          .processes = 1,
          .threads = 2,
          .open = false,
          .seconds = seconds,
          .cores = 2,
          .cpu_seconds = seconds * 1.5,
          .longest_cpu_seconds = seconds};
}

TEST(TimedRegions, AreJoinedWhereBothRunsEnteredThemAsOften) {
  const TimedRegions timed{{region_times("same", 3, 1), region_times("differs", 3, 2), region_times("timed", 1, 3)}};
  std::vector<RegionCountsByName> counted(3);
  counted[0].name = "same", counted[0].entries = 3, counted[0].counts = {{"flops.fp64.add", 7}};
  counted[1].name = "differs", counted[1].entries = 4;
  counted[2].name = "counted", counted[2].entries = 1, counted[2].counts = {{"flops.fp64.add", 5}};
  const auto regions = join_regions(timed, counted, "");
  ASSERT_EQ(regions.size(), 4U);
  EXPECT_EQ(regions[0].name, "timed");
  EXPECT_FALSE(regions[0].counts);
  EXPECT_EQ(regions[0].why_no_counts, "the counted run did not enter it");
  EXPECT_EQ(regions[1].name, "differs");
  EXPECT_FALSE(regions[1].counts);
  EXPECT_NE(regions[1].why_no_counts.find("3 times in the timed run and 4 times"), std::string::npos);
  EXPECT_EQ(regions[2].name, "same");
  ASSERT_TRUE(regions[2].counts);
  EXPECT_EQ(event(*regions[2].counts, "flops.fp64.add"), 7);
  EXPECT_EQ(regions[2].cores(), 2);
  EXPECT_DOUBLE_EQ(regions[2].imbalance, 2 / 1.5);
  EXPECT_TRUE(regions[2].why_no_time.empty() && regions[2].why_no_counts.empty());
  EXPECT_EQ(regions[3].name, "counted");
  EXPECT_NE(regions[3].why_no_time.find("linked statically"), std::string::npos);
}

TEST(RunWindow, IsAStretchOfTimeOrARegion) {
  const RunWindow seconds = parse_window("1.5s:20");
  EXPECT_TRUE(seconds.is_of_time());
  EXPECT_EQ(seconds.begin_seconds, 1.5);
  EXPECT_EQ(seconds.end_seconds, 20);
  EXPECT_EQ(parse_window(":2s").begin_seconds, 0);
  EXPECT_TRUE(std::isinf(parse_window("3:").end_seconds));
  const RunWindow some = parse_window("region:time step:3-5");
  EXPECT_FALSE(some.is_of_time());
  EXPECT_EQ(counting_options(some), (std::vector<std::string>{"--window=time step", "--window-entries=3-5"}));
  EXPECT_EQ(region_window(some).value().value, "3-5:time step");
  EXPECT_EQ(parse_window("region:a:b").region, "a:b");
  EXPECT_EQ(region_window(parse_window("region:a")).value().value, "1-0:a");
  EXPECT_EQ(parse_window("region:a:7").last, 7U);
  for (const char* text : {"", ":", "10", "5:4", "a:b", "-1:2", "region:", "region:a:0-2", "region:a:3-2", "nan:2"})
    EXPECT_THROW(parse_window(text), Error) << text;
}

TEST(SampleWindow, TakesSamplesOfItsStretchOfTime) {
  SampleWindow window(parse_window("1s:2s"), "/no/such/folder");
  const auto sample = [](std::uint64_t ms) { return SampleRecord{.time_ns = ms * 1'000'000, .process = 7}; };
  EXPECT_TRUE(window.takes({.kind = SampleRecord::Kind::map, .time_ns = 5'000'000'000, .process = 7})) << "the start";
  EXPECT_FALSE(window.takes(sample(5999)));
  EXPECT_TRUE(window.takes(sample(6000)));
  EXPECT_FALSE(window.takes(sample(7000)));
}

TEST(SampleWindow, TakesSamplesOfAProcessWhileItsRegionIsOpen) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("window" + std::to_string(getpid()));
  region_timing(folder);
  const auto stay = [](std::uint64_t begin_ms, std::uint64_t end_ms) {
    return bytes_of(RegionStay{{kRegionStay, sizeof(RegionStay)}, begin_ms * 1'000'000, end_ms * 1'000'000});
  };
  write_region_file(folder / "7.0.regions", 7, stay(10, 20) + region_record(1, 2, 1, "other") + stay(30, 0));
  SampleWindow window(parse_window("region:a"), folder);
  const auto takes = [&](int process, std::uint64_t ms) { return window.takes({.time_ns = ms * 1'000'000, .process = process}); };
  EXPECT_FALSE(takes(7, 15)) << "nobody has looked yet";
  window.refresh();
  EXPECT_FALSE(takes(7, 9));
  EXPECT_TRUE(takes(7, 10) && takes(7, 19));
  EXPECT_FALSE(takes(7, 20) || takes(8, 15));
  EXPECT_TRUE(takes(7, 1000)) << "it is still open";
  std::filesystem::remove_all(folder);
}

TEST(TimedRegions, HaveTimesAloneWhereTheRunsAreNotJoined) {
  std::vector<RegionCountsByName> counted(1);
  counted[0].name = "same", counted[0].entries = 3;
  const auto regions = join_regions({{region_times("same", 3, 1)}}, counted, "nothing was counted");
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_FALSE(regions[0].counts);
  EXPECT_EQ(regions[0].why_no_counts, "nothing was counted");
}

TEST(NativeRanks, ARegionTakesAsLongAsOnItsLongestRankAndTheCoresOfAll) {
  std::vector<NativeRank> ranks(3);
  for (int rank = 0; rank < 3; ++rank) {
    ranks[static_cast<std::size_t>(rank)].rank = rank, ranks[static_cast<std::size_t>(rank)].host = "a";
    ranks[static_cast<std::size_t>(rank)].run.regions.regions = {region_times("part", 2, rank == 2 ? 0.01 : 1.0 + rank)};
  }
  const auto file = std::filesystem::temp_directory_path() / ("plumbline-region-rank-" + std::to_string(getpid()));
  write_native_rank(file, ranks[1]);
  ranks[1] = read_native_rank(file);
  std::filesystem::remove(file);
  const TimedRegions all = merge_ranks(ranks).regions;
  ASSERT_EQ(all.regions.size(), 1U);
  const RegionTimes& part = all.regions[0];
  EXPECT_EQ(part.entries, 6U);
  EXPECT_EQ(part.ranks, 3);
  EXPECT_EQ(part.threads, 6);
  EXPECT_DOUBLE_EQ(part.seconds, 2);
  EXPECT_DOUBLE_EQ(part.cores, 4) << "a rank that was hardly in it is no core of it";
  EXPECT_DOUBLE_EQ(part.cpu_seconds, 1.5 * 3.01);
  EXPECT_DOUBLE_EQ(part.longest_cpu_seconds, 2);
}

}  // namespace
}  // namespace plumbline
