// The nights of a folder are its result files, which are never written to, and an index of what they say, which can be thrown away.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/nights/observed_file.hpp"
#include "model/comparing/night_check.hpp"

namespace plumbline::app {

struct NightRow {
  SeriesKey key = {};
  std::string row_class = {}, unit = {};
  NightValue value = {};
  Status status = Status::ok;
  std::string reason = {};
};

/// A night is one result file.
struct Night {
  std::string file = {};             // below the folder
  std::int64_t started_unix_ns = 0;  // by the node's clock; of a file that does not tell, when it was last written
  std::uintmax_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t digest = 0;  // of all that was measured: equal in copies
  std::vector<std::string> sessions = {};
  std::string cluster = {};   // its name; empty where the file has none
  std::string campaign = {};  // its name; empty where the file has none
  bool distributed = false;   // its cases were spread over like nodes: placement = "distribute"
  std::vector<NightRow> rows = {};
};

struct History {
  std::vector<Night> nights = {};  // by start; equal starts by name
  std::vector<std::string> notes = {};
};

inline constexpr const char* index_name = "plumbline-history.json";

/// Loads all result files (*.h5) in `folder` and below. Files that the index knows by size and time of writing are not read again. The
/// index is replaced as a whole; one that is missing, cut short or foreign is built anew, and one that cannot be written is a note. A file
/// that cannot be read as a result file is named in the notes and skipped. Throws Error (user) where `folder` is none.
History load_history(const std::filesystem::path& folder);

/// The nights of each cluster by its name, in order; those that name none are a cluster of their own. What was measured on one is held
/// against nothing that was measured on another, whose nodes may have the same names.
std::map<std::string, std::vector<Night>> by_cluster(std::vector<Night> nights);

/// Makes a night of the file at `path`.
Night night_of(const std::string& path, const ObservedFile& file);

}  // namespace plumbline::app
