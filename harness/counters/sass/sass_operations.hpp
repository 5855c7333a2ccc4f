// Single instructions of a GPU's machine code are counted as operations and accesses.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "counters/sass/sass.hpp"

namespace plumbline {

struct SassArithmetic {
  std::string kind = {};         // "flops.fp64.fma"; of tensor cores "flops.tensor.fp16"; empty: of none that is counted
  std::uint64_t operations = 0;  // a thread's: an FMA is one, of tensor cores a multiplication and an addition are two
};
/// The arithmetic of an instruction; nothing where it is none of the program's.
std::optional<SassArithmetic> arithmetic_of(const SassInstruction& one);

struct SassAccess {
  const char *instructions = nullptr, *bytes = nullptr;  // SassCounts::accesses; null: of none that is counted
  std::uint64_t width = 0;                               // bytes of a thread
};
/// The access of an instruction; nothing where it is none. Reductions of integers are neither loads nor stores.
std::optional<SassAccess> access_of(const SassInstruction& one);

/// Whether the instruction computes or accesses memory, and not only to measure the clock.
bool matters(const SassInstruction& one);

/// Whether the way of a thread from here on is not in the code itself.
bool goes_elsewhere(const SassInstruction& one);

}  // namespace plumbline
