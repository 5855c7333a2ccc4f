// An x86-64 instruction's text tells what it loads and stores: by the rules of the vendors' manuals, not by the emulator's decoder, which
// is held against it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "twins/masks.hpp"
#include "twins/operands.hpp"

namespace plumbline::twins {

/// Parses a statement that is neither a label nor a directive.
Instruction parsed(std::string_view statement);

/// The bytes that an execution moves between registers and memory. `known` is false where the text does not tell them: a mask, a
/// repetition, an instruction that no rule here names.
struct Access {
  std::uint32_t load = 0, store = 0, nt_store = 0;
  bool known = true;
  bool operator==(const Access&) const = default;
};

/// The access of an instruction; a call's own is that of its return address.
Access access_of(const Instruction& instruction, const KnownMasks& masks);

/// Whether the instruction may leave the straight run: a jump or a return, not a call.
bool ends_block(const Instruction& instruction);
/// The function or label that a jump or a call names; empty where it is none or goes through a register or memory.
std::string target_of(const Instruction& instruction);
bool is_call(const Instruction& instruction);

}  // namespace plumbline::twins
