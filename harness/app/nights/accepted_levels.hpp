// Somebody may accept a level: from a date on, nights are held against nights since then. The levels are an append-only file beside the
// history.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/comparing/observation.hpp"

namespace plumbline::app {

struct AcceptedLevel {
  std::int64_t from_unix_ns = 0;       // nights that began earlier are no baseline any more
  std::string from_file = {};          // the night that was accepted
  std::string what = "*", node = "*";  // globs over cases and ceilings, and nodes
  std::optional<std::string> cluster =
      {};  // that the night was measured on, as it names it; nullopt: accepted before this was kept, of any
  std::string reason = {}, who = {}, host = {};
  std::int64_t accepted_unix_ns = 0;
};

inline constexpr const char* accepted_levels_name = "plumbline-baseline.jsonl";

/// Reads the accepted levels; empty where there is no such file. A line that cannot be read (a writer was killed) is named in the notes and
/// skipped.
std::vector<AcceptedLevel> read_accepted_levels(const std::filesystem::path& folder, std::vector<std::string>& notes);

/// Appends one line, synced. Throws Error (I/O).
void append_accepted_level(const std::filesystem::path& folder, const AcceptedLevel& level);

/// The levels that say something of that cluster's nights.
std::vector<AcceptedLevel> levels_of_cluster(std::vector<AcceptedLevel> levels, const std::string& cluster);

/// The latest level that speaks of `key`; nullptr where none does.
const AcceptedLevel* level_of(const std::vector<AcceptedLevel>& levels, const SeriesKey& key);

}  // namespace plumbline::app
