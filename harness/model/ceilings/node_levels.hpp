// The sweeps of a run show each node's memory: its levels, and how large each is for each team.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/levels.hpp"

namespace plumbline {

/// Working sets in (above, up_to] are well inside a level and beyond the one before.
struct LevelWindow {
  const MemoryLevel* level = nullptr;
  double above = 0, up_to = 0;
  double size_bytes = absent, size_lo = absent, size_hi = absent;  // of the level for the team; absent for mem
};

struct NodeLevels {
  FoundLevels found = {};  // by the smallest team that measured loads
  std::int64_t found_with = 1;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> sizes = {};  // by ranks and threads: of the levels but memory

  /// The windows from the core outwards; empty where the data do not decide.
  std::vector<LevelWindow> windows(std::int64_t ranks, std::int64_t threads) const;
};

/// The levels by node. Rows of level "sweep" count; a sample whose thread lost its CPU for a while counts by the time that it had.
std::map<std::string, NodeLevels> levels_of_nodes(std::span<const CeilingRow> samples);

}  // namespace plumbline
