// The last cache is taken at one of two sizes, by facts of many machines; and something follows for cases that it cannot hold.
#include "model/ceilings/last_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "machines.hpp"
#include "model/placement/roofline.hpp"
#include "samples.hpp"

namespace plumbline {
namespace {

using test::KiB;
using test::MiB;

std::vector<CacheLevel> told(double l2, double l3) {
  std::vector<CacheLevel> caches{{"L1", 48 * 1024, 12, 64, false}, {"L2", static_cast<std::uint64_t>(l2), 16, 64, false}};
  if (l3 > 0) caches.push_back({"L3", static_cast<std::uint64_t>(l3), 15, 64, true});
  return caches;
}

FoundLevels found(std::vector<double> sizes, double confidence) {
  FoundLevels levels;
  for (const double size : sizes)
    levels.levels.push_back({.name = "L" + std::to_string(levels.levels.size() + 1),
                             .size_bytes = size,
                             .size_lo = 0.9 * size,
                             .size_hi = 1.1 * size,
                             .confidence = confidence});
  levels.levels.push_back({.name = "mem", .confidence = confidence});
  return levels;
}

LastCache chosen_cache(const std::vector<CacheLevel>& caches, const FoundLevels& levels, LastCacheRule rule = LastCacheRule::automatic) {
  return choose_last_cache(caches, levels, rule);
}

// Granite Rapids under KVM: the socket's 480 MiB told, 26.6 MiB found, confidence 0.58 (2026-11-23).
const std::vector<CacheLevel> granite_rapids_caches = told(2 * MiB, 480 * MiB);
const FoundLevels found_there = found({48 * KiB, 2 * MiB, 26.6 * MiB}, 0.58);

TEST(LastCache, what_a_virtual_machine_finds_of_a_sockets_cache_is_simulated_and_the_model_takes_both_where_that_is_unsure) {
  const LastCache last = chosen_cache(granite_rapids_caches, found_there);
  EXPECT_TRUE(last.is_measured);
  EXPECT_NEAR(static_cast<double>(last.bytes), 26.6 * MiB, 15 * 64);
  EXPECT_EQ(last.bytes % (15 * 64), 0U) << "whole sets";
  EXPECT_FALSE(last.is_sure());
  EXPECT_EQ(last.lo, last.bytes);
  EXPECT_EQ(last.hi, static_cast<std::uint64_t>(480 * MiB));
  EXPECT_EQ(last.topology_bytes, static_cast<std::uint64_t>(480 * MiB));
  EXPECT_EQ(last.confidence, 0.58);
  for (const char* word : {"27 MiB", "480 MiB", "0.58", "unsure"}) EXPECT_NE(last.reason.find(word), std::string::npos) << last.reason;
}

TEST(LastCache, a_sure_finder_leaves_no_interval) {
  const LastCache last = chosen_cache(granite_rapids_caches, found({48 * KiB, 2 * MiB, 26.6 * MiB}, 0.95));
  EXPECT_TRUE(last.is_measured && last.is_sure());
  EXPECT_EQ(last.lo, last.bytes);
}

TEST(LastCache, a_very_unsure_finder_is_not_simulated_but_stays_possible) {
  const LastCache last = chosen_cache(granite_rapids_caches, found({48 * KiB, 2 * MiB, 26.6 * MiB}, 0.2));
  EXPECT_FALSE(last.is_measured);
  EXPECT_EQ(last.bytes, static_cast<std::uint64_t>(480 * MiB));
  EXPECT_LT(static_cast<double>(last.lo), 27 * MiB);
  EXPECT_TRUE(chosen_cache(granite_rapids_caches, found({48 * KiB, 2 * MiB, 26.6 * MiB}, 0.2), LastCacheRule::measured).is_measured);
}

TEST(LastCache, a_topology_that_is_right_stays) {
  for (const double share : {0.6, 1.0, 1.7}) {
    const LastCache last = chosen_cache(told(1 * MiB, 32 * MiB), found({32 * KiB, 1 * MiB, share * 32 * MiB}, 0.9));
    EXPECT_FALSE(last.is_measured) << last.reason;
    EXPECT_TRUE(last.is_sure());
    EXPECT_EQ(last.bytes, static_cast<std::uint64_t>(32 * MiB));
  }
}

TEST(LastCache, a_topology_that_tells_too_little_gives_way_too) {
  const LastCache last = chosen_cache(told(1 * MiB, 16 * MiB), found({32 * KiB, 1 * MiB, 96 * MiB}, 0.9));
  EXPECT_NEAR(static_cast<double>(last.bytes), 96 * MiB, 15 * 64);
}

TEST(LastCache, nothing_is_found_where_the_sweeps_see_no_level_behind_the_private_caches_or_no_memory) {
  const auto stays = [](const FoundLevels& levels, const char* why) {
    for (const auto rule : {LastCacheRule::automatic, LastCacheRule::measured}) {
      const LastCache last = chosen_cache(granite_rapids_caches, levels, rule);
      EXPECT_EQ(last.bytes, static_cast<std::uint64_t>(480 * MiB));
      EXPECT_TRUE(last.is_sure());
      EXPECT_TRUE(std::isnan(last.found_bytes));
      EXPECT_NE(last.reason.find(why), std::string::npos) << last.reason;
    }
  };
  stays(found({48 * KiB, 2 * MiB}, 0.9), "no cache between L2 and memory");
  stays({.status = Status::unavailable, .reason = "no step"}, "do not decide: no step");
  FoundLevels inside = found({48 * KiB, 2 * MiB, 26.6 * MiB}, 0.9);
  inside.levels.back().status = Status::unavailable;
  inside.levels.back().reason = "may be inside a cache";
  stays(inside, "may be inside a cache");
}

TEST(LastCache, private_caches_are_left_alone_where_no_cache_is_shared) {
  for (const auto& caches : {told(1 * MiB, 0), std::vector<CacheLevel>{}}) {
    const LastCache last = chosen_cache(caches, found({32 * KiB, 256 * KiB}, 0.9));
    EXPECT_EQ(last.name, "");
    EXPECT_NE(last.reason.find("no cache that cores share"), std::string::npos);
    EXPECT_EQ(with_last_cache(caches, last, last.bytes).size(), caches.size());
  }
}

TEST(LastCache, a_campaign_may_insist) {
  const LastCache as_told = chosen_cache(granite_rapids_caches, found_there, LastCacheRule::topology);
  EXPECT_EQ(as_told.bytes, static_cast<std::uint64_t>(480 * MiB));
  EXPECT_EQ(as_told.found_bytes, 26.6 * MiB) << "both are kept";
  EXPECT_TRUE(as_told.is_sure());
  EXPECT_TRUE(chosen_cache(told(1 * MiB, 32 * MiB), found({32 * KiB, 1 * MiB, 25 * MiB}, 0.9), LastCacheRule::measured).is_measured);
}

TEST(LastCache, only_the_last_one_changes) {
  const LastCache last = chosen_cache(granite_rapids_caches, found_there);
  const auto caches = with_last_cache(granite_rapids_caches, last, last.bytes);
  EXPECT_EQ(caches[1].bytes, granite_rapids_caches[1].bytes);
  EXPECT_EQ(caches[2].bytes, last.bytes);
  EXPECT_EQ(caches[2].ways, 15U);
}

std::vector<CurvePoint> curve_of(const nlohmann::json& rows) {
  std::vector<CurvePoint> curve;
  for (const auto& row : rows) {
    const auto numbers = row.get<std::vector<double>>();
    curve.push_back({numbers.front(), {numbers.begin() + 1, numbers.end()}});
  }
  return curve;
}

TEST(LastCache, curves_of_a_real_machine_whose_topology_is_right_leave_it_and_show_it_to_one_that_is_told_twenty_times_as_much) {
  for (const std::string name : {"cascade_lake_vm", "cascade_lake_vm_quick"}) {
    const auto stored = nlohmann::json::parse(std::ifstream(std::string(PLUMBLINE_GOLDEN) + "/curves/" + name + ".json"));
    const FoundLevels levels = find_levels(curve_of(stored["load_gbs"]), curve_of(stored["chase_seconds"]));
    EXPECT_FALSE(chosen_cache(told(1 * MiB, 35.75 * MiB), levels).is_measured) << name;
    const LastCache last = chosen_cache(told(1 * MiB, 715 * MiB), levels);
    EXPECT_TRUE(last.is_measured) << name << ": " << last.reason;
    EXPECT_NEAR(static_cast<double>(last.bytes), 35.75 * MiB, 0.45 * 35.75 * MiB) << name;
  }
}

// ---------------------------------------------------------------------------------------------------------------- placement

Ceiling sized_ceiling(const std::string& level, double value, double size) {
  Ceiling c{.name = level + " load", .precision = "-", .level = level, .pattern = "load", .node = "node0"};
  c.value = c.traffic_gbs = value;
  c.size_bytes = size;
  return c;
}

const std::vector<Ceiling> ceilings_there{sized_ceiling("L1", 400, 48 * KiB), sized_ceiling("L2", 120, 2 * MiB),
                                          sized_ceiling("L3", 20, 26.6 * MiB), sized_ceiling("mem", 12, absent)};

/// A triad of 96 MB, counted with an L3 that holds it, or with the one that is there.
test::CaseSample triad_of(double from_memory) {
  return {.model = {{"working_set", {96e6, 96e6}}, {"last_cache", {480 * MiB, 480 * MiB}}},
          .counts = {{"flops.fp64.fma", 4e6},
                     {"bytes.reg-L1.load", 64e6},
                     {"bytes.reg-L1.store", 32e6},
                     {"bytes.L1-L2.demand_read", 128e6},
                     {"bytes.L2-L3.demand_read", 128e6},
                     {"bytes.L3-mem.demand_read", from_memory}},
          .seconds = 0.0108};
}

RooflinePlacement placed(const test::CaseSample& sample, const std::vector<Ceiling>& ceilings = ceilings_there) {
  static Results results;  // placements borrow from it
  results = {};
  add(results, sample);
  return place(measurements_of(results), ceilings).at(0);
}

TEST(BeyondLastCache, no_case_is_placed_at_a_cache_that_its_working_set_exceeds_twice) {
  const RooflinePlacement p = placed(triad_of(1000));
  EXPECT_EQ(p.exceeded, "L3");
  EXPECT_EQ(p.bound, "mem");
  EXPECT_FALSE(p.bound_is_certain);
  const LevelIntensity& memory = p.levels.back();
  EXPECT_EQ(memory.bytes_lo, 96e6 - 26.6 * MiB);
  EXPECT_EQ(memory.bytes_hi, 128e6);
  EXPECT_LE(p.percent_of_roof, 100);
  ASSERT_FALSE(p.notes.empty());
  EXPECT_NE(p.notes.front().find("more than twice the L3"), std::string::npos);
}

/// A triad of so many bytes, as simulated with 32 KiB, 1 MiB and 715 MiB.
test::CaseSample simulated_triad(double bytes) {
  const double n = bytes / 24;
  const auto crossing = [&](double cache) { return bytes > cache ? 32 * n : 0; };
  return {.model = {{"working_set", {bytes, bytes}}},
          .counts = {{"flops.fp64.fma", n},
                     {"bytes.reg-L1.load", 16 * n},
                     {"bytes.reg-L1.store", 8 * n},
                     {"bytes.L1-L2.demand_read", crossing(32 * KiB)},
                     {"bytes.L2-L3.demand_read", crossing(1 * MiB)},
                     {"bytes.L3-mem.demand_read", crossing(715 * MiB)}},
          .seconds = 1};
}

std::vector<CeilingRow> rows_of(const nlohmann::json& points, const std::string& pattern, const std::string& unit) {
  std::vector<CeilingRow> rows;
  for (const auto& point : curve_of(points))
    for (std::size_t round = 0; round < point.samples.size(); ++round) {
      CeilingRow row{.name = pattern,
                     .precision = "-",
                     .level = "sweep",
                     .pattern = pattern,
                     .node = "node0",
                     .session = "s",
                     .unit = unit,
                     .method = "gcc12-O3-v4"};
      row.round = static_cast<std::int32_t>(round);
      row.working_set_bytes = point.bytes;
      row.value = point.samples[round];
      rows.push_back(row);
    }
  return rows;
}

/// The machines of which all ceilings are kept are in tests/app/kept_ceilings_test.py.
TEST(BeyondLastCache, on_no_real_machine_is_a_case_placed_at_a_level_that_its_working_set_exceeds_twice) {
  for (const std::string name : {"cascade_lake_vm", "cascade_lake_vm_disturbed", "cascade_lake_vm_load", "cascade_lake_vm_quick", "zen4_vm",
                                 "zen4_vm_busy", "zen4_vm_crowded", "zen5_vm"}) {
    const auto stored = nlohmann::json::parse(std::ifstream(std::string(PLUMBLINE_GOLDEN) + "/curves/" + name + ".json"));
    auto rows = rows_of(stored["load_gbs"], "load", "GB/s");
    if (stored.contains("chase_seconds"))
      for (auto& row : rows_of(stored["chase_seconds"], "chase", "seconds")) rows.push_back(std::move(row));
    const auto ceilings = fit_ceilings(rows, {});
    std::set<std::string> bounds;
    for (double bytes = 16 * KiB; bytes < 512 * MiB; bytes *= 1.3) {
      const RooflinePlacement p = placed(simulated_triad(bytes), ceilings);
      bounds.insert(p.bound);
      const auto roof = std::find_if(ceilings.begin(), ceilings.end(),
                                     [&](const Ceiling& c) { return c.level == p.bound && c.pattern == "load" && c.unit == "GB/s"; });
      ASSERT_NE(roof, ceilings.end()) << name << ": " << bytes << " at '" << p.bound << "'";
      EXPECT_FALSE(bytes > 2 * roof->size_bytes && p.bound != "mem") << name << ": " << bytes << " at " << p.bound;
    }
    EXPECT_EQ(bounds, (std::set<std::string>{"L1", "L2", "L3", "mem"})) << name;
  }
}

TEST(BeyondLastCache, counts_that_can_be_right_are_left_alone) {
  const RooflinePlacement simulated = placed(triad_of(128e6));
  EXPECT_EQ(simulated.exceeded, "");
  EXPECT_EQ(simulated.bound, "mem");
  EXPECT_TRUE(simulated.bound_is_certain);
  test::CaseSample fits = triad_of(1000);
  fits.model["working_set"] = {50e6, 50e6};  // less than twice
  EXPECT_EQ(placed(fits).bound, "L3");
  test::CaseSample older = triad_of(1000);
  older.model = {};
  EXPECT_EQ(placed(older).bound, "L3");
  test::CaseSample other_team = triad_of(1000);
  other_team.threads = 2;
  EXPECT_EQ(placed(other_team).exceeded, "");
}

TEST(BeyondLastCache, simulated_bytes_of_an_unsure_cache_have_the_models_interval) {
  test::CaseSample sample = triad_of(128e6);
  sample.model["last_cache"] = {26.6 * MiB, 480 * MiB};
  sample.model["bytes.L3-mem"] = {0, 129e6};
  const LevelIntensity memory = placed(sample, {}).levels.back();
  EXPECT_EQ(memory.bytes, 128e6);
  EXPECT_EQ(memory.bytes_lo, 0);
  EXPECT_EQ(memory.bytes_hi, 129e6);
  const RooflinePlacement with_sweeps = placed(sample);
  EXPECT_EQ(with_sweeps.bound, "mem") << "the interval ends at what the cache cannot hold";
}

}  // namespace
}  // namespace plumbline
