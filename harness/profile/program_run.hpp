// A program is run as the user would have it; here is what it is started with, and how it ended.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline {

struct SetVariable {
  std::string name, value;
  bool replaces = true;  // false: what the user has set stays
};

/// Files in place of the standard streams; empty: this process's own.
struct StandardStreams {
  std::string input = {}, output = {}, errors = {};
  std::int64_t input_begin = 0;  // the place in that file where the program begins to read
};

struct ProgramRun {
  std::filesystem::path file;
  std::vector<std::string> words;  // the first is the program's name for itself
  std::vector<SetVariable> environment = {};
  StandardStreams streams = {};
};

struct ProgramEnding {
  int process = 0;      // its number
  int signal = 0;       // that killed it; 0: it exited
  int code = 0;         // its exit code, or 128 + signal as shells have it
  int interrupted = 0;  // the signal that this process was sent meanwhile, which the program got too; 0: none
  // From its start to its end, and the CPU time of all its threads and of the processes that it waited for.
  double wall_seconds = 0, user_seconds = 0, system_seconds = 0;
};

/// Starts the program with this process's descriptors and environment (so a launcher's PMI reaches it), passes signals on to it,
/// and waits. Throws Error (I/O) when nothing could be started, and where a signal was noted before (SignalsNoted).
ProgramEnding run_program(const ProgramRun& run);

}  // namespace plumbline
