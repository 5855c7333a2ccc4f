// Jobs on like nodes that were never run: what is said of nodes that are like their peers, and of those that are not.
#include "model/comparing/node_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "model/comparing/node_remeasuring.hpp"
#include "simulated_job.hpp"

namespace {

using namespace plumbline;

TEST(Nodes, of_two_that_differ_nobody_says_which_is_right) {
  const auto comparison = Job(1, 2, 8).run({.node = "nodeA", .part = 0.5});
  EXPECT_EQ(node_of(comparison, "nodeA").finding, NodeFinding::differs);
  EXPECT_NE(node_of(comparison, "nodeB").finding, NodeFinding::slower);
}

TEST(Nodes, one_alone_is_held_against_nobody) {
  const auto comparison = Job(1, 1, 8).run({.node = "nodeA", .part = 0.5});
  ASSERT_EQ(comparison.nodes.size(), 1U);
  EXPECT_EQ(comparison.nodes.front().finding, NodeFinding::alone);
  EXPECT_EQ(comparison.rows.front().status, Status::unavailable);
  EXPECT_EQ(comparison.rows.front().reason, "no like node has it");
  EXPECT_EQ(comparison.nodes.front().reason, "it has no like node to be held against");
}

TEST(Nodes, of_a_thousand_the_one_that_is_slower_is_found) {
  Side side;
  for (int n = 0; n < 1000; ++n) {
    const std::string node = "n" + std::to_string(n);
    side.machines[node] = "kind";
    for (int c = 0; c < 4; ++c) {
      const double seconds = (n == 321 ? 1.3 : 1.0) * (1 + 0.001 * ((n * 7 + c * 3) % 10));
      side.observations.push_back(
          {.key = {"case" + std::to_string(c), node}, .row_class = "compute", .unit = "seconds", .sessions = {{seconds, 1.001 * seconds}}});
    }
  }
  const auto comparison = compare_nodes(side, {}, {});
  for (const auto& node : comparison.nodes)
    EXPECT_EQ(node.finding, node.node == "n321" ? NodeFinding::suspect : NodeFinding::alike) << node.node;
  EXPECT_EQ(node_of(comparison, "n5").peers, 999U);
}

TEST(Nodes, another_kind_of_machine_is_no_peer) {
  Job job(3, 6, 8);
  Side side = job.measure({.node = "nodeF", .part = 1.0});
  side.machines["nodeF"] = "another kind";
  const auto comparison = compare_nodes(side, {}, {});
  EXPECT_EQ(node_of(comparison, "nodeF").finding, NodeFinding::alone);
  EXPECT_EQ(node_of(comparison, "nodeA").peers, 4U);
  side.machines.erase("nodeE");  // unknown is like nobody, not even like another unknown one
  side.machines.erase("nodeD");
  EXPECT_EQ(node_of(compare_nodes(side, {}, {}), "nodeE").finding, NodeFinding::alone);
}

TEST(Nodes, a_row_that_a_node_lacks_is_no_matter_to_the_others) {
  Job job(4, 4, 8);
  Side side = job.measure({});
  std::erase_if(side.observations, [](const auto& one) { return one.key.node == "nodeB" && one.key.what != "case0"; });
  side.observations.push_back(
      {.key = {"case1", "nodeB"}, .row_class = "mem", .unit = "seconds", .status = Status::failed, .reason = "broken"});
  const auto comparison = compare_nodes(side, {}, {});
  EXPECT_EQ(node_of(comparison, "nodeB").rows, 1U);
  EXPECT_EQ(node_of(comparison, "nodeA").rows, 8U);
  const auto failed =
      std::find_if(comparison.rows.begin(), comparison.rows.end(), [](const auto& row) { return row.status == Status::failed; });
  ASSERT_NE(failed, comparison.rows.end());
  EXPECT_EQ(failed->reason, "broken");
  std::erase_if(side.observations, [](const auto& one) { return one.key.node == "nodeB" && one.status == Status::ok; });
  const auto nothing = compare_nodes(side, {}, {});
  EXPECT_EQ(node_of(nothing, "nodeB").finding, NodeFinding::alone);
  EXPECT_EQ(node_of(nothing, "nodeB").reason, "none of its rows can be compared: broken");
}

const std::set<std::string> five_nodes{"nodeA", "nodeB", "nodeC", "nodeD", "nodeE"};

TEST(Nodes, the_whole_node_is_told_by_a_field_and_not_by_a_name) {
  Job job(4, 5, 8);
  const Slow slow{.node = "nodeC", .part = 0.3};
  Side side = job.measure(slow);
  for (auto& one : side.observations)
    if (one.key.what == "case0") one.key.what = "";  // a thing without a name is a thing
  const auto comparison = compare_nodes(side, {}, {});
  EXPECT_EQ(comparison.rows.size(), 40U);
  for (const auto& row : comparison.rows) EXPECT_FALSE(row.whole_node) << "no whole node is among the things";
  for (const auto& node : comparison.nodes) {
    EXPECT_EQ(node.rows, 8U) << node.node;
    EXPECT_TRUE(node.all_rows.whole_node) << node.node;
  }
  EXPECT_NEAR(node_of(comparison, "nodeC").all_rows.judged.slowdown, 1.3, 0.1);
}

TEST(Nodes, a_whole_node_is_as_much_slower_than_its_peers_as_its_rows_are) {
  for (const std::size_t nodes : {2UL, 4UL, 5UL, 9UL}) {
    Job job(7, nodes, 30, 0.001);
    const auto comparison = compare_nodes(job.measure({.node = "nodeB", .part = 0.5}), {}, {});
    EXPECT_NEAR(node_of(comparison, "nodeB").all_rows.judged.slowdown, 1.5, 0.02) << nodes << " nodes";
    EXPECT_NEAR(node_of(comparison, "nodeA").all_rows.judged.slowdown, nodes == 2 ? 1 / 1.5 : 1, 0.02) << nodes << " nodes";
  }
  Job job(7, 3, 30, 0.001);  // of two peers that differ the middle lies between them
  EXPECT_NEAR(node_of(compare_nodes(job.measure({.node = "nodeB", .part = 0.5}), {}, {}), "nodeB").all_rows.judged.slowdown, 1.5, 0.02);
}

TEST(Nodes, of_what_was_measured_again_the_last_is_all_together) {
  Job job(4, 5, 8);
  const Slow slow{.node = "nodeC", .part = 0.3};
  const Side side = job.measure(slow);
  const auto groups = plan_remeasuring(compare_nodes(side, {}, {}), five_nodes);
  const auto comparison = compare_nodes(side, job.measure_again(groups, slow), {});
  const auto& again = node_of(comparison, "nodeC").again;
  ASSERT_GE(again.size(), 3U);
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].all_together, i + 1 == again.size()) << again[i].what;
}

