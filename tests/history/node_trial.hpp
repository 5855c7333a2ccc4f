// Jobs on like nodes of which some are slower, and what `nodes` says of them counted.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/nodes/node_report.hpp"
#include "simulated_nights.hpp"

namespace plumbline::test {

struct NodeKind {
  std::string name = {};
  std::size_t nodes = 4, slow_nodes = 0;
  double slowdown = 1;
  std::string word = {};                 // of the rows that are slower; "one": a case; empty: all
  bool can_be_named = false;             // by the other nodes, if it is seen at all
  double noise = 0.02, correlation = 0;  // of a turn of measuring again, and beside the turn before
  simulated::Host host = {};
};
const std::vector<NodeKind>& node_kinds();

/// A job's result, measured again where `nodes` would have it.
struct Job {
  Results results = {};
  std::set<std::string> slow = {};       // nodes
  std::set<std::string> slow_rows = {};  // cases and ceilings on them
};
Job job_of(const NodeKind& kind, std::uint64_t seed);

struct NodeCount {
  std::string kind = {};
  int jobs = 0;
  int accused = 0;               // jobs in which a node is SLOWER that is not, or that nobody can know to be
  int slow = 0;                  // slow nodes that can be named, over all jobs
  int suspected = 0, found = 0;  // of them
  int named = 0;                 // of those found: with a slow row, or all together, as what is slower
  int wrong_factor = 0;          // of those found: an interval misses how much slower it is
  std::string example = {};      // of a false accusation
};
std::vector<NodeCount> count_jobs(std::span<const NodeKind> kinds, std::uint64_t first, std::uint64_t last);

}  // namespace plumbline::test
