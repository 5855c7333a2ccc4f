// A core could do so much in a clock cycle at most, by its vendor's documents: the yardstick of measured ceilings.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/core_pipes.hpp"

namespace plumbline {

/// The core's identity, as machine/cpu.hpp tells it.
struct CoreIdentity {
  std::string vendor = {};    // "AuthenticAMD", "GenuineIntel", "implementer 0x41"
  int family = 0, model = 0;  // x86: extended parts added; 0 elsewhere
  std::string name = {};      // elsewhere "part 0xd40"
  int stepping = 0;
};

/// The CPU model in a word: "AuthenticAMD 25/17", "implementer 0x41 part 0xd40".
std::string machine_word(const CoreIdentity& core);

/// A limit a clock cycle, and the document that says so.
struct CoreLimit {
  double per_clock = 0;  // FLOP, or bytes, a cycle of one core
  std::string source;    // core and document
  std::string remark;    // what of it may not be there in every model of the core; may be empty
};

/// Whether a vendor's document is known for it; else its limits are inferred from what it shows (model/ceilings/inferred_limits.hpp).
bool is_known_core(const CoreIdentity& core);

/// The bytes of a vector register of an instruction set, whatever else its word says: 32 for "v3", 64 for "v4" and "v4fp16".
double vector_bytes(std::string_view isa);

/// The limit of arithmetic of `pattern` ("fma", "mul+add", "scalar add", "dot", ...) in flavors of `isa`; matrix tiles for precisions
/// "tensor.TYPE". Nothing where the core is not in the table.
std::optional<CoreLimit> arithmetic_limit(const CoreIdentity& core, std::string_view isa, std::string_view precision,
                                          std::string_view pattern);
/// The limit of algorithmic bytes of `pattern` ("load", "triad", ...) from L1, or of loads from L2, with the core's widest vectors. Nothing
/// for other levels, whose clocks are not the core's.
std::optional<CoreLimit> bandwidth_limit(const CoreIdentity& core, std::string_view level, std::string_view pattern);
/// The instructions that a core takes up in a clock cycle at most, whatever they do (its dispatch or rename width). Nothing where the core
/// is not in the table.
std::optional<CoreLimit> issue_limit(const CoreIdentity& core);
/// The core for the emulator to simulate, with instructions of at most 32 bytes. Nothing where the core is not in the table.
std::optional<CorePipes> core_pipes(const CoreIdentity& core);

}  // namespace plumbline