TEST(Nodes, a_suspect_that_nobody_measured_again_is_not_named) {
  Job job(5, 4, 8);
  const Side side = job.measure({.node = "nodeB", .part = 0.5});
  EXPECT_EQ(node_of(compare_nodes(side, {}, {}), "nodeB").finding, NodeFinding::suspect);
}

TEST(Nodes, what_passed_by_between_the_measurements_is_not_confirmed) {
  Job job(6, 4, 8);
  const Side side = job.measure({.node = "nodeB", .part = 0.5});
  const auto groups = plan_remeasuring(compare_nodes(side, {}, {}), {"nodeA", "nodeB", "nodeC", "nodeD"});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(node_of(compare_nodes(side, job.measure_again(groups, {}), {}), "nodeB").finding, NodeFinding::unconfirmed);
}

TEST(Nodes, as_many_peers_as_suspects_measure_again_and_three_where_there_are) {
  Job job(7, 8, 8);
  const Side side = job.measure({.node = "nodeB", .part = 0.5});
  const auto first = compare_nodes(side, {}, {});
  const auto groups = plan_remeasuring(first, {"nodeA", "nodeB", "nodeC", "nodeD", "nodeE", "nodeF", "nodeG", "nodeH"});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups.front().suspects, std::vector<std::string>{"nodeB"});
  EXPECT_EQ(groups.front().peers.size(), 3U);
  EXPECT_EQ(groups.front().cases.size(), cases_of_suspect);
  EXPECT_TRUE(plan_remeasuring(first, {"nodeA", "nodeC"}).empty()) << "a suspect that is not there cannot measure";
  EXPECT_TRUE(plan_remeasuring(first, {"nodeB"}).empty()) << "nor without a peer";
}

