// A job on like nodes is simulated: measured, what is suspicious measured again, and judged.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/comparing/node_comparison.hpp"
#include "model/comparing/node_remeasuring.hpp"

namespace plumbline {

struct Slow {
  std::string node = {};
  double part = 0;        // 0.2: takes 20 % longer
  std::string what = {};  // this alone; empty: everything
};

/// Nodes of one kind. Samples have heavy tails, and all that is measured next to each other wanders together now and then.
class Job {
 public:
  Job(unsigned seed, std::size_t nodes, std::size_t cases, double noise = 0.02)
      : random_(seed), nodes_(nodes), cases_(cases), noise_(noise) {}

  static std::string node_name(std::size_t i) { return "node" + std::string(1, static_cast<char>('A' + i)); }
  static std::string case_name(std::size_t i) { return "case" + std::to_string(i); }

  Side measure(const Slow& slow) {
    Side side;
    for (std::size_t n = 0; n < nodes_; ++n) side.machines[node_name(n)] = "kind";
    for (std::size_t c = 0; c < cases_; ++c)
      for (std::size_t n = 0; n < nodes_; ++n) {
        Observation one{.key = {case_name(c), node_name(n)}, .row_class = c % 2 == 0 ? "compute" : "mem", .unit = "seconds"};
        const double while_measured = noise_ / 2 * normal_(random_);
        one.sessions.emplace_back();
        for (int repetition = 0; repetition < 5; ++repetition)
          one.sessions.front().push_back(seconds(c, n, slow) * std::exp(while_measured));
        side.observations.push_back(std::move(one));
      }
    return side;
  }

  std::vector<RemeasuredRow> measure_again(const std::vector<RemeasuringGroup>& groups, const Slow& slow, int turns = 9) {
    std::vector<RemeasuredRow> rows;
    for (const auto& group : groups)
      for (int turn = 0; turn < turns; ++turn)
        for (const auto& id : group.cases) {
          const double together = noise_ * normal_(random_);
          for (const auto& node : group.nodes())
            for (int repetition = 0; repetition < 3; ++repetition)
              rows.push_back(
                  {.case_id = id,
                   .node = node,
                   .session = "s",
                   .turn = turn,
                   .repetition = repetition,
                   .seconds = std::exp(together) * seconds(std::stoul(id.substr(4)), static_cast<std::size_t>(node[4] - 'A'), slow)});
        }
    return rows;
  }

  /// A whole job: measured, what is suspicious measured again, judged.
  NodeComparison run(const Slow& slow) {
    const Side side = measure(slow);
    const NodeComparison first = compare_nodes(side, {}, {});
    std::set<std::string> present;
    for (std::size_t n = 0; n < nodes_; ++n) present.insert(node_name(n));
    return compare_nodes(side, measure_again(plan_remeasuring(first, present), slow), {});
  }

 private:
  double seconds(std::size_t which, std::size_t node, const Slow& slow) {
    const bool is_slow = slow.node == node_name(node) && (slow.what.empty() || slow.what == case_name(which));
    return 1e-6 * static_cast<double>(which + 1) * (is_slow ? 1 + slow.part : 1) * std::exp(noise_ * heavy_(random_));
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> heavy_{4};
  std::size_t nodes_, cases_;
  double noise_;
};

inline const JudgedNode& node_of(const NodeComparison& comparison, const std::string& name) {
  return *std::find_if(comparison.nodes.begin(), comparison.nodes.end(), [&](const auto& node) { return node.node == name; });
}

}  // namespace plumbline
