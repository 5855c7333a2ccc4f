#include "model/placement/chosen_counts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/choosing/counter_choice.hpp"
#include "model/placement/displacement.hpp"
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
  const RooflinePlacement& p = placed[0];
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

TEST(Chosen, a_case_on_a_gpu_has_its_levels_shared_memory_too_and_the_work_of_tensor_cores_beside_vector_arithmetic) {
  const CounterSet of_gpu{
      .counters = {
          {.counter = {.name = "f",
                       .backend = "cupti",
                       .terms = {{"fadd", 1, "add"}, {"fmul", 1, "mul"}, {"ffma", 2, "fma"}},
                       .quantities = {"flops.fp32"},
                       .kind = Kind::flops}},
          {.counter = {.name = "t", .backend = "cupti", .terms = {{"ops", 1}}, .quantities = {"flops.tensor.bf16"}, .kind = Kind::flops}},
          {.counter = {.name = "s", .backend = "cupti", .terms = {{"shared", 128}}, .quantities = {"bytes.reg-shared"}}},
          {.counter = {.name = "d", .backend = "cupti", .terms = {{"sectors", 32}}, .quantities = {"bytes.L2-mem"}}},
          {.counter = {.name = "h", .backend = "cupti", .terms = {{"sysmem", 32}}, .quantities = {"bytes.host-dev"}}}}};
  CaseSample sample{.work = "validation/mma/fp32/n=8",
                    .flavor = "cuda13-sm_90a",
                    .model = {{"flops.fp32", {200, 200}}, {"flops.tensor.bf16", {4096, 4096}}},
                    .counts = {{"fadd", 25}, {"fmul", 15}, {"ffma", 60}, {"ops", 4096}, {"shared", 2}, {"sectors", 3}, {"sysmem", 1}},
                    .backend = "cupti",
                    .seconds = 1e-6,
                    .gpus = 1};
  const Results results = results_of(sample);
  const auto placed = place(measurements_of(results), {}, &of_gpu);
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].join, Join::same);
  EXPECT_DOUBLE_EQ(placed[0].flops, 160 + 4096);
  EXPECT_DOUBLE_EQ(placed[0].fma_mixes.at("fp32").fraction, 0.60);
  std::map<std::string, double> bytes;
  for (const auto& level : placed[0].levels)
    if (level.status == Status::ok) bytes[level.level] = level.bytes;
  EXPECT_EQ(bytes, (std::map<std::string, double>{{"shared", 256}, {"mem", 96}})) << "commands cross the link, too: no data lie there";
  sample.model["bytes.host-dev"] = {32, 32};
  const Results with_host = results_of(sample);
  const auto there = place(measurements_of(with_host), {}, &of_gpu);
  EXPECT_EQ(there[0].levels.back().level, "system");
  EXPECT_DOUBLE_EQ(there[0].levels.back().ai, (160 + 4096) / 32.0);
}

TEST(Chosen, counters_of_the_link_are_wanted_where_a_case_has_data_in_the_hosts_memory) {
  CaseSample sample{.flavor = "cuda13-sm_90a", .model = {{"bytes.L2-mem", {8, 8}}, {"bytes.host-dev", {0, 512}}}, .seconds = 1, .gpus = 1};
  const auto wanted = [&] {
    const Results results = results_of(sample);
    const auto all = wanted_quantities(measurements_of(results));
    return std::set<std::string>(all.begin(), all.end());
  };
  EXPECT_EQ(wanted(), (std::set<std::string>{"flops.fp64", "flops.fp32", "bytes.L2-mem"})) << "slack crosses any link";
  sample.model["bytes.host-dev"] = {4096, 4608};
  EXPECT_TRUE(wanted().contains("bytes.host-dev"));
}