/// Nodes n0, n1, ... of one kind, of which each has every case; `seconds` of one.
template <class Seconds>
Side like_nodes(int nodes, int cases, Seconds seconds) {
  Side side;
  for (int n = 0; n < nodes; ++n) {
    const std::string node = "n" + std::to_string(n);
    side.machines[node] = "kind";
    for (int c = 0; c < cases; ++c) {
      const double median = seconds(n, c);
      side.observations.push_back({.key = {"case" + std::to_string(c), node},
                                   .row_class = "compute",
                                   .unit = "seconds",
                                   .sessions = {{median, 1.001 * median, 0.999 * median}}});
    }
  }
  return side;
}

TEST(Nodes, peers_have_the_cases_that_are_suspicious) {
  Side side = like_nodes(6, 8, [](int n, int c) { return (1 + 0.001 * ((n * 7 + c * 3) % 10)) * (n == 5 && c >= 4 ? 1.5 : 1); });
  const auto lack = [&](const std::set<std::string>& nodes, const std::set<std::string>& cases) {
    for (auto& one : side.observations)
      if (nodes.contains(one.key.node) && cases.contains(one.key.what)) one.status = Status::skipped, one.sessions.clear();
  };
  const std::set<std::string> all{"n0", "n1", "n2", "n3", "n4", "n5"};
  lack({"n0", "n1", "n2"}, {"case4", "case5", "case6", "case7"});
  const auto groups = plan_remeasuring(compare_nodes(side, {}, {}), all);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].suspects, std::vector<std::string>{"n5"});
  EXPECT_EQ(std::set<std::string>(groups[0].peers.begin(), groups[0].peers.begin() + 2), (std::set<std::string>{"n3", "n4"}));
  const std::set<std::string> measured(groups[0].cases.begin(), groups[0].cases.end());
  EXPECT_EQ(measured, (std::set<std::string>{"case4", "case5", "case6", "case7"}));
  const auto there = plan_remeasuring(compare_nodes(side, {}, {}), {"n0", "n1", "n2", "n5"});
  EXPECT_TRUE(there.empty()) << "no peer that is there has any of these cases";
  lack({"n3", "n4"}, {"case7"});
  for (auto& one : side.observations)
    if (one.key.what == "case7" && one.key.node == "n0") one.status = Status::ok, one.sessions = {{1, 1.001, 0.999}};
  const auto one_more = plan_remeasuring(compare_nodes(side, {}, {}), all);
  ASSERT_EQ(one_more.size(), 1U);
  EXPECT_EQ(one_more[0].cases.size(), 4U);
  EXPECT_NE(std::find(one_more[0].peers.begin(), one_more[0].peers.end(), "n0"), one_more[0].peers.end()) << "it alone has case7";
}

