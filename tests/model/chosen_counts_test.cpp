#include "model/chosen_counts.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

namespace plumbline {
namespace {

using test::add;
using test::CaseSample;

/// The machine's fills in lines, of which every second is counted; its FLOPs; nobody who sees what is written back from L2.
const CounterSet chosen{
    .counters =
        {{.counter =
              {.name = "flops", .backend = "pmu", .terms = {{"ops", 1}, {"fused", 2}}, .quantities = {"flops.fp64"}, .kind = Kind::flops},
          .grade = 'A',
          .ratio_lo = 0.99,
          .ratio_hi = 1.01},
         {.counter =
              {.name = "fills", .backend = "pmu", .terms = {{"fills", 64}}, .quantities = {"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}},
          .grade = 'B',
          .factor = 2,
          .ratio_lo = 0.8,
          .ratio_hi = 1.25},
         {.counter = {.name = "victims", .backend = "pmu", .terms = {{"victims", 64}}, .quantities = {"bytes.L1-L2.write_back"}},
          .grade = 'A'}},
    .groups = {{"pmu", {"ops", "fused", "fills", "victims"}}}};

Results results_of(const CaseSample& sample) {
  Results results;
  add(results, sample);
  return results;
}

const CaseSample by_hardware{
    .counts = {{"ops", 1000}, {"fused", 500}, {"fills", 100}, {"victims", 125}}, .backend = "pmu", .seconds = 1e-6};

TEST(Chosen, counters_give_flops_and_bytes_with_the_interval_of_their_scores) {
  const Results results = results_of(by_hardware);
  const auto placed = place(measurements_of(results), {}, &chosen);
  ASSERT_EQ(placed.size(), 1U);
  const Placement& p = placed[0];
  EXPECT_EQ(p.bytes_source, "hardware");
  EXPECT_EQ(p.join, Join::same);
  EXPECT_DOUBLE_EQ(p.flops, 2000);
  ASSERT_EQ(p.levels.size(), 1U);
  const LevelIntensity& l2 = p.levels[0];
  EXPECT_EQ(l2.level, "L2");
  EXPECT_DOUBLE_EQ(l2.bytes, 2 * 6400 + 8000);
  EXPECT_DOUBLE_EQ(l2.bytes_lo, 12800 / 1.25 + 8000);
  EXPECT_DOUBLE_EQ(l2.bytes_hi, 12800 / 0.8 + 8000);
  EXPECT_DOUBLE_EQ(l2.ai, 2000.0 / 20800);
  EXPECT_DOUBLE_EQ(l2.ai_lo, 2000 / 1.01 / 24000);
  EXPECT_DOUBLE_EQ(l2.ai_hi, 2000 / 0.99 / 18240);
}

TEST(Chosen, a_boundary_of_which_a_part_was_not_counted_has_no_intensity) {
  CaseSample partly = by_hardware;
  partly.counts.erase("victims");
  const Results results = results_of(partly);
  EXPECT_TRUE(place(measurements_of(results), {}, &chosen)[0].levels.empty());
  CaseSample without_flops = by_hardware;
  without_flops.counts.erase("ops");
  const Results others = results_of(without_flops);
  EXPECT_NE(place(measurements_of(others), {}, &chosen)[0].join, Join::same);
}

TEST(Chosen, cases_that_only_the_emulator_counted_are_placed_by_it) {
  const Results results = results_of({.counts = {{"flops.fp64.add", 1000}, {"bytes.L1-L2.demand_read", 500}}, .seconds = 1e-6});
  const Placement p = place(measurements_of(results), {}, &chosen)[0];
  EXPECT_EQ(p.bytes_source, "emulated");
  EXPECT_DOUBLE_EQ(p.levels.at(0).ai, 2);
}

TEST(Chosen, software_defined_events_of_the_emulator_are_no_hardware) {
  EXPECT_TRUE(is_simulated({.backend = "emulated", .terms = {{"loads", 1}}}));
  EXPECT_TRUE(is_simulated({.backend = "papi", .terms = {{"sde:::plumbline::loads", 1}}}));
  EXPECT_FALSE(is_simulated({.backend = "papi", .terms = {{"sde:::plumbline::loads", 1}, {"PAPI_TOT_INS", 1}}}));
}

}  // namespace
}  // namespace plumbline
