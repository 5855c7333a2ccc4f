#include "model/ceilings/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "measured_levels.hpp"
#include "model/ceilings/staircase.hpp"

namespace plumbline {
namespace {

using test::bursts;
using test::Curves;
using test::Disturbance;
using test::has_levels_of;
using test::has_sizes_of;
using test::heavy;
using test::KiB;
using test::Machine;
using test::measured;
using test::MiB;
using test::named;
using test::quiet;

Machine machine_named(const std::string& name) {
  for (auto& machine : test::machines())
    if (machine.name == name) return machine;
  throw std::runtime_error("no machine " + name);
}

// ---------------------------------------------------------------------------------------------------- machines that never were

TEST(Levels, one_quiet_round_of_three_points_an_octave_finds_every_machines_levels_within_25_percent) {
  for (const auto& machine : test::machines())
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Curves curves = measured(machine, {.rounds = 1}, quiet, seed);
      const FoundLevels found = find_levels(curves.load, curves.chase);
      EXPECT_TRUE(has_sizes_of(found, machine)) << machine.name << ", seed " << seed << ": " << named(found);
      ASSERT_FALSE(found.levels.empty());
      EXPECT_EQ(found.levels.front().name, "L1");
      EXPECT_EQ(found.levels.back().name, "mem");
      EXPECT_TRUE(std::isnan(found.levels.back().size_bytes));
      EXPECT_EQ(found.levels.back().status, Status::ok);
    }
}

TEST(Levels, either_curve_alone_tells_with_less_confidence) {
  for (const auto& machine : test::machines()) {
    const Curves curves = measured(machine, {.rounds = 2}, quiet, 3);
    const FoundLevels both = find_levels(curves.load, curves.chase), by_load = find_levels(curves.load, {}),
                      by_chase = find_levels({}, curves.chase);
    EXPECT_TRUE(has_levels_of(by_chase, machine)) << machine.name << ": " << named(by_chase);
    EXPECT_LT(by_chase.levels.front().confidence, both.levels.front().confidence) << machine.name;
    if (machine.memory_gbs > 0.7 * machine.caches.back().gbs) continue;  // the next test
    EXPECT_TRUE(has_levels_of(by_load, machine)) << machine.name << ": " << named(by_load);
    EXPECT_LT(by_load.levels.front().confidence, both.levels.front().confidence) << machine.name;
  }
}

TEST(Levels, where_a_core_streams_from_memory_as_from_its_last_cache_latency_tells_them_apart) {
  const Machine machine = machine_named("Neoverse V1");
  const Curves curves = measured(machine, {}, quiet, 1);
  EXPECT_EQ(find_levels(curves.load, {}).levels.size(), 3U);
  EXPECT_EQ(find_levels(curves.load, curves.chase).levels.size(), 4U);
}

TEST(Levels, a_second_level_that_is_not_flat_is_one_level) {
  const Machine machine = machine_named("Zen 5");
  ASSERT_LT(machine.gbs(128 * KiB), 0.8 * machine.gbs(768 * KiB));
  for (const int rounds : {1, 4}) {
    const Curves curves = measured(machine, {.near = 6, .far = 3, .rounds = rounds}, quiet, 1);
    EXPECT_TRUE(has_sizes_of(find_levels(curves.load, {}), machine)) << named(find_levels(curves.load, {}));
  }
}

TEST(Levels, address_translation_makes_no_level) {
  Machine machine = machine_named("Cascade Lake");
  for (const double load : {1.3, 1.6, 1.9})
    for (const double byte : {1.0, 1.1, 1.3})
      for (const double reach : {256 * KiB, 6 * MiB}) {
        if (load > 1.6 && byte > 1.2) continue;  // not both at their most
        machine.tlb = {{reach, load, byte}};
        const Curves curves = measured(machine, {}, quiet, 1);
        const FoundLevels found = find_levels(curves.load, curves.chase);
        EXPECT_TRUE(has_levels_of(found, machine)) << load << " " << byte << " " << reach / KiB << ": " << named(found);
      }
}

TEST(Levels, a_last_cache_that_neighbours_empty_under_a_slow_chase_is_one_level_as_large_as_streams_find_it) {
  Machine machine = machine_named("Cascade Lake");
  for (const double holds : {0.5, 0.25, 0.1, 0.02}) {
    machine.chase_holds = holds;
    const Curves curves = measured(machine, {}, quiet, 1);
    const FoundLevels found = find_levels(curves.load, curves.chase);
    EXPECT_TRUE(has_sizes_of(found, machine, holds < 0.2 ? 0.25 : 0.4)) << holds << ": " << named(found);
  }
}

TEST(Levels, what_streams_as_the_cache_before_is_a_level_by_its_loads) {
  const std::vector<Machine> machines = {
      {"a core that streams as fast from memory", {{32 * KiB, 1.3, 160}, {1 * MiB, 5, 80}, {32 * MiB, 30, 30, 5}}, 115, 30},
      {"a core that streams no faster from L1", {{32 * KiB, 1.6, 26}, {128 * KiB, 6, 25.8}, {3 * MiB, 16, 12, 5}}, 110, 6},
      {.name = "a crowded third cache",
       .caches = {{32 * KiB, 1.08, 217}, {1 * MiB, 3.9, 118}, {32 * MiB, 12, 116, 5}},
       .memory_nanoseconds = 160,
       .memory_gbs = 25,
       .chase_holds = 0.25}};
  for (const Machine& machine : machines)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Curves curves = measured(machine, {}, quiet, seed);
      const FoundLevels found = find_levels(curves.load, curves.chase);
      EXPECT_TRUE(has_sizes_of(found, machine, 0.4)) << machine.name << ": " << named(found);
    }
}