TEST(Nodes, what_is_surely_slower_is_measured_again_before_what_varies) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const Side side = like_nodes(8, 40, [&](int n, int c) {
    const double seconds = std::exp((c < 20 ? 0.15 : 0.01) * normal(random)) * (n == 3 && c >= 38 ? 1.2 : 1);
    return n == 3 && c < 10 ? 1.25 : seconds;  // slower than the sure ones, of cases that vary
  });
  Side classes = side;
  for (auto& one : classes.observations) one.row_class = std::stoi(one.key.what.substr(4)) < 20 ? "mem" : "compute";
  const auto groups = plan_remeasuring(compare_nodes(classes, {}, {}), {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"});
  const auto of_n3 = std::find_if(groups.begin(), groups.end(), [](const auto& group) { return group.suspects.front() == "n3"; });
  ASSERT_NE(of_n3, groups.end());
  const std::set<std::string> measured(of_n3->cases.begin(), of_n3->cases.end());
  EXPECT_TRUE(measured.contains("case38") && measured.contains("case39"));
}

constexpr const char* triad_ceiling = "ceiling/mem triad/r1t1";

/// Five nodes with two cases each, and a ceiling of which nodeC has half; each carried by a point of its own, if any.
Side with_a_slow_ceiling(Job& job, bool with_points) {
  Side side = job.measure({});
  for (std::size_t n = 0; n < 5; ++n)
    side.observations.push_back({.key = {triad_ceiling, Job::node_name(n)},
                                 .row_class = "mem",
                                 .unit = "GB/s",
                                 .point = with_points ? "ceiling/triad/r1t1/bytes=" + std::to_string(1000 + n) : "",
                                 .sessions = {{n == 2 ? 5.0 : 10.0, n == 2 ? 5.02 : 10.01, n == 2 ? 4.99 : 9.99}}});
  return side;
}

constexpr const char* point_of_suspect = "ceiling/triad/r1t1/bytes=1002";

std::vector<RemeasuredRow> ceiling_again(const RemeasuringGroup& group, double slow_seconds) {
  std::vector<RemeasuredRow> rows;
  for (int turn = 0; turn < 7; ++turn)
    for (const auto& node : group.nodes())
      rows.push_back({.case_id = point_of_suspect,
                      .node = node,
                      .session = "s",
                      .turn = turn,
                      .seconds = (node == "nodeC" ? slow_seconds : 1.0) * (1 + 0.002 * ((turn + node.back()) % 5))});
  return rows;
}

TEST(Nodes, a_slow_ceiling_is_measured_again_at_the_point_that_carries_it_on_the_suspect) {
  Job job(8, 5, 2);
  const auto comparison = compare_nodes(with_a_slow_ceiling(job, true), {}, {});
  const auto groups = plan_remeasuring(comparison, five_nodes);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].suspects, std::vector<std::string>{"nodeC"});
  EXPECT_EQ(groups[0].cases, std::vector<std::string>{point_of_suspect}) << "nothing of it but that ceiling is suspicious";
  EXPECT_EQ(groups[0].peers.size(), 3U) << "nodes that have the ceiling can measure that point, whichever carries theirs";
}

TEST(Nodes, a_ceiling_that_is_slow_again_names_the_node_and_one_that_is_not_clears_it) {
  Job job(8, 5, 2);
  const Side side = with_a_slow_ceiling(job, true);
  const auto groups = plan_remeasuring(compare_nodes(side, {}, {}), five_nodes);
  ASSERT_EQ(groups.size(), 1U);
  const auto slow = compare_nodes(side, ceiling_again(groups[0], 2), {}), cleared = compare_nodes(side, ceiling_again(groups[0], 1), {});
  EXPECT_EQ(node_of(slow, "nodeC").finding, NodeFinding::slower);
  ASSERT_EQ(node_of(slow, "nodeC").again.size(), 1U);
  EXPECT_EQ(node_of(slow, "nodeC").again[0].what, point_of_suspect);
  EXPECT_TRUE(node_of(slow, "nodeC").again[0].confirmed);
  EXPECT_EQ(node_of(cleared, "nodeC").finding, NodeFinding::unconfirmed);
}

TEST(Nodes, cases_do_not_crowd_out_ceilings) {
  Job job(9, 5, 8);
  Side side = job.measure({.node = "nodeC", .part = 0.5});
  for (auto& one : with_a_slow_ceiling(job, true).observations)
    if (one.key.is_ceiling()) side.observations.push_back(std::move(one));
  const auto groups = plan_remeasuring(compare_nodes(side, {}, {}), five_nodes);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].cases.size(), cases_of_suspect + 1);
  EXPECT_EQ(groups[0].cases.back(), point_of_suspect);
}

