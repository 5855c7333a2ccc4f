// The emulator writes a report about each process, the JSON file of its --out, which is read here.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/placement/reuse_distances.hpp"

namespace plumbline {

/// The sums by event ("flops.fp64.add"); nullopt where the simulation that would know them was off.
using EventSums = std::map<std::string, std::optional<std::uint64_t>, std::less<>>;

/// Adds sums event by event; unknown and known is unknown.
void add(EventSums& to, const EventSums& more);

struct RegionReport {
  std::string name;
  int thread = 0;
  std::uint64_t entries = 0;
  bool open = false;  // at the end of the process
  EventSums counts;
  std::optional<ReuseDistances> reuse = {};  // where they were counted
};

/// A piece of a function's code: a stretch that is entered at its begin and left at its end alone.
struct CodePiece {
  std::uint64_t begin = 0, end = 0;     // as the file names addresses
  std::vector<std::uint64_t> leads_to;  // addresses where the program may go on, some of them in other functions
  bool jumps_anywhere = false;          // it ends with a jump whose goal the code does not tell
  EventSums counts;                     // those that are not zero
};

struct FunctionReport {
  std::string name, object;  // the file it lies in
  std::uint64_t begin = 0;   // its address, as the file names addresses; 0: in no file
  EventSums counts;
  std::vector<CodePiece> pieces = {};  // of its code, where they were told apart
  std::optional<ReuseDistances> reuse = {};
};

struct ThreadReport {
  int thread = 0;
  EventSums counts;
  std::optional<ReuseDistances> reuse = {};
};

/// The report of one process, or of what it was before it executed another program.
struct ToolReport {
  unsigned abi = 0;
  int pid = 0, parent = 0;
  std::vector<std::string> command;
  EventSums total;
  std::vector<ThreadReport> threads;
  std::vector<RegionReport> regions;
  std::vector<FunctionReport> functions;
};

/// Reads a report. Throws Error (I/O) when the file cannot be read or is no whole report.
ToolReport read_tool_report(const std::filesystem::path& file);

}  // namespace plumbline
