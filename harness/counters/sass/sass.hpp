// A GPU's machine code is read off its disassembly (SASS, as nvdisasm -c prints it): loops, and how often one thread executes each
// instruction where the trips of the loops are known. It counts code, not hardware: a witness where counters are refused, itself unproved.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct SassInstruction {
  std::string guard = {};     // "@!P0"; empty: always
  std::string opcode = {};    // "LDG.E.64"
  std::string operands = {};  // "R4, desc[UR6][R4.64]"
  std::size_t target = none;  // of a branch, by index
  bool of_integers = false;   // divides them: by a reciprocal, or by a call of the compiler's own code for 64 bits
  bool is_estimate = false;   // of a reciprocal, where Newton steps begin: what is computed are their FMAs
  bool of_the_clock = false;  // stores what a clock showed: one thread of a launch does (cuda/clock_span.cuh)
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::string_view stem() const;  // the opcode up to its first dot
  bool is_branch() const;         // also a call of a label of the same code, which sm_80 takes for a long jump
  bool ends() const;              // nothing behind it is reached from it
};

/// A loop, from its header to the branch back to it, both included, by index.
struct SassLoop {
  std::size_t first = 0, last = 0;
};

struct SassFunction {
  std::string name = {};  // mangled
  std::vector<SassInstruction> instructions = {};
  std::vector<SassLoop> loops = {};  // by header; those that nothing reaches (the trap behind the end) are left out

  /// The opcodes of a loop's instructions, in order: what a kernel's hot loop is held against.
  std::vector<std::string> body(const SassLoop& loop) const;
};

/// Reads all functions of the text. A line that is no instruction, label or directive is Error (io), with its number.
std::vector<SassFunction> read_sass(std::string_view text);

/// The counts by kinds as in the contract ("flops.fp64.fma" counts FMAs, "flops.tensor.fp16" multiplications and additions), packed
/// instructions by their two operations (one where an instruction on halves computes the same number twice).
struct SassCounts {
  std::map<std::string, std::uint64_t> flops = {};
  /// The accesses of global memory "loads", "stores" (instructions) and "bytes.reg-L1.load", "bytes.reg-L1.store", of shared memory
  /// "shared_loads", "shared_stores" and "bytes.reg-shared.load", "bytes.reg-shared.store".
  std::map<std::string, std::uint64_t> accesses = {};
  std::map<std::string, std::uint64_t> opcodes = {};  // by the word before the first dot
  std::string uncounted_arithmetic = {};              // an opcode that was executed and is in none of flops ("MUFU.RCP")
  std::string uncounted_access = {};                  // and one in none of accesses ("REDG.E.ADD")
  std::string refusal = {};                           // why nothing is said; the counts are then empty
};

/// The knowledge of the guards (predicates, branches) around what is counted.
enum class SassGuards {
  may_part,    // nothing: threads may part ways there
  let_through  // they let each thread that has work do all of it
};

/// The executions of a kernel, of all threads together.
struct SassExecutions {
  std::uint64_t threads = 1;              // that have work
  std::vector<std::uint64_t> loops = {};  // each one's trips, in their order; of a loop within a loop in all trips of the outer one
  bool alike = true;                      // every thread has the same trips
};
/// The executions by threads with these trips of each loop, of a loop within a loop in one trip of the outer one.
SassExecutions executions(const SassFunction& function, std::uint64_t threads, std::span<const std::uint64_t> trips);

/// Counts what threads execute that have work. Where guards may part the threads it is refused with the reason wherever that would change
/// what is counted: arithmetic under a predicate, a branch that may leave arithmetic or memory accesses out (but for the guard of a loop,
/// and the exit of threads that have no work, ahead of all arithmetic, or nothing more to do), a call, a jump through a register, or
/// another number of loops. Where they let through it is the fullest path (counters/sass/sass_path.hpp) without the loops that have no
/// trip.
SassCounts executed(const SassFunction& function, const SassExecutions& times, SassGuards guards);

/// Counts what one thread executes.
SassCounts executed_by_a_thread(const SassFunction& function, std::span<const std::uint64_t> trips,
                                SassGuards guards = SassGuards::may_part);

}  // namespace plumbline
