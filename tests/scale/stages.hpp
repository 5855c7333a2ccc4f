// One process of a run works for a machine of so many nodes, stage by stage: seconds, and memory at the peak.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"

namespace plumbline::scale {

struct Stage {
  std::string name;
  std::string who;                          // which process has that cost: every rank, rank 0, each node's leader
  double seconds = 0, cpu_seconds = 0;      // of the clock, and of this process
  std::optional<std::uint64_t> peak_bytes;  // beyond what the process had before; nullopt where the system does not tell
};

struct Walk {
  std::vector<Stage> stages;
  std::uint64_t store_bytes = 0;  // of the result file
  std::uint64_t rows_bytes = 0;   // what all measured rows together take in memory, without their texts
  std::string wrong;              // what did not come out as the machine is; empty where all did
};

/// Production code throughout; only the nodes are simulated. `scratch` gets the journals and the result file.
Walk walk(const Size& size, const std::filesystem::path& scratch);

}  // namespace plumbline::scale
