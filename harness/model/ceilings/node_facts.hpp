// The facts of a node that placing and fitting have to know: its caches, its cores, and what of it the run had.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/ceilings/core_limits.hpp"

namespace plumbline {

/// One cache of a node as the topology tells it.
struct CacheSize {
  int level = 1;
  std::uint64_t bytes = 0;
  std::int64_t shared_by_cpus = 1;
  std::int64_t ways = 0;  // 0: not known
};

struct NodeFacts {
  std::string node = {};
  std::vector<CacheSize> caches = {};  // data and unified caches, from the core outwards; may be empty
  std::int64_t cpus_per_core = 1;      // hardware threads
  std::int64_t numa_domains = 1;
  std::string part = {};  // "64 of 128 cores": what the run had of it; empty: all
  CoreIdentity core = {};
};

/// Capacity of a level for a team whose workers sit on cores of their own, in bytes.
std::uint64_t team_capacity(const NodeFacts& node, const CacheSize& cache, std::int64_t workers);

}  // namespace plumbline