TEST(Chosen, a_mix_of_fmas_is_of_those_precisions_alone_in_which_the_case_has_operations) {
  const CounterSet packed{.counters = {{.counter = {.name = "packed",
                                                    .backend = "cupti",
                                                    .terms = {{"hadd", 2, "add"}, {"hmul", 2, "mul"}, {"hfma", 4, "fma"}},
                                                    .quantities = {"flops.fp16", "flops.bf16"},
                                                    .kind = Kind::flops}}}};
  CaseSample sample{.work = "validation/series/bf16/n=8",
                    .flavor = "cuda13-sm_90a",
                    .model = {{"flops.bf16", {200, 200}}, {"flops.fp16", {0, 0}}},
                    .counts = {{"hadd", 25}, {"hmul", 15}, {"hfma", 60}},
                    .backend = "cupti",
                    .seconds = 1e-6,
                    .gpus = 1};
  for (const bool is_modelled : {true, false}) {
    if (!is_modelled) sample.model = {{"bytes.L2-mem", {8, 8}}};
    const Results results = results_of(sample);
    const auto placed = place(measurements_of(results), {}, &packed);
    ASSERT_EQ(placed.size(), 1U);
    ASSERT_EQ(placed[0].fma_mixes.size(), 1U) << is_modelled;
    EXPECT_DOUBLE_EQ(placed[0].fma_mixes.at("bf16").fraction, 0.60);
  }
}

TEST(Chosen, a_boundary_of_which_a_part_was_not_counted_has_no_intensity) {
  CaseSample partly = by_hardware;
  partly.counts.erase("victims");
  const Results results = results_of(partly);
  const auto levels = place(measurements_of(results), {}, &chosen)[0].levels;
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].reason, "pmu did not count 'victims'");
  EXPECT_TRUE(levels[0].status == Status::unavailable && std::isnan(levels[0].bytes) && std::isnan(levels[0].ai));
  CaseSample without_flops = by_hardware;
  without_flops.counts.erase("ops");
  const Results others = results_of(without_flops);
  EXPECT_NE(place(measurements_of(others), {}, &chosen)[0].join, Join::same);
}

TEST(Chosen, cases_that_only_the_emulator_counted_are_placed_by_it) {
  const Results results = results_of({.counts = {{"flops.fp64.add", 1000}, {"bytes.L1-L2.demand_read", 500}}, .seconds = 1e-6});
  const RooflinePlacement p = place(measurements_of(results), {}, &chosen)[0];
  EXPECT_EQ(p.bytes_source, "emulated");
  EXPECT_DOUBLE_EQ(p.levels.at(0).ai, 2);
}

TEST(Chosen, counters_that_do_not_see_a_case_give_it_no_number) {
  CaseSample other = by_hardware;
  other.work = "validation/triad/fp32/n=1000";
  other.model = {{"flops.fp64", {0, 0}}, {"flops.fp32", {2000, 2000}}, {"bytes.L1-L2", {0, 0}}, {"bytes.L2-L3", {9, 9}}};
  const Results results = results_of(other);
  const RooflinePlacement p = place(measurements_of(results), {}, &chosen)[0];
  EXPECT_EQ(p.status, Status::unavailable);
  EXPECT_EQ(p.reason, "no counter of the set sees flops.fp32");
  EXPECT_TRUE(std::isnan(p.flops) && std::isnan(p.gflops) && p.levels.empty());
  CounterSet misspelt = chosen;
  misspelt.counters[0].counter.quantities = {"flop.fp64"};
  EXPECT_EQ(place(measurements_of(results_of(by_hardware)), {}, &misspelt)[0].reason, "no counter of the set sees flops.fp64");
}

TEST(Chosen, a_boundary_that_the_set_sees_in_part_says_what_is_missing) {
  CounterSet fills_only = chosen;
  fills_only.counters.pop_back();
  const Results results = results_of(by_hardware);
  const auto levels = place(measurements_of(results), {}, &fills_only)[0].levels;
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].reason, "no counter of the set sees bytes.L1-L2.write_back");
}

TEST(Chosen, each_level_says_who_counted_its_bytes) {
  CounterSet mixed = chosen;
  mixed.counters.push_back(
      {.counter = {.name = "simulated", .backend = "emulated", .terms = {{"L3", 1}}, .quantities = {"bytes.L3-mem"}}, .grade = 'A'});
  Results results = results_of(by_hardware);
  CountRow row{.case_id = results.cases[0].id, .node = "node0", .session = {}, .event = "L3", .backend = "emulated"};
  row.net = 4000;
  results.counts.push_back(row);
  const RooflinePlacement p = place(measurements_of(results), {}, &mixed)[0];
  EXPECT_EQ(p.bytes_source, "mixed");
  ASSERT_EQ(p.levels.size(), 2U);
  EXPECT_EQ(p.levels[0].source, "hardware");
  EXPECT_EQ(p.levels[1].level, "mem");
  EXPECT_EQ(p.levels[1].source, "emulated");
}

