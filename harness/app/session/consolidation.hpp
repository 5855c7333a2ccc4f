// The result file of a run is made of the journals of its nodes by one rank that does not hold what they all measured.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/records.hpp"
#include "store/run_files.hpp"

namespace plumbline::app {

struct Consolidated {
  std::size_t cases = 0, outcomes = 0;
  std::map<std::string, std::size_t> reasons = {};             // why units did not come out ok, and how many
  std::map<std::string, std::vector<std::string>> wrong = {};  // wrong results in words, by the session that computed them
};

/// Writes the result file from the journals beside it and, where there is one, the store of earlier sessions. Its cases are numbered in the
/// order of `ids` (then as they came); other cases are kept and named in the provenance. Units of the journal's own are left out. Memory:
/// one node's journal, the cases, a description of each node, and the file itself, packed and compressed; an earlier store is read whole.
/// Throws Error.
Consolidated consolidate_into(const RunFiles& files, const std::vector<std::string>& ids);

/// Consolidates a journal folder by itself, or together with what `earlier` sessions had put into a result file, in its own order; what is
/// torn is named in `notes`.
Consolidated consolidate_journals(const std::filesystem::path& journals, std::optional<Results> earlier, const std::filesystem::path& store,
                                  std::vector<std::string>& notes);

}  // namespace plumbline::app