TEST(Nodes, a_link_between_two_is_a_row_of_neither) {
  Side side = Job(8, 3, 4).measure({});
  side.observations.push_back({.key = {"ceiling/MPI link latency/r2t1", "nodeA with nodeB"},
                               .row_class = "link latency",
                               .unit = "seconds",
                               .sessions = {{1e-6, 1e-6}}});
  const auto comparison = compare_nodes(side, {}, {});
  EXPECT_EQ(comparison.nodes.size(), 3U);
  EXPECT_EQ(comparison.rows.size(), 12U);
}

TEST(Nodes, a_ceiling_without_a_point_is_suspicious_and_not_measured_again) {
  Job job(8, 5, 2);
  const auto comparison = compare_nodes(with_a_slow_ceiling(job, false), {}, {});
  EXPECT_EQ(node_of(comparison, "nodeC").finding, NodeFinding::suspect);
  EXPECT_TRUE(plan_remeasuring(comparison, five_nodes).empty());
}

/// Nodes of four like GPUs; those of one node may be faster or slower, or one of them.
Side with_gpus(std::size_t nodes, const std::string& slow_node, int slow_gpu) {
  Side side;
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::string node = Job::node_name(n);
    side.machines[node] = "kind";
    for (int gpu = 0; gpu < 4; ++gpu) {
      const bool slow = node == slow_node && (gpu == slow_gpu || slow_gpu < 0);
      const double rate = (slow ? 20000 : 30000) * (1 + 0.001 * static_cast<double>((3 * n + static_cast<std::size_t>(gpu)) % 5));
      const std::string what = "ceiling/GPU" + (gpu == 0 ? "" : std::to_string(gpu)) + " FP64 FMA/fp64/r1t1";
      side.observations.push_back({.key = {what, node},
                                   .row_class = "compute",
                                   .unit = "GFLOP/s",
                                   .point = what,
                                   .like = "ceiling/GPU FP64 FMA/fp64/r1t1 of NVIDIA H100",
                                   .sessions = {{rate, 1.001 * rate, 0.999 * rate}}});
    }
  }
  return side;
}

TEST(Nodes, a_slow_gpu_is_held_against_all_like_gpus_of_other_nodes) {
  const auto comparison = compare_nodes(with_gpus(2, "nodeB", 2), {}, {});
  const auto& suspect = node_of(comparison, "nodeB");
  EXPECT_EQ(node_of(comparison, "nodeA").finding, NodeFinding::alike);
  EXPECT_EQ(suspect.finding, NodeFinding::suspect);
  ASSERT_EQ(suspect.suspicious.size(), 1U);
  const NodeRow& row = comparison.rows[suspect.suspicious[0]];
  EXPECT_EQ(row.key.what, "ceiling/GPU2 FP64 FMA/fp64/r1t1") << "that GPU of that node";
  EXPECT_EQ(row.peers, 4U) << "with the other node's GPUs, not its own neighbours";
  EXPECT_NEAR(row.judged.slowdown, 1.5, 0.01);
}

TEST(Nodes, a_slow_gpu_is_measured_again_beside_like_ones_in_the_same_place) {
  Side side = with_gpus(5, "nodeB", 2);
  const auto again = plan_remeasuring(compare_nodes(side, {}, {}), five_nodes);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].suspects, std::vector<std::string>{"nodeB"});
  EXPECT_EQ(again[0].cases.front(), "ceiling/GPU2 FP64 FMA/fp64/r1t1");
  EXPECT_EQ(again[0].cases.size(), cases_of_suspect) << "as many ceilings as of CPUs: others of the node beside it";
  EXPECT_EQ(again[0].peers.size(), 3U);
  for (auto& one : side.observations)
    if (one.key.what == "ceiling/GPU2 FP64 FMA/fp64/r1t1" && one.key.node != "nodeB" && one.key.node != "nodeE")
      one.like = "ceiling/GPU FP64 FMA/fp64/r1t1 of NVIDIA A100";
  const auto compared = compared_things(compare_nodes(side, {}, {}));
  const auto beside = plan_remeasuring(compare_nodes(side, {}, {}), five_nodes);
  ASSERT_EQ(beside.size(), 1U);
  const std::string& point = beside[0].cases.front();
  EXPECT_TRUE(compared.contains({point, "nodeE"}));
  EXPECT_NE(std::find(beside[0].peers.begin(), beside[0].peers.end(), "nodeE"), beside[0].peers.end()) << "who has a like one there";
}

