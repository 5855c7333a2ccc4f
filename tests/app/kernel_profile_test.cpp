// Each kernel gets a row, of several processes and chips; and the passes that its counters take are those of CUPTI's own host library.
#include "app/gpu_kernels/kernel_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "app/gpu_kernels/kernel_placing.hpp"
#include "app/gpu_kernels/kernel_regions.hpp"
#include "counters/cupti/cupti_groups.hpp"
#include "counters/cupti/cupti_host.hpp"

namespace plumbline::app {
namespace {

TableCounter row(const std::string& name, std::vector<Term> terms, std::vector<std::string> quantities) {
  TableCounter made;
  made.counter = {.name = name, .backend = "cupti", .terms = std::move(terms), .quantities = std::move(quantities)};
  return made;
}

const std::vector<TableCounter> table{row("flops.fp64", {{"add", 1}, {"fma", 2}}, {"flops.fp64"}),
                                      row("flops.fp64.add", {{"add", 1}}, {"flops.fp64.add"}),
                                      row("flops.fp64.instructions", {{"any", 1}}, {"flops.fp64"}),
                                      row("flops.half", {{"half", 4}}, {"flops.fp16", "flops.bf16"}),
                                      row("tensor.int8", {{"int8", 1}}, {"flops.tensor.int8"}),
                                      row("tensor.bf16", {{"tensor", 1}}, {"flops.tensor.bf16"}),
                                      row("mem", {{"read", 1}, {"write", 1}}, {"bytes.L2-mem.demand_read", "bytes.L2-mem.write_back"}),
                                      row("mem.sectors", {{"sectors", 32}}, {"bytes.L2-mem"}),
                                      row("host", {{"link", 1}}, {"bytes.host-dev"}),
                                      row("time", {{"ns", 1e-9}}, {"seconds"}),
                                      row("cycles", {{"cycles", 1}}, {"cycles"})};
const std::vector<std::string> metrics{"add", "fma", "half", "tensor", "read", "write", "link", "ns"};

RankReport report(int rank, int process, std::vector<CountedKernel> kernels) {
  RankReport one{rank, {.process = process, .ended = true}};
  one.report.counts.gpus = {{0, "GH100", 90, metrics, 2, {}}};
  one.report.counts.kernels = std::move(kernels);
  return one;
}

KernelProfile merge(std::vector<RankReport> of_counts, std::vector<RankReport> of_times = {}) {
  return merge_kernels({std::move(of_counts), std::move(of_times), {{"GH100", kernel_counters(table)}}});
}

TEST(kernel_profile, each_precision_and_level_is_told_by_the_first_counter_of_the_table_and_integers_are_no_flops) {
  std::vector<std::string> names;
  for (const auto& one : kernel_counters(table)) names.push_back(one.counter.name + "=" + one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"flops.fp64=fp64", "flops.half=fp16+bf16", "tensor.bf16=tensor.bf16", "mem=mem", "host=system",
                                             "time="}));
  EXPECT_EQ(metrics_of(kernel_counters(table)), metrics);
}

TEST(kernel_profile, kernels_of_one_name_are_summed_over_processes_and_the_longest_comes_first) {
  const auto profile =
      merge({report(0, 1, {{0, "_Z3fooi", 2, 2, {1, 2, 0, 0, 10, 6, 8, 4e9}}, {0, "plain", 1, 1, {0, 0, 1, 0, 1, 1, 0, 25e9}}}),
             report(1, 1, {{0, "_Z3fooi", 4, 1, {10, 20, 0, 5, 100, 60, 4, 6e9}}, {0, "failed", 0, 0, {}}})});
  ASSERT_EQ(profile.kernels.size(), 2U) << "a kernel each of whose launches failed is none";
  EXPECT_FALSE(profile.is_timed);
  const auto& foo = profile.kernels[1];
  EXPECT_EQ(foo.name, "foo(int)");
  EXPECT_EQ(foo.launches, 6U);
  EXPECT_EQ(foo.counted, 3U);
  EXPECT_EQ(foo.processes, 2);
  EXPECT_DOUBLE_EQ(*foo.measures.seconds, 24) << "of rank 1, 4 launches by one: ranks work at once";
  EXPECT_DOUBLE_EQ(*foo.summed_seconds, 28);
  EXPECT_DOUBLE_EQ(*foo.imbalance, 24.0 / 14);
  EXPECT_DOUBLE_EQ(*foo.counted_seconds, 10);
  EXPECT_EQ(foo.sums.at("add"), 11) << "as they were counted";
  EXPECT_EQ(foo.measures.flops, 5 + 4 * (10 + 2 * 20 + 5)) << "each rank is scaled by itself";
  EXPECT_DOUBLE_EQ(*foo.measures.flops_per_second(), 225.0 / 24);
  EXPECT_EQ(foo.measures.bytes_by_level.at(0).second, 16 + 4 * 160);
  EXPECT_DOUBLE_EQ(*foo.measures.intensity(foo.measures.bytes_by_level.at(0).second), 225.0 / 656);
  EXPECT_EQ(foo.measures.bytes_by_level.at(1), (std::pair<std::string, Amount>{"system", 8 + 4 * 4}));
  EXPECT_EQ(foo.scaled.at("add"), 1 + 4 * 10);
  EXPECT_EQ(foo.devices.size(), 1U) << "nobody told their hosts";
  EXPECT_EQ(profile.total.flops, 225 + 4);
  EXPECT_DOUBLE_EQ(*profile.total.seconds, 29) << "rank 0: 4 s and 25 s";
}

