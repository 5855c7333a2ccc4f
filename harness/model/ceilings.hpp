// Attainable ceilings from the samples of a run: FLOP/s by kind of arithmetic, bytes/s by level of memory.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// One cache of a node as the topology tells it.
struct CacheSize {
  int level = 1;
  std::uint64_t bytes = 0;
  std::int64_t shared_by_cpus = 1;
};

/// What placing and fitting need to know of a node.
struct NodeFacts {
  std::string node = {};
  std::vector<CacheSize> caches = {};  // data and unified caches, from the core outwards; may be empty
  std::int64_t cpus_per_core = 1;      // hardware threads
  std::int64_t numa_domains = 1;
};

struct Ceiling {
  std::string name = {}, precision = {}, level = {}, pattern = {};  // level: compute, L1, L2, ..., mem
  std::int64_t ranks = 1, threads = 1;
  std::string node = {};
  double value = absent;  // the rate to draw: the best sample; for a level of memory that of the working set with the best median
  std::string unit = {};  // GFLOP/s, GB/s
  double min = absent, median = absent, max = absent, cv = absent;
  std::size_t n = 0;
  std::string method = {};
  double traffic_gbs = absent;  // memory levels: the rate in bytes that cross the boundary towards the core, fills for stores included
  double size_bytes = absent;   // memory levels: how far the plateau reaches, by measurement; for mem the working set it was measured with
  Status status = Status::ok;
  std::string reason = {};

  bool is_compute() const { return level == "compute"; }
};

/// One ceiling for each group of samples (level compute or a memory level) and one for each level and pattern of each bandwidth
/// sweep (level "sweep"). A level that nothing was measured of is there with its status and reason.
std::vector<Ceiling> fit_ceilings(std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes);

/// Spread above which a run was disturbed: coefficient of variation by level ("compute", "L1", "L2", "L3", "mem").
double quiet_cv(const std::string& level);

/// Capacity of a level for a team whose workers sit on cores of their own, in bytes.
std::uint64_t team_capacity(const NodeFacts& node, const CacheSize& cache, std::int64_t workers);

}  // namespace plumbline
