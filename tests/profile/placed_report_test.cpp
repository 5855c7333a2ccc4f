// SPDX-License-Identifier: BSD-3-Clause
// Reuse distances fill in a report's missing bytes.
#include "profile/placed_report.hpp"

#include <gtest/gtest.h>

#include "../model/three_sweeps.hpp"
#include "profile/profile.hpp"

namespace plumbline {
namespace {

TEST(PlacedReport, KnowsNothingOfFunctionsWhereTheToolToldOfNone) {
  const EventSums unknown{{"bytes.L1-L2.demand_read", std::nullopt}};
  ToolReport report;
  report.threads.push_back({1, unknown, three_sweeps()});
  report.functions = {{"sweep", "here", 16, unknown, {}, std::nullopt}};
  place_on(report, {{.name = "L1", .bytes = 512 * 64, .ways = 8}, {.name = "L2", .bytes = 2048 * 64, .ways = 8}});
  EXPECT_TRUE(report.threads[0].counts.at("bytes.L1-L2.demand_read").has_value());
  EXPECT_FALSE(report.functions[0].counts.at("bytes.L1-L2.demand_read").has_value()) << "0 bytes would be a lie";
}

TEST(PlacedReport, HasTheBytesThatItsDistancesMake) {
  const std::vector<CacheLevel> caches{{.name = "L1", .bytes = 512 * 64, .ways = 8},
                                       {.name = "L2", .bytes = 2048 * 64, .ways = 8},
                                       {.name = "L3", .bytes = 4 * 512 * 64, .ways = 16}};
  const EventSums unknown{{"bytes.reg-L1.nt_store", 7}, {"bytes.L1-L2.demand_read", std::nullopt}, {"bytes.L3-mem.rfo", std::nullopt}};
  ToolReport report;
  report.total = unknown;
  for (const int thread : {1, 2}) report.threads.push_back({thread, unknown, three_sweeps()});
  report.regions = {{"sweeps", 1, 1, false, unknown, three_sweeps()}, {"none", 1, 1, false, unknown, std::nullopt}};
  report.functions = {{"sweep", "here", 16, unknown, {}, three_sweeps()}, {"adds", "here", 32, unknown, {}, std::nullopt}};
  place_on(report, caches);
  EXPECT_EQ(bytes(report.functions[0].counts, "L2-L3"), (900 + 100 + 100) * 64 + 7);
  EXPECT_EQ(bytes(report.functions[1].counts, "L2-L3"), 7) << "it fetched nothing";
  EXPECT_EQ(bytes(report.threads[0].counts, "L1-L2"), (2700 + 300 + 300) * 64 + 7);
  EXPECT_EQ(bytes(report.threads[0].counts, "L2-L3"), (900 + 100 + 100) * 64 + 7);
  EXPECT_EQ(bytes(report.threads[0].counts, "L3-mem"), (900 + 100 + 100) * 64 + 7) << "half of L3 is as large as L2";
  EXPECT_EQ(event(report.total, "bytes.L1-L2.demand_read"), 2 * 2700 * 64);
  EXPECT_EQ(event(report.regions[0].counts, "bytes.L2-L3.rfo"), 100 * 64);
  EXPECT_EQ(event(report.regions[1].counts, "bytes.L1-L2.demand_read"), std::nullopt);
  EXPECT_TRUE(places_that_may_conflict(report, caches).empty());
}

TEST(PlacedReport, IsAsItWasWithoutDistances) {
  ToolReport report;
  report.threads.push_back({1, {{"bytes.L1-L2.rfo", std::nullopt}}, std::nullopt});
  report.total = report.threads[0].counts;
  place_on(report, {{.name = "L1", .bytes = 32 << 10, .ways = 8}});
  EXPECT_EQ(report.total, report.threads[0].counts);
}

}  // namespace
}  // namespace plumbline
