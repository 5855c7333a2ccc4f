// A program run under the emulator: what it is started with, and how it ended.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline {

struct ToolCommand {
  std::filesystem::path valgrind, tool_directory;
  std::vector<std::string> tool_options;  // the caches
  std::filesystem::path out, log;         // with %p for the process's number
  std::vector<std::string> program;       // and its arguments
};

struct ToolEnding {
  int process = 0;  // its number
  int signal = 0;   // that killed it; 0: it exited
  int code = 0;     // its exit code, or 128 + signal as shells have it
};

/// Starts the program with this process's descriptors and environment (so a launcher's PMI reaches it), passes signals on to it,
/// and waits. Processes that it starts are counted too. Throws Error (I/O) when nothing could be started.
ToolEnding run_under_tool(const ToolCommand& command);

}  // namespace plumbline
