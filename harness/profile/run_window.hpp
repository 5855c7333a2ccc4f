// A part of a program's run is profiled alone: a stretch of time, or what happens in a marked region.
#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/program_run.hpp"
#include "profile/sampled_functions.hpp"

namespace plumbline {

/// The part of a run that is wanted.
struct RunWindow {
  std::string text = {};                                                            // as the user writes it; empty: the whole run
  double begin_seconds = 0, end_seconds = std::numeric_limits<double>::infinity();  // from the program's start
  std::string region = {};            // of which only what happens in it is wanted; empty: the window is one of time
  std::uint64_t first = 1, last = 0;  // entries of each thread; last 0: all

  bool is_whole() const { return text.empty(); }
  bool is_of_time() const { return !is_whole() && region.empty(); }
};

/// Reads "10s:20s" (either may be missing), "region:NAME", "region:NAME:3" or "region:NAME:3-5". Throws Error (user).
RunWindow parse_window(const std::string& text);

/// The options by which the emulator counts in a region's window alone; none of the whole run.
std::vector<std::string> counting_options(const RunWindow& window);
/// The variable by which the timed run records regions in that window alone; nullopt where it is none of a region.
std::optional<SetVariable> region_window(const RunWindow& window);

/// Tells which samples of a run lie in the window. Memory is bounded by the number of times that it opens.
class SampleWindow {
 public:
  /// `folder`: where processes leave the times of their regions (region_timing()).
  SampleWindow(RunWindow window, std::filesystem::path folder) : window_(std::move(window)), folder_(std::move(folder)) {}
  /// Reads when the window was open by now. It is to be called before takes() is asked of records that are no longer young.
  void refresh();
  /// Whether the record is to be followed: it is no sample, or one that lies in the window. The first one that is asked is the program's
  /// start.
  bool takes(const SampleRecord& record);

 private:
  struct Stay {
    std::uint64_t begin_ns = 0, end_ns = 0;  // end 0: it is open
  };

  RunWindow window_;
  std::filesystem::path folder_;
  std::optional<std::uint64_t> start_ns_;
  std::map<int, std::vector<Stay>> stays_;  // by process, in the order of their begins
};

}  // namespace plumbline