// ------------------------------------------------------------------------------------------------------------- too little to tell

TEST(Levels, one_point_an_octave_decides_nothing_and_says_so) {
  const Curves curves = measured(machine_named("Zen 5"), {.near = 1, .far = 0.5}, quiet, 1);
  const FoundLevels found = find_levels(curves.load, curves.chase);
  EXPECT_TRUE(found.levels.empty());
  EXPECT_EQ(found.status, Status::unavailable);
  EXPECT_NE(found.reason.find("two points an octave"), std::string::npos) << found.reason;
  EXPECT_EQ(find_levels({}, {}).status, Status::unavailable);
}

TEST(Levels, a_sparse_curve_does_not_spoil_a_dense_one) {
  const Machine machine = machine_named("Zen 5");
  const Curves sparse = measured(machine, {.near = 1, .far = 0.5}, quiet, 1), dense = measured(machine, {}, quiet, 1);
  EXPECT_TRUE(has_sizes_of(find_levels(dense.load, sparse.chase), machine));
  EXPECT_TRUE(has_sizes_of(find_levels(sparse.load, dense.chase), machine));
}

TEST(Levels, a_sweep_that_ends_inside_a_cache_does_not_call_it_memory) {
  Curves curves = measured(machine_named("Zen 3 with V-Cache"), {}, quiet, 1);
  for (auto* curve : {&curves.load, &curves.chase}) std::erase_if(*curve, [](const CurvePoint& p) { return p.bytes > 16 * MiB; });
  const FoundLevels found = find_levels(curves.load, curves.chase);
  ASSERT_EQ(found.levels.size(), 3U);
  EXPECT_EQ(found.levels[1].name, "L2");
  EXPECT_EQ(found.levels[2].status, Status::unavailable);
  EXPECT_NE(found.levels[2].reason.find("may be inside a cache"), std::string::npos);
}

TEST(Levels, a_sweep_that_begins_beyond_the_first_cache_numbers_nothing) {
  Curves curves = measured(machine_named("Cascade Lake"), {}, quiet, 1);
  for (auto* curve : {&curves.load, &curves.chase}) std::erase_if(*curve, [](const CurvePoint& p) { return p.bytes < 64 * KiB; });
  const FoundLevels found = find_levels(curves.load, curves.chase);
  EXPECT_TRUE(found.levels.empty());
  EXPECT_NE(found.reason.find("may be larger than a first cache"), std::string::npos) << found.reason;
}

TEST(Levels, a_curve_without_a_step_has_no_levels) {
  std::vector<CurvePoint> flat;
  for (const double bytes : test::sizes_of({})) flat.push_back({bytes, {10}});
  const FoundLevels found = find_levels(flat, {});
  EXPECT_EQ(found.status, Status::unavailable);
  EXPECT_NE(found.reason.find("no step"), std::string::npos) << found.reason;
}

TEST(Levels, samples_that_are_absent_or_no_time_at_all_and_the_order_of_points_do_not_matter) {
  Curves curves = measured(machine_named("Zen 5"), {}, bursts, 5);
  const FoundLevels before = find_levels(curves.load, curves.chase);
  for (auto& point : curves.chase) point.samples.insert(point.samples.end(), {absent, 0, -1});
  curves.load.push_back({64 * KiB, {absent}});
  std::reverse(curves.load.begin(), curves.load.end());
  const FoundLevels after = find_levels(curves.load, curves.chase);
  ASSERT_EQ(before.levels.size(), after.levels.size());
  for (std::size_t i = 0; i < before.levels.size(); ++i)
    if (std::isfinite(before.levels[i].size_bytes)) {
      EXPECT_DOUBLE_EQ(before.levels[i].size_bytes, after.levels[i].size_bytes);
    }
}

