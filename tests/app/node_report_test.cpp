// The words on nodes are worked out by hand from rows.
#include "app/nodes/node_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/nodes/node_evidence.hpp"

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
  row.status = Status::wrong_result;
  row.value = absent;
  row.reason = "wrong result: relative error 1";
  return row;
}

CeilingRow message(const std::string& level, const std::string& name, const std::string& how, const std::string& peer) {
  return {.name = name,
          .precision = "-",
          .level = level,
          .pattern = "one way",
          .ranks = 2,
          .node = "n0",
          .session = "s",
          .unit = "GB/s",
          .status = Status::wrong_result,
          .method = how,
          .reason = "wrong result: a message did not arrive as it was sent",
          .peer = peer};
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
  results.ceilings = {message("link", "MPI link bandwidth to n1", "stream, MPICH", "n1"),
                      message("mpi", "MPI bandwidth between nodes", "n0 rank 0 (CPU 0) with n1 rank 4 (CPU 2), stream, MPICH", "n1"),
                      message("mpi", "MPI bandwidth inside a node", "n0 rank 0 (CPU 0) with n0 rank 1 (CPU 1), stream, MPICH", "n0")};
  const auto lines = wrong_on_nodes(judge_nodes(results, "x.h5", {}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("between n0 and n1 there was a wrong result: ceiling/MPI link bandwidth to n1/r2t1: ")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("between n0 and n1 there was a wrong result: ")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("n0 computed a wrong result: ")) << lines[2];
}

/// A kind of arithmetic that two loops were chosen among, of which `form` is measured.
std::vector<CeilingRow> chosen_among_two(const std::string& node, const std::string& form) {
  std::vector<CeilingRow> rows;
  const auto add = [&](const std::string& which, const std::string& level, double gflops) {
    rows.push_back({.name = "FP64 vector FMA, " + which,
                    .precision = "fp64",
                    .level = level,
                    .pattern = "fma",
                    .node = node,
                    .session = "s",
                    .round = static_cast<std::int32_t>(rows.size()),
                    .value = gflops,
                    .unit = "GFLOP/s",
                    .method = "gcc12-O3-v4, " + which,
                    .form = which});
  };
  add("v4", "choice", 100);
  add("deep v4", "choice", 100);
  for (int round = 0; round < 4; ++round) add(form, "compute", 100 + round);
  return rows;
}

TEST(NodeReport, unlike_loops_on_like_nodes_are_told) {
  const auto notes_with = [](const std::string& first, const std::string& second) {
    Results results = like_nodes({"n0", "n1"});
    for (const auto& [node, form] : {std::pair{"n0", first}, {"n1", second}})
      for (const auto& row : chosen_among_two(node, form)) results.ceilings.push_back(row);
    const NodeReport report = judge_nodes(results, "x.h5", {});
    return std::count_if(report.notes.begin(), report.notes.end(), [](const std::string& note) {
      return note.starts_with(
          "1 ceilings are of unlike loops on like nodes (as ceiling/FP64 vector FMA/fp64/r1t1: deep v4 on n1, v4 on n0)");
    });
  };
  EXPECT_EQ(notes_with("v4", "deep v4"), 1);
  EXPECT_EQ(notes_with("v4", "v4"), 0);
  EXPECT_EQ(notes_with("deep v4", "deep v4"), 0);
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

/// Slower in these, each confirmed.
JudgedNode slower_in(const std::vector<std::string>& whats) {
  JudgedNode node;
  node.node = "n0";
  node.finding = NodeFinding::slower;
  node.again_peers = {"n1"};
  for (const auto& what : whats) {
    RemeasuredCase one{.what = what, .turns = 5, .judged = {2, 1.9, 2.1}, .has_interval = true, .confirmed = true};
    node.again.push_back(one);
  }
  return node;
}

TEST(NodeReport, a_gpu_is_named_with_its_node_where_nothing_else_of_it_is_slower) {
  const NodeReport report;
  const std::string fma = "ceiling/GPU1 FP64 FMA/fp64/r1t1", load = "ceiling/GPU3 load/r1t1/bytes=1073741824",
                    of_cpus = "ceiling/load/r1t1/bytes=4096";
  EXPECT_TRUE(headline(report, slower_in({fma})).starts_with("GPU1 of n0 is slower than like GPUs: "))
      << headline(report, slower_in({fma}));
  EXPECT_TRUE(headline(report, slower_in({load, fma})).starts_with("GPU1, GPU3 of n0 are slower than like GPUs: "));
  EXPECT_TRUE(headline(report, slower_in({fma, of_cpus})).starts_with("n0 is slower than like nodes: "));
  EXPECT_EQ(gpus_of_finding(report, slower_in({load, fma})), (std::vector<std::string>{"GPU1", "GPU3"}));
  EXPECT_TRUE(gpus_of_finding(report, slower_in({of_cpus})).empty());
  JudgedNode together = slower_in({fma, of_cpus});  // the median of both alone is surely slower
  together.again[0].confirmed = together.again[1].confirmed = false;
  together.again.push_back(slower_in({""}).again.front());
  together.again.back().all_together = true;
  EXPECT_TRUE(headline(report, together).starts_with("n0 is slower than like nodes: ")) << headline(report, together);
}

TEST(NodeReport, why_a_gpu_was_not_measured_again_is_told_by_its_failed_round) {
  Results results = like_nodes({"n0", "n1"});
  const std::string lost = "the GPU at 0001:65:00.0 does no more work in this run";
  results.outcomes = {{.case_id = "ceilings/gpu1/00/round=2",
                       .pass = "time",
                       .status = Status::failed,
                       .reason = lost,
                       .node = "n0",
                       .placement = R"({"ranks":[{"rank":1,"gpu":{"device":"GPU1"}}]})",
                       .session = "s"}};
  NodeReport report = judge_nodes(results, "x.h5", {});
  report.comparison.rows.resize(2);
  report.comparison.rows[0].key.what = report.comparison.rows[0].point = "ceiling/GPU1 FP64 FMA/fp64/r1t1";
  report.comparison.rows[1].key.what = report.comparison.rows[1].point = "ceiling/GPU2 FP64 FMA/fp64/r1t1";
  JudgedNode node;
  node.node = "n0";
  node.finding = NodeFinding::suspect;
  node.suspicious = {0};
  const std::string of_lost = headline(report, node);
  EXPECT_TRUE(of_lost.starts_with("GPU1 of n0 is not named: ") &&
              of_lost.ends_with("was not measured again: a round of GPU1 failed: " + lost))
      << of_lost;
  node.suspicious = {1};
  EXPECT_TRUE(headline(report, node).ends_with("and was not measured again")) << headline(report, node);
}

TEST(NodeReport, how_a_gpu_fared_while_it_measured_again_is_evidence_beside_the_like_one) {
  const auto fared = [](double celsius, const std::string& reasons) {
    return R"({"ranks":[{"rank":0,"cpus":[3],"gpu":{"device":"GPU1","name":"a GPU","pci":"0001:65:00.0","uuid":"GPU-2","conditions":{"before":{},)"
           R"("during":{"temperature_celsius":{"readings":2,"least":40,"mean":)" +
           std::to_string(celsius) + R"(,"most":90},"clock_event_reasons":[)" + reasons +
           R"(]},"after":{"temperature_celsius":{"value":1},"power_watts":{"value":300},"clock_event_reasons":{"value":"idle"}}}}}],"conditions":{}})";
  };
  Results results = like_nodes({"n0", "n1"});
  results.outcomes = {again("n0", fared(88, "\"heat (hardware)\"")), again("n1", fared(60, ""))};
  const auto lines = evidence_of(judge_nodes(results, "x.h5", {}), slower_in({"ceiling/GPU1 FP64 FMA/fp64/r1t1"}));
  const auto is_told = [&](const std::string& line) { return std::find(lines.begin(), lines.end(), line) != lines.end(); };
  EXPECT_TRUE(is_told("GPU1 is a GPU at 0001:65:00.0, GPU-2"));
  EXPECT_TRUE(is_told("GPU1: temperature 88.0 C (peers: 60.0)")) << "the mean while it measured, not what it was afterwards";
  EXPECT_TRUE(is_told("GPU1: power 300 W (peers: 300)")) << "where nothing was read meanwhile";
  EXPECT_TRUE(is_told("GPU1: what holds its clocks down: heat (hardware) (peers: none)"));
}

}  // namespace
}  // namespace plumbline::app
