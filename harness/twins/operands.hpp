// An x86-64 instruction is read as compilers write it, with its operands (AT&T syntax: sources first, the destination last).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::twins {

struct Instruction {
  std::string mnemonic;  // without prefixes
  std::vector<std::string> operands;
};

/// The width of a register in bytes; 0 where it is none of the kind.
unsigned vector_register_bytes(std::string_view operand);   // %zmm3{%k1} -> 64
unsigned general_register_bytes(std::string_view operand);  // %r9d -> 4

/// The name that all widths of a general register share: "r10" of %r10d, "ax" of %al; empty for %ah and what is no such register.
std::string whole_register(std::string_view operand);

/// Splits operands: "8(%rax,%rcx), %xmm0{%k1}" has two; commas inside parentheses and braces part nothing.
std::vector<std::string> operands_of(std::string_view text);

/// Whether the operand lies in memory: neither a constant nor a register. (A branch's target looks the same.)
bool is_memory(std::string_view operand);

/// The mask's name in an operand: "k1" of "%ymm0{%k1}{z}"; empty without a mask.
std::string mask_of(std::string_view operand);

/// The number of lanes that an operand is broadcast to: 8 of "(%rax){1to8}"; 0 where nothing is broadcast.
unsigned broadcast_to(std::string_view operand);

std::string_view trimmed(std::string_view text);

}  // namespace plumbline::twins