TEST(Nodes, a_slow_gpu_that_is_slow_again_names_its_node) {
  const Side side = with_gpus(5, "nodeB", 2);
  const auto groups = plan_remeasuring(compare_nodes(side, {}, {}), five_nodes);
  ASSERT_EQ(groups.size(), 1U);
  for (const double slow : {1.5, 1.0}) {
    std::vector<RemeasuredRow> rows;
    for (int turn = 0; turn < 5; ++turn)
      for (const auto& node : groups[0].nodes())
        rows.push_back({.case_id = groups[0].cases[0],
                        .node = node,
                        .session = "s",
                        .turn = turn,
                        .seconds = (node == "nodeB" ? slow : 1.0) * (1 + 0.002 * ((turn + node.back()) % 5))});
    EXPECT_EQ(node_of(compare_nodes(side, rows, {}), "nodeB").finding, slow > 1 ? NodeFinding::slower : NodeFinding::unconfirmed);
  }
}

TEST(Nodes, a_node_whose_gpus_are_all_slow_is_no_peer_of_its_own) {
  const auto comparison = compare_nodes(with_gpus(5, "nodeC", -1), {}, {});
  EXPECT_EQ(node_of(comparison, "nodeC").suspicious.size(), 4U);
  EXPECT_EQ(node_of(comparison, "nodeA").finding, NodeFinding::alike);
}

TEST(Nodes, the_gpus_of_a_single_node_are_held_against_nobody) {
  const auto comparison = compare_nodes(with_gpus(1, "nodeA", 1), {}, {});
  EXPECT_EQ(node_of(comparison, "nodeA").finding, NodeFinding::alone);
}

/// Turns of two cases, by sessions that each ended after so many.
std::vector<RemeasuredRow> in_short_sessions(const RemeasuringGroup& group, int turns, int turns_of_session) {
  std::vector<RemeasuredRow> rows;
  for (const std::string id : {"case0", "case1"})
    for (int turn = 0; turn < turns; ++turn)
      for (const auto& node : group.nodes())
        rows.push_back({.case_id = id,
                        .node = node,
                        .session = id + std::to_string(turn / turns_of_session),
                        .turn = turn,
                        .seconds = (node == "nodeC" ? 1.5 : 1.0) * (1 + 0.002 * ((turn + node.back()) % 5))});
  return rows;
}

TEST(Nodes, turns_of_several_sessions_are_judged_together_and_too_few_not_at_all) {
  Job job(8, 5, 2);
  const Side side = job.measure({.node = "nodeC", .part = 0.5});
  const auto groups = plan_remeasuring(compare_nodes(side, {}, {}), five_nodes);
  ASSERT_EQ(groups.size(), 1U);
  const auto comparison = compare_nodes(side, in_short_sessions(groups[0], 6, 1), {});
  const auto& named = node_of(comparison, "nodeC");
  EXPECT_EQ(named.finding, NodeFinding::slower);
  ASSERT_EQ(named.again.size(), 3U);
  for (const auto& one : named.again) EXPECT_EQ(one.turns, 6U) << one.what;
  const auto too_few = compare_nodes(side, in_short_sessions(groups[0], 4, 4), {});
  EXPECT_EQ(node_of(too_few, "nodeC").finding, NodeFinding::suspect);
  EXPECT_TRUE(node_of(too_few, "nodeC").again.empty());
}

}  // namespace