/// A kernel of the run that times: so many launches of a second each, some of them nodes of graphs.
TimedKernel timed(const std::string& name, std::uint64_t launches, std::uint64_t of_graphs = 0, std::uint32_t phase = 0) {
  return {.name = name,
          .phase = phase,
          .all = {launches, static_cast<double>(launches), 32.0 * static_cast<double>(launches)},
          .of_graphs = of_graphs};
}

RankReport timed_report(std::vector<TimedKernel> kernels) {
  RankReport one{0, {.process = 5, .ended = true}};
  one.report.timed = true;
  one.report.times.kernels = std::move(kernels);
  return one;
}

/// A count of one fp64 addition a launch.
CountedKernel counted(const std::string& name, std::uint64_t launches, std::uint64_t of_them, std::uint32_t phase = 0) {
  CountedKernel kernel{0, name, launches, of_them, {}};
  kernel.phase = phase;
  if (of_them > 0) kernel.sums = {static_cast<double>(of_them), 0, 0, 0, 0, 0, 0, 0};
  return kernel;
}

TEST(kernel_profile, counts_are_scaled_to_the_launches_that_the_other_run_timed_those_in_graphs_too) {
  const auto profile =
      merge({report(0, 1, {counted("a", 100, 8), counted("b", 1, 1)})}, {timed_report({timed("a", 1200, 1100), timed("b", 1)})});
  EXPECT_TRUE(profile.is_timed);
  const auto& a = profile.kernels.at(0);
  EXPECT_EQ(a.launches, 1200U);
  EXPECT_EQ(a.of_graphs, 1100U);
  EXPECT_EQ(a.chip, "GH100") << "the other run knows the GPU";
  EXPECT_EQ(a.why_no_counts, "");
  EXPECT_EQ(a.measures.flops, 1200);
  EXPECT_DOUBLE_EQ(*a.measures.seconds, 1200);
  EXPECT_EQ(profile.total.flops, 1201);
  EXPECT_DOUBLE_EQ(*profile.total.seconds, 1201);
}

TEST(kernel_profile, kernels_that_the_runs_launched_differently_have_times_alone) {
  auto lacking = timed_report({timed("a", 9)});
  lacking.report.times.dropped = 1;
  const auto why = [](const KernelProfile& profile, const std::string& name) {
    for (const auto& kernel : profile.kernels)
      if (kernel.name == name) {
        EXPECT_EQ(kernel.measures.flops, std::nullopt) << name;
        return kernel.why_no_counts;
      }
    return std::string("no such row");
  };
  const auto apart = merge({report(0, 1, {counted("a", 10, 10), counted("gone", 1, 1), counted("refused", 2, 0)})},
                           {timed_report({timed("a", 9), timed("new", 1), timed("node", 3, 3), timed("refused", 2)})});
  EXPECT_EQ(why(apart, "a"), "it was launched 9 times in the timed run and 10 times in the counted one: they did not do the same");
  EXPECT_EQ(why(apart, "gone"), "the timed run did not launch it");
  EXPECT_EQ(why(apart, "new"), "the counted run did not launch it");
  EXPECT_NE(why(apart, "node").find("CUDA graphs alone"), std::string::npos);
  EXPECT_NE(why(apart, "refused").find("no launch of it was counted"), std::string::npos);
  EXPECT_EQ(apart.total.flops, std::nullopt);
  EXPECT_DOUBLE_EQ(*apart.total.seconds, 15);
  EXPECT_NE(why(merge({report(0, 1, {counted("a", 10, 10)})}, {lacking}), "a").find("records of the timed run are missing"),
            std::string::npos);
}

