// Each kernel gets a row, of several processes and chips; and the passes that its counters take are those of CUPTI's own host library.
#include "app/programs/kernel_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

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

TEST(kernel_profile, each_precision_and_level_is_told_by_the_first_counter_of_the_table_and_integers_are_no_flops) {
  std::vector<std::string> names;
  for (const auto& one : kernel_counters(table)) names.push_back(one.counter.name + "=" + one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"flops.fp64=fp64", "flops.half=fp16+bf16", "tensor.bf16=tensor.bf16", "mem=mem", "host=system",
                                             "time="}));
  EXPECT_EQ(metrics_of(kernel_counters(table)), metrics);
}

TEST(kernel_profile, kernels_of_one_name_are_summed_over_processes_and_the_longest_comes_first) {
  const auto profile =
      merge_kernels({report(0, 1, {{0, "_Z3fooi", 2, 2, {1, 2, 0, 0, 10, 6, 8, 4e9}}, {0, "plain", 1, 1, {0, 0, 1, 0, 1, 1, 0, 9e9}}}),
                     report(1, 1, {{0, "_Z3fooi", 3, 1, {10, 20, 0, 5, 100, 60, 4, 6e9}}, {0, "failed", 0, 0, {}}})},
                    {{"GH100", kernel_counters(table)}});
  ASSERT_EQ(profile.kernels.size(), 2U) << "a kernel each of whose launches failed is none";
  const auto& foo = profile.kernels[0];
  EXPECT_EQ(foo.name, "foo(int)");
  EXPECT_EQ(foo.launches, 5U);
  EXPECT_EQ(foo.counted, 3U);
  EXPECT_EQ(foo.processes, 2);
  EXPECT_DOUBLE_EQ(*foo.measures.seconds, 10);
  EXPECT_EQ(foo.measures.flops, 11 + 2 * 22 + 5);
  EXPECT_DOUBLE_EQ(*foo.measures.flops_per_second(), 6);
  EXPECT_EQ(foo.measures.bytes_by_level.at(0).second, 176);
  EXPECT_DOUBLE_EQ(*foo.measures.intensity(foo.measures.bytes_by_level.at(0).second), 60.0 / 176);
  EXPECT_EQ(foo.measures.bytes_by_level.at(1), (std::pair<std::string, Amount>{"system", 12}));
  EXPECT_EQ(profile.total.flops, 64);
  EXPECT_DOUBLE_EQ(*profile.total.seconds, 19);
}

TEST(kernel_profile, what_has_no_number_is_absent_and_not_zero) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto profile =
      merge_kernels({report(0, 1, {{0, "a", 1, 1, {1, none, 0, 0, 0, 0, 0, 0}}, {0, "b", 4, 0, {}}})}, {{"GH100", kernel_counters(table)}});
  const auto& a = profile.kernels.at(0).measures;
  EXPECT_EQ(a.flops, std::nullopt);
  EXPECT_EQ(a.flops_by_precision.at(1).second, 0) << "beside one that there is";
  EXPECT_EQ(a.intensity(a.bytes_by_level.at(0).second), std::nullopt);
  EXPECT_EQ(a.flops_per_second(), std::nullopt);
  EXPECT_EQ(profile.kernels.at(1).measures.seconds, std::nullopt);
  EXPECT_EQ(profile.total.seconds, 0) << "of the counted launches";
  EXPECT_TRUE(merge_kernels({}, {}).kernels.empty());
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
