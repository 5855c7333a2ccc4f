// The marked regions of a program that runs natively are timed by a library that is loaded into it (preload/regions.c).
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profile/program_run.hpp"

namespace plumbline {

/// The time that a region took, of all threads that entered it.
struct RegionTimes {
  std::string name = {};
  std::uint64_t entries = 0;
  int ranks = 1, processes = 0, threads = 0;  // that entered it
  bool open = false;                          // some thread had not left it when its process ended
  double seconds = 0;                         // while a thread was in it, however many
  double cores = 0;                           // threads that were in it at once, the mean
  double cpu_seconds = 0;                     // of all threads
  double longest_cpu_seconds = 0;             // of the thread that had most
};

/// The times of all regions, in the order of their names.
struct TimedRegions {
  std::vector<RegionTimes> regions = {};
  std::vector<std::string> outside = {};  // the names of those that were entered outside of the window alone
  std::uint64_t lost = 0;                 // entries that found no room
  double mark_seconds = 0;                // that a start and a stop cost, at most
  std::string why_none = {};              // why none could be timed; empty: they could
};

/// The environment by which the library leaves its files in a folder. It wants LD_PRELOAD besides.
SetVariable region_timing(const std::filesystem::path& folder);

/// Reads what the processes left in that folder, all of which have ended. Processes that were in a region at once count once, those that
/// came one after the other add up.
TimedRegions read_region_times(const std::filesystem::path& folder);

}  // namespace plumbline
