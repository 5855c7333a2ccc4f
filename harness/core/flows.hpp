// From a kernel's streams and a machine's caches to the interval of every flow across every boundary.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/work.hpp"

namespace plumbline {

/// One level of cache as one thread of a team sees it.
struct CacheLevel {
  std::string name;             // "L1", "L2", "L3"
  std::uint64_t bytes = 0;
  std::uint32_t ways = 0;       // associativity; 0: unknown
  std::uint32_t line_bytes = 64;
  bool shared = false;          // by all threads of the team (L3); else one for each thread
};

/// Bytes of one of `parts` equal parts of a cache, each of a whole number of its sets (lines, where its ways are not known).
std::uint64_t part_of(const CacheLevel& cache, int parts);

/// Lines a thread that a flow's interval leaves to either side for stack, constants and the harness's own.
inline constexpr std::uint64_t slack_lines_per_thread = 48;
/// Flows of a boundary that have this slack: demand_read, rfo, write_back.
inline constexpr std::uint64_t slackened_flows = 3;

/// FLOPs, register-L1 references and the flows of the boundaries L1-L2, L2-L3, L3-mem ("bytes.L1-L2.demand_read", ...) of one
/// sweep in steady state (one warm sweep before), write-back and write-allocate caches with LRU replacement. Exact where no
/// cache decides; else [compulsory, layer condition broken]. `caches` from the core outwards; a level that is missing is
/// left out, and so is its boundary. The totals "flops.fp64", "bytes.L1-L2", ... and Work::paper are included.
Counts expected_counts(const Work& work, std::span<const CacheLevel> caches, int threads);

}  // namespace plumbline
