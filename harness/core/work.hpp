// The work of one sweep follows from arithmetic: exact operations, and data streams from which every boundary's traffic follows once the
// cache sizes are known (core/flows.hpp).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plumbline {

/// An exact amount (lo == hi) or the interval in which caches may put it. Units: operations or bytes per sweep.
struct Amount {
  std::uint64_t lo = 0, hi = 0;
  constexpr Amount() = default;
  constexpr Amount(std::uint64_t exact) : lo(exact), hi(exact) {}
  constexpr Amount(std::uint64_t from, std::uint64_t to) : lo(from), hi(to) {}
  constexpr bool exact() const { return lo == hi; }
  constexpr Amount& operator+=(Amount x) { return lo += x.lo, hi += x.hi, *this; }
  friend constexpr Amount operator+(Amount x, Amount y) { return x += y; }
  friend constexpr Amount operator*(std::uint64_t k, Amount x) { return {k * x.lo, k * x.hi}; }
  constexpr bool operator==(const Amount&) const = default;
};

/// Amounts per sweep by quantity name of the contract ("flops.fp64.add", "bytes.L1-L2.rfo").
using Counts = std::map<std::string, Amount, std::less<>>;

/// One array as one sweep sees it.
struct Stream {
  /// A working set that must stay cached for reuse to be caught, and what the stream costs when it does not
  /// (a layer condition: three planes of a 3-D stencil, the whole of B in a naive matrix product).
  struct Layer {
    std::uint64_t reuse_bytes;    // bytes touched between an element's first and last use, all streams together
    std::uint64_t fetched_bytes;  // bytes that cross a boundary in one sweep when a smaller cache breaks the reuse
    bool upper_bound = false;     // fetched_bytes is only the most that may cross
  };

  std::string array = {};
  std::uint64_t footprint_bytes = 0;  // distinct bytes touched in one sweep, by the whole team
  bool read = false;                  // its old values are needed
  bool written = false;
  std::uint64_t loads = 0, stores = 0;  // elements the core loads and stores: the register-L1 references of the arithmetic as written
  std::uint64_t element_bytes = 0;
  std::vector<Layer> layers = {};   // growing reuse_bytes; empty: every line is fetched once
  std::uint64_t touched_bytes = 0;  // what one sweep touches of it and the next one goes on from; 0: all of it
  bool non_temporal = false;        // stores bypass the caches
  bool shared = false;              // every thread of a team touches all of it (else the team divides it)
  bool per_thread = false;          // every thread has one of its own, of this size
  bool pooled = false;              // a thread of a team takes any that is free, perhaps one that none had in the sweep before
  bool either_way = false;          // lines are loaded and stored, which of it first is open: each comes in by a load or by a store
  // Members that only GPUs need:
  std::uint64_t straddles = 0;  // sectors that two warps share, or that one touches in part: each may move once more
  bool past_L1 = false;         // every load and store goes on to L2 (ld.cg)
  bool scratchpad = false;      // in shared memory: crosses reg-shared alone
  bool at_most = false;         // loads and stores are the most that there may be: how it is read and written is a library's choice
  enum class Memory { own, host, peer };
  Memory memory = Memory::own;  // where it lies: past L2 the host's crosses host-dev, a peer's a link that has no name here
  bool copied = false;          // by the runtime's copy: by a copy engine, which no multiprocessor sees, or by loads and stores
};

/// The exact work of one sweep. Flops hold "flops.PRECISION.KIND" as implemented (an fma may be declared as one add and one mul: it is
/// judged on the total, where an fma weighs 2).
struct Work {
  Counts flops = {};
  std::vector<Stream> streams = {};
  Counts paper = {};      // "paper.flops", "paper.bytes": the source's own convention, where it has one
  std::string note = {};  // declared terms beyond the textbook form (library kernels, per-flavor arithmetic)

  /// Adds an outer loop that is entered so often, with so many bytes touched inside: where they overflow a cache, the lines of the loop's
  /// own variables (stack, arguments; more of them without optimization) may be fetched and written anew each time.
  void add_outer_loop(std::uint64_t entries, std::uint64_t bytes_inside);
};

/// The sum over a precision's kinds with fma = 2, e.g. total_flops(work.flops, "fp64"). Zero when the precision does not occur.
Amount total_flops(const Counts& counts, std::string_view precision);
/// The sum over all precisions, fma = 2.
Amount total_flops(const Counts& counts);
/// The sum over all flows of a boundary, e.g. total_bytes(counts, "L1-L2").
Amount total_bytes(const Counts& counts, std::string_view boundary);

/// The working set, in bytes: the data that one sweep of a rank with so many threads touches. At least those that each sweep surely touches
/// anew, at most all.
Amount working_set(const Work& work, int threads);

}  // namespace plumbline
