// Jobs on like nodes that were never run: how often a node is named that is like its peers, and one that is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simulated_job.hpp"

namespace {

using namespace plumbline;

struct Tally {
  int named = 0, wrongly = 0, suspected = 0;
};

Tally tally(int jobs, std::size_t nodes, std::size_t cases, const Slow& slow, double noise = 0.02) {
  Tally sum;
  for (int seed = 0; seed < jobs; ++seed) {
    const auto comparison = Job(static_cast<unsigned>(seed), nodes, cases, noise).run(slow);
    for (const auto& node : comparison.nodes) {
      sum.suspected += node.finding != NodeFinding::alike;
      if (node.finding != NodeFinding::slower && node.finding != NodeFinding::differs) continue;
      ++(node.node == slow.node ? sum.named : sum.wrongly);
    }
  }
  return sum;
}

TEST(Nodes, a_node_like_its_peers_is_named_no_more_often_than_stated) {
  for (const std::size_t nodes : {2U, 3U, 4U, 16U}) {
    const Tally sum = tally(100, nodes, 8, {});
    RecordProperty("suspected_of_" + std::to_string(nodes), sum.suspected);
    RecordProperty("named_of_" + std::to_string(nodes), sum.wrongly);
    EXPECT_LE(sum.wrongly, 100 * 0.05 + 3 * std::sqrt(100 * 0.05)) << nodes << " nodes";
  }
}

TEST(Nodes, noise_that_is_great_makes_nobody_worse) {
  const Tally sum = tally(100, 4, 8, {}, 0.10);
  RecordProperty("suspected", sum.suspected);
  EXPECT_LE(sum.wrongly, 100 * 0.05 + 3 * std::sqrt(100 * 0.05));
}

TEST(Nodes, a_node_that_is_20_percent_slower_is_named_and_nobody_else) {
  for (const std::size_t nodes : {3U, 4U, 16U}) {
    const Tally sum = tally(100, nodes, 8, {.node = "nodeB", .part = 0.20});
    RecordProperty("named_of_" + std::to_string(nodes), sum.named);
    EXPECT_GE(sum.named, 95) << nodes << " nodes";
    EXPECT_LE(sum.wrongly, 12) << nodes << " nodes";
  }
}

TEST(Nodes, more_is_named_the_slower_a_node_is) {
  int last = 0;
  for (const int percent : {5, 10, 20}) {
    const Tally all = tally(100, 4, 8, {.node = "nodeC", .part = percent / 100.0}),
                one = tally(100, 4, 8, {.node = "nodeC", .part = percent / 100.0, .what = "case3"});
    RecordProperty("node_" + std::to_string(percent), all.named);
    RecordProperty("case_" + std::to_string(percent), one.named);
    EXPECT_GE(all.named, last) << percent;
    last = all.named;
  }
  EXPECT_GE(last, 95);
}

/// The number of nodes that are said to be slower in 100 jobs, of whose nodes the first ones are faster.
int named_beside_fast_ones(std::size_t nodes, std::size_t fast) {
  std::set<std::string> present;
  for (std::size_t n = 0; n < nodes; ++n) present.insert(Job::node_name(n));
  const auto is_fast = [&](const std::string& node) { return node < Job::node_name(fast); };
  std::ptrdiff_t named = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Job job(seed, nodes, 8);
    Side side = job.measure({});
    for (auto& one : side.observations)
      for (auto& seconds : one.sessions.front()) seconds *= is_fast(one.key.node) ? 0.83 : 1;
    auto again = job.measure_again(plan_remeasuring(compare_nodes(side, {}, {}), present), {});
    for (auto& row : again) row.seconds *= is_fast(row.node) ? 0.83 : 1;
    const auto judged = compare_nodes(side, again, {});
    named += std::count_if(judged.nodes.begin(), judged.nodes.end(), [](const auto& node) { return node.finding == NodeFinding::slower; });
  }
  return static_cast<int>(named);
}

TEST(Nodes, one_that_is_faster_makes_the_others_no_worse) {
  EXPECT_LE(named_beside_fast_ones(3, 1), 5);
  EXPECT_LE(named_beside_fast_ones(4, 2), 5);
}

}  // namespace
