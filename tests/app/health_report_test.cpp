// The words on nodes in health and on others are worked out by hand.
#include "app/nodes/health_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumbline::app {
namespace {

OutcomeRow outcome(const std::string& node, const std::string& id, Status status, const std::string& reason) {
  return {.case_id = id,
          .pass = "time",
          .status = status,
          .reason = reason,
          .node = node,
          .placement = "{}",
          .started_unix_ns = 0,
          .session = "s"};
}

/// Nodes that have all measured something.
Results of_nodes(const std::vector<std::string>& names) {
  Results results;
  for (const auto& name : names) {
    results.machines.push_back({name, R"({"cpu":{"name":"a CPU"},"cores":4})"});
    results.outcomes.push_back(outcome(name, "well", Status::ok, ""));
  }
  return results;
}

CheckRow row(const std::string& node, const std::string& what, double slowdown) {
  CheckRow one{.key = {what, node}, .row_class = "mem", .unit = "seconds"};
  one.after = {.median = slowdown, .n = 5};
  one.night = {.finding = slowdown > 1 ? NightFinding::slower : NightFinding::ok,
               .slowdown = slowdown,
               .lo = slowdown - 0.01,
               .hi = slowdown + 0.01,
               .before = 1,
               .nights = 7};
  return one;
}

const NodeHealth& of(const HealthReport& report, const std::string& node) {
  return *std::find_if(report.nodes.begin(), report.nodes.end(), [&](const NodeHealth& one) { return one.node == node; });
}

TEST(HealthReport, nodes_of_which_nothing_is_found_are_in_health) {
  const Results results = of_nodes({"n0", "n1"});
  const auto report = judge_health(results, judge_nodes(results, "x.h5", {}), {});
  EXPECT_EQ(exit_of(report), Exit::ok);
  EXPECT_EQ(health_findings(report), "");
  EXPECT_NE(health_remarks(report).find("2 of 2 nodes in health"), std::string::npos) << health_remarks(report);
}

TEST(HealthReport, a_slower_node_is_a_line_with_its_surest_row) {
  const Results results = of_nodes({"n0", "n1"});
  CheckReport earlier{.nights = 7};
  earlier.rows = {row("n0", "a", 1.2), row("n0", "b", 1.5), row("n0", "c", 1), row("n1", "a", 1)};
  const auto report = judge_health(results, judge_nodes(results, "x.h5", {}), earlier);
  EXPECT_EQ(exit_of(report), Exit::regression);
  const std::string lines = health_findings(report);
  EXPECT_TRUE(lines.starts_with("n0: is slower than before: b: 1.00 s -> 1.50 s, +50.0 % (+49.0 % to +51.0 %), 7 nights")) << lines;
  EXPECT_TRUE(lines.ends_with("; and 1 more\n")) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
  EXPECT_EQ(of(report, "n0").held, 3U);
  EXPECT_NE(health_remarks(report).find("1 of 2 nodes in health: results checked, beside 1 like node, 1 row against 7 earlier nights"),
            std::string::npos)
      << health_remarks(report);
}

TEST(HealthReport, a_wrong_result_counts_for_more_and_comes_first_in_the_same_line) {
  Results results = of_nodes({"n0"});
  results.outcomes = {outcome("n0", "a", Status::wrong_result, "wrong result: relative error 1"),
                      outcome("n0", "b", Status::failed, "no memory\nleft")};
  CheckReport earlier{.nights = 7};
  earlier.rows = {row("n0", "c", 1.2)};
  const auto report = judge_health(results, judge_nodes(results, "x.h5", {}), earlier);
  EXPECT_EQ(exit_of(report), Exit::wrong_result);
  const std::string lines = health_findings(report);
  EXPECT_TRUE(lines.starts_with("n0: computed a wrong result: a")) << lines;
  EXPECT_NE(lines.find("; also is slower than before: c"), std::string::npos) << lines;
  EXPECT_NE(lines.find("; also could not measure b: no memory\\nleft"), std::string::npos) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
}

TEST(HealthReport, a_node_that_measured_nothing_is_not_in_health_unless_the_time_was_over) {
  Results results = of_nodes({"n0", "n1", "n2"});
  results.outcomes = {outcome("n0", "a", Status::skipped, "needs a GPU"), outcome("n0", "b", Status::skipped, "needs two"),
                      outcome("n1", "a", Status::skipped, "needs a GPU"), outcome("n1", "b", Status::ok, "")};
  const auto report = judge_health(results, judge_nodes(results, "x.h5", {}), {});
  EXPECT_EQ(exit_of(report), Exit::io_or_failed_case);
  EXPECT_EQ(health_findings(report), "n0: did not measure anything: needs a GPU\n");
  EXPECT_TRUE(health_remarks(report).starts_with("1 of 3 nodes in health: results checked, beside")) << health_remarks(report);
  EXPECT_NE(health_remarks(report).find("note: nothing is said of n2, for which the campaign had no work\n"), std::string::npos);
  EXPECT_EQ(exit_of(judge_health(results, judge_nodes(results, "x.h5", {}), {}, "the time is over")), Exit::stopped_early);
}

TEST(HealthReport, where_no_node_measured_anything_none_is_in_health) {
  Results results = of_nodes({"n0", "n1"});
  results.outcomes = {outcome("n0", "a", Status::skipped, "needs a GPU")};
  EXPECT_EQ(health_findings(judge_health(results, judge_nodes(results, "x.h5", {}), {})),
            "n0: did not measure anything: needs a GPU\nn1: did not measure anything: the campaign has no case and no ceiling for it\n");
}

TEST(HealthReport, a_node_at_the_other_end_of_a_link_has_measured) {
  Results results = of_nodes({"n0", "n1"});
  results.outcomes.clear();
  CeilingRow link;
  link.name = "link", link.node = "n0", link.peer = "n1";
  results.ceilings = {link};
  EXPECT_EQ(exit_of(judge_health(results, judge_nodes(results, "x.h5", {}), {})), Exit::ok);
}

TEST(HealthReport, what_nodes_that_took_no_part_lack_is_not_missing_here) {
  const Results results = of_nodes({"n0"});
  CheckReport earlier{.nights = 7};
  earlier.missing = {{{"a", "n0"}, "not in this night's file", 1}, {{"a", "n9"}, "not in this night's file", 1}};
  const auto report = judge_health(results, judge_nodes(results, "x.h5", {}), earlier);
  EXPECT_EQ(exit_of(report), Exit::io_or_failed_case);
  EXPECT_EQ(health_findings(report), "n0: did not measure a: not in this night's file\n");
}

TEST(HealthReport, a_check_that_was_stopped_is_75_unless_something_was_found) {
  Results results = of_nodes({"n0"});
  EXPECT_EQ(exit_of(judge_health(results, judge_nodes(results, "x.h5", {}), {}, "the time is over")), Exit::stopped_early);
  results.outcomes = {outcome("n0", "b", Status::failed, "no memory left")};
  EXPECT_EQ(exit_of(judge_health(results, judge_nodes(results, "x.h5", {}), {}, "the time is over")), Exit::io_or_failed_case);
}

}  // namespace
}  // namespace plumbline::app
