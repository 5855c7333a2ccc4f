// The flows across every boundary follow, as intervals, from a kernel's streams and a machine's caches.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/work.hpp"

namespace plumbline {

/// A cache's policy says what it does with a store, and who shares it. The default is a CPU's: it fetches a line to write into it, and
/// writes it back when the line is pushed out.
struct CachePolicy {
  bool writes_through = false;   // a store goes on at once and leaves nothing behind
  bool fetches_to_write = true;  // a store that misses fetches its line first (rfo); else what is written whole fetches nothing
  bool empty_at_start = false;   // of each sweep
  bool in_any_order = false;     // the blocks of a GPU pass it, many at once, in an order of their own
  std::uint32_t copies = 1;      // places in which it may hold the same line
};
/// The policy of a GPU's L1: one a multiprocessor, emptied at each launch.
inline constexpr CachePolicy gpu_L1_policy{.writes_through = true, .fetches_to_write = false, .empty_at_start = true, .in_any_order = true};
/// The policy of a GPU's L2, whose two halves may both hold what multiprocessors of both sides read.
inline constexpr CachePolicy gpu_L2_policy{.fetches_to_write = false, .in_any_order = true, .copies = 2};

/// One level of cache as one thread of a team sees it.
struct CacheLevel {
  std::string name;  // "L1", "L2", "L3"
  std::uint64_t bytes = 0;
  std::uint32_t ways = 0;         // associativity; 0: unknown
  std::uint32_t line_bytes = 64;  // what a miss moves: of a GPU's caches a sector of 32 bytes
  bool shared = false;            // by all threads of the team (L3); else one for each thread
  CachePolicy policy = {};
};

/// The bytes of one of `parts` equal parts of a cache, each of a whole number of its sets (lines, where its ways are not known).
std::uint64_t part_of(const CacheLevel& cache, int parts);

/// Cache lines a thread by which a flow's interval is widened on either side, for stack, constants and the harness's own data.
inline constexpr std::uint64_t slack_lines_per_thread = 48;
/// The number of flows of a boundary that are widened so: demand_read, rfo, write_back.
inline constexpr std::uint64_t slackened_flows = 3;

/// The expected counts of one sweep in steady state (one warm sweep before), caches with LRU replacement and their policies: FLOPs,
/// register-L1 references and the flows of the boundaries L1-L2, L2-L3, L3-mem ("bytes.L1-L2.demand_read", ...). They are exact where no
/// cache decides; else [compulsory, layer condition broken]. `caches` are listed from the core outwards; a level that is missing is left
/// out, and so is its boundary. For a GPU (boundaries L1-L2 and L2-mem, bytes.reg-shared beside reg-L1, and bytes.host-dev: demand_read
/// from the host, write_back to it) `threads` is 1. The totals "flops.fp64", "bytes.L1-L2", ... and Work::paper are included.
Counts expected_counts(const Work& work, std::span<const CacheLevel> caches, int threads);

struct ApplicationWork;
struct Phase;
/// The expected counts of a phase in one sweep of its application, all its entries together. Each finds the caches as the phases before
/// left them: where the application's data surely stay in a cache nothing moves; else a cache may still hold what the phase needs, and
/// dirty lines of others that the phase then writes back. So each flow's interval is open by the size of the cache, once an entry. Beside
/// them "exchange.messages" and "exchange.bytes", what a rank sends. A phase that is the host's finds `host_caches` instead, and is done by
/// `host_threads`; one that copies between the device and the host has their bytes across host-dev, exactly.
Counts expected_counts(const ApplicationWork& application, const Phase& phase, std::span<const CacheLevel> caches, int threads,
                       std::span<const CacheLevel> host_caches = {}, int host_threads = 1);
/// The sums over all phases of an application. Where some are the host's, boundaries of two hierarchies do not add up: of bytes the sum
/// then has those across host-dev alone.
Counts expected_counts(const ApplicationWork& application, std::span<const CacheLevel> caches, int threads,
                       std::span<const CacheLevel> host_caches = {}, int host_threads = 1);

}  // namespace plumbline
