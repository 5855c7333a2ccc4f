// Flavors are the compiled forms of a kernel's loop. What reads their names, or runs one, needs no more of a kernel than stands here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// One compiled form of a loop: sweeps [begin, end) of the index range over a workload's arguments.
using Sweep = void (*)(const void* arguments, std::size_t begin, std::size_t end);

/// A flavor is one way in which a kernel's loop was compiled, in one precision.
struct Flavor {
  std::string_view name;       // "gcc12-O3-v3", "asm-avx512", "lib-openblas"
  std::string_view precision;  // "fp64"
  Sweep sweep;
};

/// The parts of a flavor's name: asm-avx512 has only the first two, a library (lib-openblas) has none, for it was not compiled here.
struct FlavorName {
  std::string compiler, level, isa;
};
FlavorName split_flavor(std::string_view name);
/// The vector registers of an ISA ("v3", "v4bf16", "neon", "sve256"): how long each is, and how many there are (as ert/lanes.hpp has them).
struct VectorRegisters {
  std::uint64_t bytes, count;
};
VectorRegisters vector_registers(std::string_view isa);
/// Whether the flavor is a library's code, which was not compiled here ("lib-openblas") and chooses by itself what it runs on.
bool is_library(std::string_view flavor);

/// A flavor that a kernel could have but has not here, and why.
struct AbsentFlavor {
  std::string name, reason;
};

/// The processor that a kernel's loop runs on. Kernels of one name do the same work in their spaces, and their measurements share a work
/// id.
enum class Space { cpu, cuda };

/// The bytes of one element: fp64 8, fp32 and tf32 4, fp16 and bf16 2, int8 1. Throws std::invalid_argument for another word.
std::size_t precision_bytes(std::string_view precision);

}  // namespace plumbline
