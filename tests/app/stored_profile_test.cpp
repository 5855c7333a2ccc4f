// SPDX-License-Identifier: BSD-3-Clause
// The table /profile and the document's rows say the same; two profiles beside each other tell noise from change; functions are projected.
#include "app/programs/stored_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "app/programs/profile_comparison.hpp"
#include "app/programs/profile_parts.hpp"
#include "app/programs/profile_rows.hpp"
#include "core/error.hpp"

namespace plumbline::app {
namespace {

Json parsed(const char* text) { return Json::parse(text); }

CaseRow case_called(const std::string& id) {
  CaseRow row;
  row.id = id, row.precision = "fp64";
  return row;
}

ProfileRow function(const std::string& name, double samples, double all, double milliseconds = absent) {
  ProfileRow row;
  row.kind = "function", row.name = name, row.object = "/home/me/program";
  row.samples = samples;
  const Share share = share_of(static_cast<std::uint64_t>(samples), static_cast<std::uint64_t>(all));
  row.share = share.part, row.share_lo = share.lo, row.share_hi = share.hi;
  row.seconds = 1e-3 * (std::isfinite(milliseconds) ? milliseconds : samples);
  row.case_id = "program/program/fp64/part=" + name + "/in=program/r1t1/native";
  return row;
}

ProfileRow whole(double seconds) {
  ProfileRow row;
  row.kind = "total", row.name = "program", row.seconds = seconds, row.samples = 1000 * seconds;
  row.share = row.share_lo = row.share_hi = 1;
  return row;
}

const ComparedPart& part_of(const std::vector<ComparedPart>& parts, const std::string& name) {
  for (const auto& part : parts)
    if (part.row().name == name) return part;
  throw std::out_of_range(name);
}

// ------------------------------------------------------------------------------------------------------------------ rows

TEST(ProfileRows, AreTheDocumentsRowsKeyForColumn) {
  const auto rows = profile_rows(parsed(R"([
    {"kind":"function","name":"f","object":"/x","case":"program/x/of/f","share":0.5,"samples":12,"gflops":null,"bound":null,"status":"unavailable","reason":"why",
     "levels":{"L1":{"boundary":"reg-L1","bytes":64,"ai":0.25}},"counts":{"flops.fp64.add":18446744073709551615,"x":null},"new":"key"},
    {"kind":"thread","rank":1,"pid":77,"thread":2},{"kind":"loop","name":"f.c:3","function":"f","case":"of no case"}])"),
                                 std::vector{case_called("program/x/of/f")});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].case_id, "program/x/of/f");
  EXPECT_EQ(rows[2].case_id, "");
  EXPECT_EQ(rows[2].function, "f");
  EXPECT_EQ(rows[0].kind, "function");
  EXPECT_EQ(rows[0].samples, 12);
  EXPECT_TRUE(std::isnan(rows[0].gflops));
  EXPECT_EQ(rows[0].bound, "");
  EXPECT_EQ(rows[0].status, Status::unavailable);
  EXPECT_EQ(level_bytes(rows[0], "L1"), 64);
  EXPECT_TRUE(std::isnan(level_bytes(rows[0], "mem")));
  EXPECT_EQ(counts_of(rows[0]), (EventSums{{"flops.fp64.add", ~std::uint64_t{0}}, {"x", std::nullopt}}));
  EXPECT_EQ(rows[0].rank, -1);
  EXPECT_EQ(rows[1].pid, 77);
  EXPECT_EQ(rows[1].thread, 2);
  const Json again = row_json(profile_row_columns(), rows[0]);
  EXPECT_EQ(again["levels"]["L1"]["bytes"], 64);
  EXPECT_TRUE(again["rank"].is_null());
  EXPECT_EQ(again["counts"]["flops.fp64.add"], ~std::uint64_t{0});
}

TEST(ProfileRows, OfAStrangersFileAreBelievedNothing) {
  ProfileRow row;
  for (const char* text : {"", "no JSON", "[1]", R"({"L1":3})", R"({"L1":{"bytes":"many"}})"}) {
    row.levels = row.counts = text;
    EXPECT_TRUE(std::isnan(level_bytes(row, "L1"))) << text;
    EXPECT_NO_THROW(static_cast<void>(row_json(profile_row_columns(), row))) << text;
  }
  row.counts = R"({"a":-1,"b":0.5,"c":"x","d":4})";
  EXPECT_EQ(counts_of(row), (EventSums{{"d", 4}}));
}

// ------------------------------------------------------------------------------------------------------------ stored profiles

Results with_profile() {
  Results results;
  results.provenance = provenance_of({.command = {"./program", "a b"}, .wall_seconds = 2, .user_seconds = 1.5, .notes = {"a note"}});
  results.profile = {whole(2), function("f", 900, 1000), function("g", 100, 1000)};
  results.profile[1].bound = "L2", results.profile[1].percent_of_roof = 42;
  return results;
}

