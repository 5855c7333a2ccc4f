// SPDX-License-Identifier: BSD-3-Clause
// The functions of a profile become the groups of a projection, those at which threads wait one of its own.
#include "app/programs/profile_parts.hpp"

#include <gtest/gtest.h>

namespace plumbline::app {
namespace {

ProfileRow function(const std::string& name, const std::string& object, double seconds, double cores, double cpu_seconds) {
  ProfileRow row;
  row.kind = "function", row.name = row.case_id = name, row.object = object;
  row.seconds = seconds, row.cores = cores, row.cpu_seconds = cpu_seconds, row.samples = 100, row.flops = 1;
  return row;
}

/// A program of two threads: one works for a second while the other spins, then both for 0.9, one of them for less.
std::vector<ProfileRow> spinning() {
  ProfileRow total;
  total.kind = "total", total.seconds = 2;
  return {total, function("alone", "/usr/bin/program", 1, 1, 1), function("together", "/usr/bin/program", 0.9, 2, 1.6),
          function("gomp_team_barrier_wait_end", "/usr/lib/libgomp.so.1.0.0", 1.2, 1, 1.2)};
}

std::vector<RooflinePlacement> places_of(const std::vector<CaseRow>& cases) {
  std::vector<RooflinePlacement> places;
  for (const auto& row : cases) places.push_back({.of = &row, .node = "here", .seconds = 1, .bound = "mem"});
  return places;
}

TEST(ProfileParts, WaitingForOtherThreadsIsNoGroupThatMemoryBounds) {
  std::vector<CaseRow> cases(3);
  cases[0].id = "alone", cases[1].id = "together", cases[2].id = "gomp_team_barrier_wait_end";
  cases[1].threads = 2;
  std::vector<std::string> notes;
  const Application program = application_of(spinning(), places_of(cases), "here", notes);
  ASSERT_EQ(program.groups.size(), 3U);
  EXPECT_EQ(program.groups[0].seconds, 1);
  EXPECT_DOUBLE_EQ(program.groups[0].idle_core_seconds, 1);
  EXPECT_NEAR(program.groups[1].idle_core_seconds, 0.2, 1e-12);
  EXPECT_EQ(program.groups[2].name, "waiting (libgomp.so.1.0.0)");
  EXPECT_TRUE(program.groups[2].waits);
  EXPECT_NEAR(program.groups[2].seconds, 0.1, 1e-12) << "the rest of it lies beside what the other thread does";
  EXPECT_NEAR(program.rest_seconds, 0, 1e-12);
  ASSERT_FALSE(notes.empty());
  for (const char* word : {"waiting for other threads", "libgomp.so.1.0.0", "1.20 s", "alone", "83 %"})
    EXPECT_NE(notes.front().find(word), std::string::npos) << notes.front();
}

}  // namespace
}  // namespace plumbline::app
