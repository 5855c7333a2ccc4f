// This witness is for where a GPU's counters are refused: instruction counts of the code of the kernels that were launched
// (counters/sass/sass.hpp) times the threads that have work. It counts code and measures nothing, and says so: its counters are called
// static.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "core/kernel_launch.hpp"
#include "counters/backend/backend.hpp"

namespace plumbline {

inline constexpr const char* disassembled_method = "static instruction counts x launch geometry";

/// The place where launches are made, and the code that they run.
struct CodePlace {
  Availability here = {Status::unavailable, "no module for GPUs was opened"};
  /// Adds each launch from now on there; null: no more.
  std::function<void(std::vector<KernelLaunch>*)> write_down = {};
  std::filesystem::path folder = {};  // of code_file() (counters/sass/launch_counts.hpp)
};

/// A backend for these events; for none, all: operations of each precision and kind, memory instructions and their bytes, all in one group.
/// Unavailable, with the reason, is what cannot be counted: code over which threads part ways, a launch that does not tell its trips,
/// arithmetic or accesses of other kinds.
std::unique_ptr<Backend> disassembled_backend(const EventNames& events, CodePlace place);
std::vector<EventDescription> disassembled_events(const CodePlace& place);
std::string disassembled_code(const std::string& event);

/// The counters that say what the events claim to see: "static flops.fp64" and so on.
std::vector<Counter> disassembled_counters();

}  // namespace plumbline
