// Journals and result files are put together into what is already finished, each unit of work once.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The name of a unit of work: (case id, node, pass).
using WorkKey = std::tuple<std::string, std::string, std::string>;

/// The units that have an outcome, whatever its status: a failed case is finished too, and says so.
std::set<WorkKey> finished(const Results& results);

/// Merges all records of a NAME.journal folder. Where a unit has several records the last with status ok wins, else the last. Campaign and
/// provenance are those of the youngest header. Torn tails are named in `notes`. Throws user_error where the folder is missing or holds no
/// journal.
Results merge_journals(const std::filesystem::path& directory, std::vector<std::string>* notes = nullptr);

/// Merges `newer` on top of `older` by the same rule.
Results merge(Results older, Results newer);

/// A function that reads a result file: app/results/stored_results.hpp, and in tests load_store.
using LoadResults = Results(const std::filesystem::path& store);

/// The results from which a resumed run starts: the result file and the journal beside it, whichever exist; nullopt where neither does, or
/// where a run was killed before its first record.
std::optional<Results> load_finished(const std::filesystem::path& store, LoadResults load, std::vector<std::string>* notes = nullptr);

}  // namespace plumbline
