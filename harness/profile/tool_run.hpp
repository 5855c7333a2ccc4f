// A program is run under the emulator.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "profile/program_run.hpp"

namespace plumbline {

struct ToolCommand {
  std::filesystem::path valgrind, tool_directory;
  std::vector<std::string> tool_options;  // the caches, and whether loops are told apart
  std::filesystem::path out, log;         // with %p for the process's number
  std::vector<std::string> program;       // and its arguments
  StandardStreams streams = {};
};

/// Runs the program as run_program() does, under the emulator; processes that it starts are counted too.
ProgramEnding run_under_tool(const ToolCommand& command);

}  // namespace plumbline