TEST(kernel_profile, each_phase_is_scaled_by_itself_and_a_region_has_what_was_launched_in_it) {
  const ProgramPhases phases{.regions = {{"warm up", 1, 2.0}, {"solve", 1, 3.0}, {"step", 4, 1.0}}, .phases = {{}, {0}, {1}, {1, 2}}};
  auto first = report(0, 1, {counted("a", 4, 2, 1), counted("a", 10, 2, 3), counted("b", 1, 0, 2)});
  first.report.counts.kernels[0].sums[0] = 200;  // 100 additions a launch
  auto second = timed_report({timed("a", 4, 0, 1), timed("a", 10, 0, 3), timed("b", 1, 0, 2)});
  first.report.phases = second.report.phases = phases;
  const KernelRuns runs{{first}, {second}, {{"GH100", kernel_counters(table)}}};
  const auto profile = merge_kernels(runs);
  EXPECT_EQ(profile.kernels.at(0).measures.flops, 410);
  EXPECT_EQ(profile.kernels.at(0).parts.size(), 2U);
  const auto regions = kernel_regions(profile, runs);
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_EQ(regions[0].name, "solve");
  EXPECT_EQ(regions[0].launches, 11U);
  EXPECT_DOUBLE_EQ(*regions[0].measures.seconds, 11);
  EXPECT_EQ(regions[0].measures.flops, std::nullopt);
  EXPECT_EQ(regions[0].why_no_counts, "1 of its 2 kernels have no counts");
  EXPECT_EQ(regions[1].name, "step");
  EXPECT_EQ(regions[1].entries, 4U);
  EXPECT_DOUBLE_EQ(*regions[1].seconds, 1);
  EXPECT_EQ(regions[1].measures.flops, 10);
  EXPECT_EQ(regions[2].measures.flops, 400);
}

TEST(kernel_profile, launches_have_their_measured_cost_and_a_kernel_that_is_shorter_waits_for_them) {
  const auto ceiling = [](CeilingLevel level, const char* pattern, const char* precision, double value) {
    Ceiling one{.precision = precision, .level = level, .pattern = pattern, .value = value};
    one.scope = gpu_scope, one.device = 0;
    return one;
  };
  const std::vector<Ceiling> roofs{ceiling(CeilingKind::overhead, "stream", "", 2.0), ceiling(CeilingKind::compute, "fma", "fp64", 1e-9),
                                   ceiling("mem", "load", "", 1e-9)};
  auto short_ones = report(0, 1, {counted("short", 4, 4), counted("node", 1, 1)});
  short_ones.report.counts.kernels[0].sums[4] = 100;  // bytes read
  auto profile = merge({short_ones}, {timed_report({timed("short", 4), timed("node", 2, 1)})});
  place_kernels(roofs, profile);
  EXPECT_EQ(profile.kernels.at(0).overhead_seconds, 8.0);
  ASSERT_TRUE(profile.kernels.at(0).time_place.has_value());
  EXPECT_EQ(profile.kernels.at(0).time_place->of_time, PlaneRegion::overhead) << "4 s on the GPU, 8 s of launches";
  EXPECT_EQ(profile.kernels.at(0).time_place->of_complexity, PlaneRegion::bandwidth);
  EXPECT_EQ(profile.kernels.at(1).overhead_seconds, std::nullopt) << "nobody measured the launch of a graph";
}

TEST(kernel_profile, what_has_no_number_is_absent_and_not_zero) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto profile = merge({report(0, 1, {{0, "a", 1, 1, {1, none, 0, 0, 0, 0, 0, 0}}, {0, "b", 4, 0, {}}})});
  const auto& a = profile.kernels.at(0).measures;
  EXPECT_EQ(a.flops, std::nullopt);
  EXPECT_EQ(a.flops_by_precision.at(1).second, 0) << "beside one that there is";
  EXPECT_EQ(a.intensity(a.bytes_by_level.at(0).second), std::nullopt);
  EXPECT_EQ(a.flops_per_second(), std::nullopt);
  EXPECT_EQ(profile.kernels.at(1).measures.seconds, std::nullopt);
  EXPECT_EQ(profile.total.seconds, 0) << "of the counted launches";
  EXPECT_TRUE(merge_kernels({}).kernels.empty());
}

TEST(kernel_profile, cupti_counts_all_that_is_shown_of_a_kernel_in_few_passes) {
  const CuptiHost host;
  if (!host.availability().ok()) GTEST_SKIP() << host.availability().reason;
  const auto tables = read_event_tables(PLUMBLINE_EVENTS_DIRECTORY, "");
  const auto chips = host.chips();
  const bool known_version = host.version().starts_with("CUPTI 13.0 ");
  for (const auto& [chip, passes] : std::map<std::string, std::size_t>{{"GV100", 3}, {"GA100", 5}, {"GH100", 5}, {"GB100", 6}}) {
    if (std::find(chips.begin(), chips.end(), chip) == chips.end()) continue;
    const auto wanted = metrics_of(kernel_counters(counters_for_chip(tables, chip).counters));
    EXPECT_TRUE(host.unknown_metrics(chip, wanted).empty());
    const auto needed = host.passes(chip, wanted);
    ASSERT_TRUE(needed.has_value()) << chip << ": not in one session";
    EXPECT_TRUE(*needed == passes || !known_version) << chip << ": " << *needed << " passes for " << wanted.size() << " metrics";
    for (const auto& metric : wanted) EXPECT_TRUE(is_additive(metric)) << metric;
  }
}

}  // namespace
}  // namespace plumbline::app
