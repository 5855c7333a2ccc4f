// Metrics that share a pass are found by the partition itself, over a made-up chip.
#include "counters/cupti/cupti_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "counters/cupti/cupti_refusals.hpp"

namespace plumbline {
namespace {

using Names = std::vector<std::string>;

/// The passes of a small chip: four hardware metrics a pass, any number of instrumented ones; never both, and "wide" takes two by itself.
std::optional<std::size_t> passes_of_a_small_chip(std::span<const std::string> metrics) {
  std::size_t hardware = 0, instrumented = 0, link = 0;
  for (const auto& metric : metrics) {
    if (metric == "lost__all.sum") return std::nullopt;
    if (metric.starts_with("pcie__"))
      ++link;
    else if (is_instrumented(metric))
      ++instrumented;
    else
      hardware += metric.starts_with("wide") ? 8 : 1;
  }
  if (link != 0 && link != metrics.size()) return std::nullopt;
  return (hardware + 3) / 4 + (instrumented + 99) / 100 + (link != 0 ? 1 : 0);
}

std::vector<Names> names_of(const std::vector<MetricGroup>& groups) {
  std::vector<Names> all;
  for (const auto& group : groups) all.push_back(group.metrics);
  return all;
}

TEST(cupti_groups, bundles_stay_together_while_a_pass_holds_them_and_each_metric_is_in_one_group) {
  const std::vector<Names> bundles{{"a.sum", "b.sum", "c.sum"}, {"d.sum", "e.sum"}, {"f.sum"}, {"a.sum", "g.sum"}};
  EXPECT_EQ(names_of(group_metrics(bundles, passes_of_a_small_chip)),
            (std::vector<Names>{{"a.sum", "b.sum", "c.sum", "f.sum"}, {"d.sum", "e.sum", "g.sum"}}));
}

TEST(cupti_groups, instrumented_hardware_and_link_metrics_are_apart_even_within_a_bundle) {
  const std::vector<Names> bundles{{"sm__sass_x.sum", "a.sum", "pcie__read_bytes.sum"}, {"sm__sass_y.sum"}};
  EXPECT_EQ(names_of(group_metrics(bundles, passes_of_a_small_chip)),
            (std::vector<Names>{{"sm__sass_x.sum", "sm__sass_y.sum"}, {"a.sum"}, {"pcie__read_bytes.sum"}}));
}

TEST(cupti_groups, a_bundle_too_wide_for_a_pass_is_parted_and_a_metric_too_wide_has_several_passes_alone) {
  const std::vector<Names> bundles{{"a.sum", "b.sum", "c.sum", "d.sum", "e.sum"}, {"wide.sum"}, {"lost__all.sum"}};
  const auto groups = group_metrics(bundles, passes_of_a_small_chip);
  EXPECT_EQ(names_of(groups), (std::vector<Names>{{"a.sum", "b.sum", "c.sum", "d.sum"}, {"e.sum"}, {"wide.sum"}}))
      << "one that cannot be counted at all is in none";
  EXPECT_EQ(groups[2].passes, 2U);
}

TEST(cupti_groups, rates_and_shares_do_not_add_up) {
  for (const char* sums : {"dram__bytes_read.sum", "sm__cycles_elapsed.max", "sm__cycles_elapsed.avg", "gpu__time_duration.sum"})
    EXPECT_TRUE(is_additive(sums)) << sums;
  for (const char* rate :
       {"sm__cycles_elapsed.avg.per_second", "sm__warps_active.avg.pct_of_peak_sustained_active", "dram__bytes.sum.per_second",
        "smsp__thread_inst_executed_per_inst_executed.ratio", "sm__throughput.avg.pct_of_peak_sustained_elapsed"})
    EXPECT_FALSE(is_additive(rate)) << rate;
}

TEST(cupti_refusals, each_number_has_one_row_a_cause_and_what_to_do) {
  std::set<int> numbers;
  for (const auto& one : cupti_refusals()) {
    EXPECT_TRUE(numbers.insert(one.result).second) << one.result;
    EXPECT_NE(one.status, Status::ok);
    EXPECT_NE(std::string(one.what), "");
    EXPECT_NE(std::string(one.next), "") << one.result;
  }
  for (const int known : {17, 26, 33, 35, 40, 43}) EXPECT_TRUE(numbers.contains(known)) << known;
  const auto refused = cupti_refusal(35, "cuptiRangeProfilerEnable", "words of the library");
  EXPECT_EQ(refused.status, Status::permission);
  for (const char* part : {"CUPTI error 35 of cuptiRangeProfilerEnable", "root", "CAP_SYS_ADMIN", "CAP_PERFMON"})
    EXPECT_NE(refused.reason.find(part), std::string::npos) << refused.reason;
  EXPECT_EQ(cupti_refusal(7, "cuptiX", "words").reason, "words (CUPTI error 7 of cuptiX)");
}

}  // namespace
}  // namespace plumbline
