// The levels of a machine's memory are found in what was measured; nothing is known of its caches.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// A point of a sweep: one working set.
struct CurvePoint {
  double bytes = 0;                  // of the whole team
  std::vector<double> samples = {};  // by round
};

/// A level of memory as the curves show it.
struct MemoryLevel {
  std::string name = {};                      // L1, L2, ..., mem
  double size_bytes = absent;                 // working sets up to here are in it; absent for mem
  double size_lo = absent, size_hi = absent;  // 90 % of the resamples that find it
  double confidence = absent;                 // share of the resamples that find it too, within a third of its size; mem: as many levels
  Status status = Status::ok;
  std::string reason = {};
};

/// The levels that were found, with the confidence in them, or why there are none.
struct FoundLevels {
  std::vector<MemoryLevel> levels = {};  // from the core outwards; empty where the data do not decide
  Status status = Status::ok;
  std::string reason = {};
};

/// Finds plateaus of the bandwidth of a stream of loads (GB/s) and of the latency of dependent loads (seconds), over the working set, best
/// sample of each; either may be empty. About three points an octave of each, from some KiB a worker to some hundred MiB, are enough. Where
/// there is no latency, caches and memory that stream alike are one level, and confidence is lower.
FoundLevels find_levels(std::span<const CurvePoint> load_gbs, std::span<const CurvePoint> chase_seconds, std::int64_t workers = 1);

/// The sizes of the levels but the last for a team of `workers`, from those that one worker (or a team of `found_with`) finds and the
/// team's own curve: whether a cache is there once a worker, once, or once for every few of them. Without enough points: once a worker, the
/// last cache once.
std::vector<double> team_sizes(const FoundLevels& found, std::int64_t found_with, std::span<const CurvePoint> load_gbs,
                               std::int64_t workers);

/// Prints bytes as "768 KiB", "24 MiB".
std::string in_words(double bytes);

}  // namespace plumbline