TEST(StoredProfile, IsShownAsItWas) {
  const auto profile = stored_profile("x.h5", with_profile(), {});
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->shown.words.command, (std::vector<std::string>{"./program", "a b"}));
  const std::string text = shown_text(profile->shown);
  EXPECT_NE(text.find("Profiled: ./program 'a b'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("42 %"), std::string::npos) << text;
  EXPECT_NE(text.find("note: a note"), std::string::npos) << text;
  EXPECT_EQ(stored_profile("x.h5", Results{}, {}), nullptr);
}

TEST(StoredProfile, WithoutWordsIsRefused) {
  Results results = with_profile();
  for (const char* provenance : {"", "{}", R"({"profiled":{"command":"no list"}})", R"({"profiled":3})"}) {
    results.provenance = provenance;
    try {
      static_cast<void>(stored_profile("x.h5", results, {}));
      FAIL() << provenance;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::user_error);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("x.h5"), std::string::npos);
    }
  }
}

TEST(StoredProfile, OfAStrangersNumbersIsShown) {
  Results results = with_profile();
  ProfileRow& row = results.profile[1];
  row.samples = -1e300, row.cores = 1e300, row.share = absent, row.seconds = -HUGE_VAL;
  EXPECT_NO_THROW(static_cast<void>(shown_text(stored_profile("x.h5", results, {})->shown)));
}

// ----------------------------------------------------------------------------------------------------------------- comparison

TEST(ComparedProfiles, TellChangeFromNoise) {
  const std::vector<ProfileRow> before{whole(3), function("same", 2000, 3000), function("slower", 900, 3000), function("noise", 100, 3000)};
  const std::vector<ProfileRow> after{whole(3.2), function("same", 1990, 3200), function("slower", 1100, 3200),
                                      function("noise", 110, 3200)};
  const auto parts = compare_profiles(before, after, 0.05);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].row().kind, "total");
  EXPECT_EQ(parts[1].row().name, "same") << "the longest first";
  EXPECT_EQ(part_of(parts, "slower").verdict, Verdict::slower);
  EXPECT_EQ(part_of(parts, "noise").verdict, Verdict::ambiguous);
  EXPECT_EQ(parts[0].judged.lo, parts[0].judged.hi) << "the whole was timed, and its CPU time is not known";
  const Judged& same = parts[1].judged;
  EXPECT_NEAR(same.slowdown, 0.995, 1e-9);
  EXPECT_NEAR(std::log(same.hi / same.lo), 2 * 1.96 * std::sqrt(1. / 2000 + 1. / 1990), 0.002) << "the rates of two Poisson processes";
}

TEST(ComparedProfiles, TimesThatOverlapAreScaledAsTheyAre) {
  // On two cores at once the same number of samples is half the time.
  const std::vector before{function("f", 1000, 1000)}, after{function("f", 1000, 1000, 500)};
  const auto parts = compare_profiles(before, after, 0.05);
  EXPECT_NEAR(parts[0].judged.slowdown, 0.5, 1e-12);
  EXPECT_EQ(parts[0].verdict, Verdict::faster);
}

TEST(ComparedProfiles, AWholeThatOthersDisturbedIsNotSaidToBeSlower) {
  std::vector<ProfileRow> before{whole(3)}, after{whole(3.5)};
  before[0].cpu_seconds = 2, after[0].cpu_seconds = 1.9;
  before[0].cores = after[0].cores = 1;
  EXPECT_EQ(compare_profiles(before, after, 0.05)[0].verdict, Verdict::ambiguous);
  after[0].cpu_seconds = 2.4;
  EXPECT_EQ(compare_profiles(before, after, 0.05)[0].verdict, Verdict::slower);
}

TEST(ComparedProfiles, SayWhatCameAndWent) {
  const std::vector before{function("old", 10, 20), function("kept", 10, 20)}, after{function("kept", 10, 20), function("new", 10, 20)};
  const auto parts = compare_profiles(before, after, 0.05);
  EXPECT_EQ(part_of(parts, "old").presence(), Presence::went);
  EXPECT_EQ(part_of(parts, "new").presence(), Presence::came);
  EXPECT_NE(part_of(parts, "new").status, Status::ok);
  EXPECT_EQ(part_of(parts, "kept").presence(), Presence::both);
  const std::string text = compared_parts_text(parts, Format::text);
  EXPECT_NE(text.find("CAME"), std::string::npos);
  EXPECT_NE(text.find("WENT"), std::string::npos);
}

TEST(ComparedProfiles, AFunctionIsTheSameInAFileOfAnotherName) {
  ProfileRow optimized = function("f", 10, 20), library = function("f", 10, 20);
  optimized.object = "/tmp/program_O3", library.object = "/lib/libx.so";
  const std::vector one{function("f", 10, 20)}, renamed{optimized};
  EXPECT_EQ(compare_profiles(one, renamed, 0.05).size(), 1U);
  // The one in the file of that name is the same, where there are two.
  const std::vector before{function("f", 10, 20), library}, after{library, optimized};
  const auto parts = compare_profiles(before, after, 0.05);
  ASSERT_EQ(parts.size(), 2U);
  for (const auto& part : parts) EXPECT_EQ(part.presence(), Presence::both);
}

