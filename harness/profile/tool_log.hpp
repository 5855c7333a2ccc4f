// What the emulator said while it ran a program: read for what a user must know.
#pragma once
#include <string>
#include <vector>

namespace plumbline {

/// An instruction that the emulator does not know.
struct UnknownInstruction {
  std::string bytes;  // "0x62 0xF1 ..."; empty: not even the beginning of an instruction (a trap of the program's own)
  std::string place;  // "wide (kernel.c:12)"
  bool avx512 = false;
};

struct ToolLog {
  std::vector<UnknownInstruction> unknown;
  std::vector<std::string> remarks;  // other lines, without the numbers of processes, each once
};

ToolLog read_tool_log(const std::string& text);

/// One line: what, where and what to do.
std::string explain(const UnknownInstruction& instruction);

}  // namespace plumbline
