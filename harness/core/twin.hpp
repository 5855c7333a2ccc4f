// Flavored loops have counted twins: the same instructions with a count at the head of each straight run of them, from which the bytes that
// a sweep loads and stores follow exactly. They are written by the build (harness/twins) from the assembly that the timed object is
// assembled from.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/flavor.hpp"
#include "core/work.hpp"

namespace plumbline {

/// A straight run of instructions, entered at its first and left at its last: what one execution moves between registers and memory. The
/// layout is that of the assembly which harness/twins/rewriting.cpp writes.
struct Block {
  std::uint32_t load_bytes, store_bytes, nt_store_bytes, unused;
  const char* unknown;  // the instruction whose bytes the code does not tell; null where all are known
};

/// The blocks of one flavored object, and how often each was entered since somebody set that to 0.
struct BlockTable {
  std::uint64_t blocks;
  std::uint64_t* executions;
  const Block* block;
};

/// A flavor's sweep and its twin. A twin does to its data what the sweep does; only one thread may be in the twins of one table at a time.
struct Twin {
  Sweep timed, counted;
  const BlockTable* table;
};

/// Finds the twin of a sweep; nullptr for one that has none: a library's, or a build for a machine whose assembly harness/twins cannot
/// read.
const Twin* find_twin(Sweep timed);

/// A sweep of more operations and references than this is not run in its twin: counted one at a time, without optimization, they would take
/// more than some ten seconds.
inline constexpr std::uint64_t most_twin_work = 4'000'000'000;
/// The operations and references of the arithmetic as written, added up.
std::uint64_t twin_work(const Work& work);

/// Makes twins known; an object of it lies in the file that registers the kernel.
struct RegisterTwins {
  explicit RegisterTwins(std::span<const Twin> twins);
};

/// The bytes that the core loads and stores.
struct References {
  std::uint64_t load = 0, store = 0, nt_store = 0;
  References& operator+=(const References& x) {
    load += x.load, store += x.store, nt_store += x.nt_store;
    return *this;
  }
  bool operator==(const References&) const = default;
};

/// The prefix of a quantity's name in /model that says that the amount is what the machine code executes ("executed.bytes.reg-L1.load");
/// the plain name is the references of the arithmetic as written.
inline constexpr std::string_view executed_prefix = "executed.";
/// The counts executed.bytes.reg-L1 and its flows load, store and nt_store.
Counts executed_counts(const References& references);

/// Sets the executions of all blocks to 0.
void forget_executions(const BlockTable& table);
/// The sum over all blocks of executions times bytes; nullopt where one that was entered has an unknown instruction, which `why` then
/// names.
std::optional<References> executed_references(const BlockTable& table, std::string& why);

}  // namespace plumbline