TEST(ComparedProfiles, ACopyThatTheCompilerMadeIsTheFunction) {
  const std::vector before{function("dot", 10, 20), function("f(int)", 10, 20), function("f(int) [clone .cold]", 10, 20),
                           function("g.part.0.isra.1", 10, 20), function("h", 10, 20)};
  const std::vector after{function("dot.constprop.0", 10, 20),
                          function("f(int) [clone .isra.0]", 10, 20),
                          function("f(int) [clone .isra.0] [clone .cold]", 10, 20),
                          function("g", 10, 20),
                          function("h", 10, 20),
                          function("h.cold", 10, 20)};
  const auto parts = compare_profiles(before, after, 0.05);
  ASSERT_EQ(parts.size(), 6U);
  for (const auto& part : parts)
    EXPECT_EQ(part.presence(), part.row().name == "h.cold" ? Presence::came : Presence::both) << part.row().name;
  EXPECT_EQ(part_of(parts, "f(int) [clone .isra.0]").before->name, "f(int)");
  EXPECT_EQ(part_of(parts, "f(int) [clone .isra.0] [clone .cold]").before->name, "f(int) [clone .cold]");
  // Which of two copies it would be is not known.
  const std::vector one{function("dot", 10, 20)}, copies{function("dot.constprop.0", 10, 20), function("dot.constprop.1", 10, 20)};
  EXPECT_EQ(compare_profiles(one, copies, 0.05).size(), 3U);
}

TEST(ComparedProfiles, SayWhetherTheWorkIsTheSame) {
  ProfileRow before = function("f", 10, 20), after = function("f", 10, 20);
  EXPECT_EQ(did_the_same({&before, &after}), std::nullopt);
  before.counts = R"({"instructions":10})", after.counts = R"({"instructions":10})";
  EXPECT_EQ(did_the_same({&before, &after}), true);
  after.counts = R"({"instructions":11})";
  EXPECT_EQ(did_the_same({&before, &after}), false);
  EXPECT_EQ(did_the_same({&before, nullptr}), std::nullopt);
}

TEST(ComparedProfiles, WhatNoSampleMetHasNoVerdict) {
  ProfileRow unmet = function("f", 0, 20);
  unmet.seconds = absent;
  const std::vector before{unmet}, after{function("f", 10, 20)};
  const auto parts = compare_profiles(before, after, 0.05);
  EXPECT_EQ(parts[0].status, Status::unavailable);
  EXPECT_EQ(parts[0].reason, "no sample met it before");
}

// ----------------------------------------------------------------------------------------------------------------- projection

struct Placed {
  std::vector<CaseRow> cases;
  std::vector<RooflinePlacement> placements;
};

/// The functions' places: bound by memory.
Placed bound_by_memory(const std::vector<ProfileRow>& rows) {
  Placed placed;
  for (const auto& row : rows) placed.cases.push_back(case_called(row.case_id));
  for (std::size_t i = 0; i < rows.size(); ++i)
    placed.placements.push_back({.of = &placed.cases[i], .node = "n", .seconds = rows[i].seconds, .bound = "mem"});
  return placed;
}

TEST(ProfileParts, AreGroupsAndTheRestIsWhatNoSampleMet) {
  const std::vector<ProfileRow> functions{function("f", 600, 1000), function("g", 300, 1000), function("rare", 5, 1000)};
  const Placed placed = bound_by_memory(functions);
  std::vector<ProfileRow> profile = functions;
  profile.insert(profile.begin(), whole(1));
  profile.push_back(function("uncounted", 50, 1000));
  std::vector<std::string> notes;
  const Application application = application_of(profile, placed.placements, "n", notes);
  ASSERT_EQ(application.groups.size(), 2U);
  EXPECT_EQ(application.groups[0].name, "f (program)");
  EXPECT_EQ(application.groups[0].bound, "mem");
  EXPECT_NEAR(application.rest_seconds, 0.1, 1e-12);
  ASSERT_EQ(notes.size(), 3U) << "uncounted, met by few, met by none";
}

TEST(ProfileParts, OfThreadsThatRanBesideEachOtherShareTheTime) {
  const std::vector<ProfileRow> functions{function("f", 600, 1200), function("g", 600, 1200)};
  const Placed placed = bound_by_memory(functions);
  std::vector<ProfileRow> profile = functions;
  profile.push_back(whole(0.6));
  std::vector<std::string> notes;
  const Application application = application_of(profile, placed.placements, "n", notes);
  ASSERT_EQ(application.groups.size(), 2U);
  EXPECT_NEAR(application.groups[0].seconds, 0.3, 1e-12);
  EXPECT_NEAR(application.rest_seconds, 0, 1e-12);
  EXPECT_EQ(notes.size(), 1U);
}

}  // namespace
}  // namespace plumbline::app