TEST(Levels, confidence_falls_and_the_interval_opens_with_disturbance) {
  const auto mean = [](const Disturbance& disturbance) {
    double confidence = 0, width = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Curves curves = measured(machine_named("Zen 5"), {.rounds = 2}, disturbance, seed);
      const FoundLevels found = find_levels(curves.load, curves.chase);
      confidence += found.levels.back().confidence / 20;
      width += std::log2(found.levels[1].size_hi / found.levels[1].size_lo) / 20;
      EXPECT_LE(found.levels[1].size_lo, found.levels[1].size_bytes);
      EXPECT_GE(found.levels[1].size_hi, found.levels[1].size_bytes);
    }
    return std::pair{confidence, width};
  };
  const auto [sure, narrow] = mean(quiet);
  const auto [unsure, wide] = mean(heavy);
  EXPECT_GT(sure, 0.99);
  EXPECT_LT(unsure, 0.95);
  EXPECT_LT(narrow, wide);
}

// ------------------------------------------------------------------------------------------------------------------ real machines

struct Golden {
  Curves curves;
  std::vector<double> sizes;
};

Golden golden(const std::string& name) {
  const auto document = nlohmann::json::parse(std::ifstream(PLUMBLINE_GOLDEN "/curves/" + name + ".json"));
  Golden golden;
  const auto read = [&](const char* key, std::vector<CurvePoint>& points) {
    if (!document.contains(key)) return;
    for (const auto& row : document.at(key)) {
      const auto numbers = row.get<std::vector<double>>();
      points.push_back({numbers.front(), {numbers.begin() + 1, numbers.end()}});
    }
  };
  read("load_gbs", golden.curves.load);
  read("chase_seconds", golden.curves.chase);
  for (const auto& [level, bytes] : document.at("levels").items()) golden.sizes.push_back(bytes);
  return golden;
}

/// Private caches within a part of their size; of the shared last one neighbours take, so it may be smaller.
void expect_levels(const FoundLevels& found, const Golden& golden, double within, const std::string& what) {
  ASSERT_EQ(found.levels.size(), golden.sizes.size() + 1) << what << ": " << named(found);
  for (std::size_t i = 0; i + 1 < golden.sizes.size(); ++i)
    EXPECT_NEAR(found.levels[i].size_bytes / golden.sizes[i], 1, within) << what << ": " << named(found);
  EXPECT_LT(found.levels[golden.sizes.size() - 1].size_bytes, 1.25 * golden.sizes.back()) << what;
  EXPECT_GT(found.levels[golden.sizes.size() - 1].size_bytes, 0.25 * golden.sizes.back()) << what;
}

Curves only_round(const Curves& all, std::size_t round) {
  Curves one = all;
  for (auto* curve : {&one.load, &one.chase})
    for (auto& point : *curve) point.samples = {point.samples.at(round)};
  return one;
}

TEST(Levels, curves_of_a_cascade_lake_have_its_levels) {
  for (const char* name : {"cascade_lake_vm", "cascade_lake_vm_disturbed", "cascade_lake_vm_load", "cascade_lake_vm_quick"}) {
    const Golden real = golden(name);
    expect_levels(find_levels(real.curves.load, real.curves.chase), real, 0.25, name);
  }
}

/// The cores stream nearly as fast from their third caches as from the second, and memory has not come to rest at 128 MiB, for the last
/// cache holds a part of it. Neighbours of the crowded one left a chase 2 MiB of the last cache, and a stream 8 at full rate.
TEST(Levels, curves_of_three_zens_have_their_levels) {
  for (const char* name : {"zen3_vm_best", "zen4_vm", "zen4_vm_busy", "zen4_vm_crowded", "zen5_vm"}) {
    const Golden real = golden(name);
    expect_levels(find_levels(real.curves.load, real.curves.chase), real, 0.35, name);  // neighbours take from L2 too
  }
}

TEST(Levels, what_a_chase_finds_of_a_last_cache_that_holds_a_stream_is_no_level_by_itself) {
  const Golden real = golden("zen4_vm_half_core");
  const FoundLevels found = find_levels(real.curves.load, real.curves.chase);
  ASSERT_EQ(found.levels.size(), 4U) << named(found);
  EXPECT_GT(found.levels[2].size_bytes, 7 * MiB) << "as far as a byte costs what it costs from 1 MiB on";
}

TEST(Levels, what_lies_behind_a_disturbed_sweep_that_ends_within_a_cache_is_no_memory) {
  Golden real = golden("cascade_lake_vm_disturbed");
  for (auto* curve : {&real.curves.load, &real.curves.chase})
    std::erase_if(*curve, [](const CurvePoint& p) { return p.bytes > 2.5 * MiB; });
  const FoundLevels found = find_levels(real.curves.load, real.curves.chase);
  ASSERT_FALSE(found.levels.empty());
  EXPECT_EQ(found.levels.back().name, "mem");
  EXPECT_EQ(found.levels.back().status, Status::unavailable) << named(found);
}

