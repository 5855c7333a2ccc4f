// The emulator's log of a program's run is read for what a user must know.
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

/// An end that Valgrind, or the tool, came to by itself, and the program with it.
struct ToolFailure {
  std::string reason;  // "disInstr_AMD64: ..."; empty: it did not fail
  std::string place;   // where the program was
};

struct ToolLog {
  ToolFailure failure;
  std::vector<UnknownInstruction> unknown;
  std::vector<std::string> remarks;  // other lines, without the numbers of processes, each once
};

ToolLog read_tool_log(const std::string& text);

/// Explains the finding in one line: what, where and what to do.
std::string explain(const UnknownInstruction& instruction);
std::string explain(const ToolFailure& failure);

}  // namespace plumbline