TEST(Chosen, a_value_lies_inside_its_own_interval_however_far_its_scores_were_off) {
  for (const auto& [lo, hi] : {std::pair(0.02, 0.5), std::pair(0.9, 1.1), std::pair(1.01, 58.0), std::pair(1.0, 1.0)}) {
    const Estimate e = estimate_of({.counter = {}, .ratio_lo = lo, .ratio_hi = hi}, 1000).value();
    EXPECT_LE(e.lo, e.value);
    EXPECT_LE(e.value, e.hi);
  }
  EXPECT_EQ(estimate_of({.counter = {}, .ratio_lo = 0.9, .ratio_hi = 1.1}, 1000)->value, 1000) << "as counted, where that may be right";
  EXPECT_NEAR(estimate_of({.counter = {}, .ratio_lo = 0.125, .ratio_hi = 0.5}, 1000)->value, 4000, 1e-9);
}

TEST(Displacement, of_a_counter_of_some_flows_takes_the_others_from_the_emulator) {
  const Results results = results_of(
      {.counts = {{"flops.fp64.add", 1000}, {"bytes.L1-L2.demand_read", 400}, {"bytes.L1-L2.rfo", 100}, {"bytes.L1-L2.write_back", 500}},
       .seconds = 1e-6});
  const Measurements measurements = measurements_of(results);
  const RooflinePlacement p = place(measurements, {})[0];
  const std::string at = "bytes.L1-L2.";
  Counter fills{.name = "fills", .backend = "emulated", .terms = {{at + "demand_read", 2}, {at + "rfo", 2}}};
  fills.quantities = {at + "demand_read", at + "rfo"};
  const Displacement by = displaced(p, measurements.cases[0], fills);
  EXPECT_EQ(by.bytes, 1500) << "twice the fills, and what is written back";
  EXPECT_EQ(by.rest, "write_back");
  const Results others = results_of(by_hardware);
  const Measurements of_hardware = measurements_of(others);
  const Displacement none = displaced(place(of_hardware, {}, &chosen)[0], of_hardware.cases[0], chosen.counters[1].counter);
  EXPECT_EQ(none.reason, "it does not claim bytes.L1-L2.write_back, and the emulator did not count that");
  EXPECT_TRUE(std::isnan(none.bytes));
}

TEST(Chosen, counters_with_an_offset_lose_it_before_the_factor_and_its_interval_widens_theirs) {
  const ChosenCounter counter{
      .grade = 'B', .factor = 0.5, .offset = 1000, .offset_lo = 900, .offset_hi = 1200, .ratio_lo = 0.8, .ratio_hi = 1.25};
  const auto estimate = estimate_of(counter, 3000);
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->value, 1000);
  EXPECT_DOUBLE_EQ(estimate->lo, 1800 * 0.5 / 1.25);
  EXPECT_DOUBLE_EQ(estimate->hi, 2100 * 0.5 / 0.8);
  EXPECT_DOUBLE_EQ(estimate_of(counter, 1100)->lo, 0) << "it may all be offset";
  EXPECT_FALSE(estimate_of(counter, 999)) << "absent, not zero";
  EXPECT_DOUBLE_EQ(estimate_of(counter, 4000, 2)->value, 1000) << "each of two ranks adds one";
}

TEST(Chosen, a_count_at_which_the_counter_may_have_stopped_is_no_number) {
  const ChosenCounter counter{.grade = 'C', .good_up_to = 98e3, .ratio_lo = 0.999, .ratio_hi = 1.001};
  EXPECT_TRUE(estimate_of(counter, 98e3));
  EXPECT_FALSE(estimate_of(counter, 100e3));
}

TEST(Chosen, software_defined_events_of_the_emulator_are_no_hardware) {
  EXPECT_TRUE(is_simulated({.backend = "emulated", .terms = {{"loads", 1}}}));
  EXPECT_TRUE(is_simulated({.backend = "papi", .terms = {{"sde:::plumbline::loads", 1}}}));
  EXPECT_FALSE(is_simulated({.backend = "papi", .terms = {{"sde:::plumbline::loads", 1}, {"PAPI_TOT_INS", 1}}}));
}

}  // namespace
}  // namespace plumbline
