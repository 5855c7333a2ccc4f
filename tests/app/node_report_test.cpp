// What is said of nodes, worked out by hand from rows.
#include "app/node_report.hpp"

#include <gtest/gtest.h>

#include "app/node_evidence.hpp"

namespace plumbline::app {
namespace {

/// Nodes of one kind, without a row.
Results like_nodes(const std::vector<std::string>& names) {
  Results results;
  for (const auto& name : names)
    results.machines.push_back({name, R"({"cpu":{"name":"a CPU"},"cores":4,"caches":[{"level":1,"bytes":32768}]})"});
  return results;
}

CeilingRow sample(const std::string& node, int round, bool right = true) {
  CeilingRow row{.name = "mem triad",
                 .precision = "fp64",
                 .level = "mem",
                 .pattern = "triad",
                 .node = node,
                 .session = "s",
                 .round = round,
                 .value = 10,
                 .unit = "GB/s",
                 .method = "gcc12-O3-v3"};
  row.working_set_bytes = 1e9;
  if (right) return row;
  row.status = Status::failed;
  row.value = absent;
  row.method += ": wrong result: relative error 1";
  return row;
}

CeilingRow message(const std::string& level, const std::string& name, const std::string& how) {
  return {.name = name,
          .precision = "-",
          .level = level,
          .pattern = "one way",
          .ranks = 2,
          .node = "n0",
          .session = "s",
          .unit = "GB/s",
          .status = Status::failed,
          .method = how + ": wrong result: a message did not arrive as it was sent"};
}

TEST(NodeReport, a_ceiling_that_is_wrong_in_two_rounds_is_one_finding_beside_each_peer_once) {
  Results results = like_nodes({"n0", "n1", "n2", "n3"});
  for (int round = 0; round < 3; ++round)
    for (const auto& row : {sample("n0", round), sample("n1", round, round == 0), sample("n2", round), sample("n3", round, round == 1)})
      results.ceilings.push_back(row);
  const NodeReport report = judge_nodes(results, "x.h5", {});
  ASSERT_EQ(report.wrong.size(), 2U);
  EXPECT_EQ(report.wrong[0].wrong.key, (SeriesKey{"ceiling/mem triad/fp64/r1t1", "n3"}));
  EXPECT_EQ(report.wrong[0].peers_right, 2U);
  EXPECT_EQ(report.wrong[0].peers_wrong, 1U);
  EXPECT_EQ(report.wrong[1].wrong.key.node, "n1");
  EXPECT_NE(wrong_on_nodes(report)[0].find("2 like nodes computed it right"), std::string::npos) << wrong_on_nodes(report)[0];
  EXPECT_EQ(exit_of(report), Exit::wrong_result);
}

TEST(NodeReport, messages_that_did_not_arrive_are_told_of_both_ends) {
  Results results = like_nodes({"n0", "n1"});
  results.ceilings = {message("link", "MPI link bandwidth to n1", "stream, MPICH"),
                      message("mpi", "MPI bandwidth between nodes", "n0 rank 0 (CPU 0) with n1 rank 4 (CPU 2), stream, MPICH"),
                      message("mpi", "MPI bandwidth inside a node", "n0 rank 0 (CPU 0) with n0 rank 1 (CPU 1), stream, MPICH")};
  const auto lines = wrong_on_nodes(judge_nodes(results, "x.h5", {}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("between n0 and n1 there was a wrong result: ceiling/MPI link bandwidth to n1/r2t1: ")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("between n0 and n1 there was a wrong result: ")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("n0 computed a wrong result: ")) << lines[2];
}

OutcomeRow again(const std::string& node, const std::string& placement) {
  return {.case_id = "a/case", .pass = "again", .status = Status::ok, .reason = "", .node = node, .placement = placement, .session = "s"};
}

TEST(NodeReport, another_placement_than_the_peers_is_evidence) {
  Results results = like_nodes({"n0", "n1", "n2"});
  results.outcomes = {again("n0", R"({"ranks":[{"rank":0,"cpus":[0,1]},{"rank":1,"cpus":[4]}],"oversubscribed":true,"conditions":{}})"),
                      again("n1", R"({"ranks":[{"rank":0,"cpus":[0,1,2,3]}],"oversubscribed":false,"conditions":{}})"),
                      again("n2", R"({"ranks":[{"rank":0,"cpus":[0,1,2,3]}],"oversubscribed":false,"conditions":{}})")};
  const NodeReport report = judge_nodes(results, "x.h5", {});
  const auto told_of = [&](const std::string& node, const std::vector<std::string>& peers) {
    JudgedNode judged;
    judged.node = node;
    judged.again.emplace_back();
    judged.again_peers = peers;
    std::string placement;
    for (const auto& line : evidence_of(report, judged))
      if (line.starts_with("placement")) placement += line;
    return placement;
  };
  EXPECT_EQ(told_of("n0", {"n1", "n2"}), "placement CPUs 0-1,4, oversubscribed (peers: CPUs 0-3)");
  EXPECT_EQ(told_of("n1", {"n2"}), "");
}

TEST(NodeReport, who_is_suspicious_in_what_cannot_be_measured_alone_is_told_so) {
  NodeReport report;
  report.comparison.rows.resize(2);
  report.comparison.rows[0].key.what = "ceiling/MPI latency inside a node/r2t1";
  report.comparison.rows[1].key.what = "ceiling/mem triad/r1t1";
  report.comparison.rows[1].point = "ceiling/triad/r1t1/bytes=1000";
  JudgedNode node;
  node.node = "n0";
  node.suspicious = {0};
  node.finding = NodeFinding::suspect;
  EXPECT_TRUE(headline(report, node).ends_with("are not; run the campaign once more")) << headline(report, node);
  node.suspicious = {0, 1};
  EXPECT_TRUE(headline(report, node).ends_with("was not measured again")) << headline(report, node);
}

}  // namespace
}  // namespace plumbline::app