TEST(Levels, each_quiet_round_of_the_cascade_lake_has_its_levels) {
  const Golden real = golden("cascade_lake_vm");
  for (std::size_t round = 0; round < 4; ++round) {
    const Curves one = only_round(real.curves, round);
    expect_levels(find_levels(one.load, one.chase), real, 0.3, "round " + std::to_string(round));  // a neighbour on the core takes from L2
    expect_levels(find_levels(one.load, {}), real, 0.35, "load of round " + std::to_string(round));
  }
}

// -------------------------------------------------------------------------------------------------------------------------- teams

/// A team's load curve where each cache is there `times` once.
std::vector<CurvePoint> team_curve(Machine machine, const std::vector<double>& times, std::uint64_t seed) {
  for (std::size_t i = 0; i < times.size(); ++i) machine.caches[i].bytes *= times[i];
  std::mt19937_64 random(seed);
  return test::load_curve(machine, {.largest = 4 * machine.caches.back().bytes, .smallest = 4.5 * KiB * times[0]}, bursts, random);
}

TEST(Levels, a_team_has_private_caches_once_a_worker_and_shared_ones_as_its_curve_says) {
  const Machine machine = machine_named("Alder Lake");
  const Curves alone = measured(machine, {}, quiet, 1);
  const FoundLevels one = find_levels(alone.load, alone.chase);
  ASSERT_EQ(one.levels.size(), 4U);
  int right = 0, all = 0;
  for (const auto& times :
       std::vector<std::vector<double>>{{2, 2, 1}, {4, 4, 1}, {4, 2, 1}, {16, 16, 2}, {16, 16, 16}, {8, 8, 1}, {64, 64, 8}})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto sizes = team_sizes(one, 1, team_curve(machine, times, seed), static_cast<std::int64_t>(times[0]));
      ASSERT_EQ(sizes.size(), 3U);
      bool is_right = true;
      for (std::size_t i = 0; i < 3; ++i) is_right &= sizes[i] == times[i] * one.levels[i].size_bytes;
      right += is_right;
      ++all;
    }
  EXPECT_GE(right, 0.95 * all) << right << " of " << all;
}

TEST(Levels, without_its_own_curve_a_team_has_the_last_cache_once_and_the_others_once_a_worker) {
  const Curves alone = measured(machine_named("Zen 5"), {}, quiet, 1);
  const FoundLevels one = find_levels(alone.load, alone.chase);
  const auto sizes = team_sizes(one, 1, {}, 8);
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_DOUBLE_EQ(sizes[0], 8 * one.levels[0].size_bytes);
  EXPECT_DOUBLE_EQ(sizes[1], 8 * one.levels[1].size_bytes);
  EXPECT_DOUBLE_EQ(sizes[2], one.levels[2].size_bytes);
}

TEST(Levels, a_team_can_find_the_levels_itself) {
  const Machine machine = machine_named("Alder Lake");
  const FoundLevels found = find_levels(team_curve(machine, {4, 4, 1}, 1), {}, 4);
  ASSERT_EQ(found.levels.size(), 4U) << named(found);
  EXPECT_NEAR(found.levels[0].size_bytes, 4 * 48 * KiB, 0.25 * 4 * 48 * KiB);
  EXPECT_NEAR(found.levels[2].size_bytes, 30 * MiB, 0.25 * 30 * MiB);
}

// ---------------------------------------------------------------------------------------------------------------------- staircase

TEST(Staircase, what_a_larger_working_set_costs_less_a_smaller_costs_no_more) {
  const CostCurve curve = lower_envelope({{3, 5}, {1, 2}, {2, 7}, {2, 4}, {4, 4.5}});
  EXPECT_EQ(curve.size, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(curve.cost, (std::vector<double>{2, 4, 4.5, 4.5}));
  EXPECT_DOUBLE_EQ(curve.at(1.5), 3);
  EXPECT_DOUBLE_EQ(curve.at(9), 4.5);
  EXPECT_DOUBLE_EQ(curve.reaches(3), 1.5);
}

TEST(Staircase, a_step_is_where_both_rise) {
  std::vector<std::pair<double, double>> byte, load;
  for (int i = 0; i <= 48; ++i) {
    const double size = 12 + i / 3.0;
    byte.emplace_back(size, size < 20 ? 0 : 1);
    load.emplace_back(size, size < 20 ? 0 : 2);
  }
  const auto steps = find_steps(lower_envelope(byte), lower_envelope(load), 13);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_NEAR(steps[0].size, 20, 0.34);
  EXPECT_DOUBLE_EQ(steps[0].rise[0], 1);
  EXPECT_DOUBLE_EQ(steps[0].rise[1], 2);
  EXPECT_TRUE(find_steps({}, {}, 13).empty());
}

}  // namespace
}  // namespace plumbline
