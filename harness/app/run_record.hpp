// Where a run keeps what it finished: a journal on each node's leader, one result file at the end.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/run_options.hpp"
#include "comm/communicator.hpp"
#include "core/records.hpp"
#include "store/journal.hpp"
#include "store/merge.hpp"

namespace plumbline::app {

/// What a result file keeps of merged journals: cases numbered in the order of `ids` (then as they came), no units of the journal's own.
void tidy(Results& results, const std::vector<std::string>& ids);

/// Whether a case was counted with every group of these keys: then its counting pass need not be repeated.
bool counting_is_finished(const std::set<WorkKey>& finished, const std::string& id, const std::string& node,
                          const std::vector<std::string>& group_keys);

class RunRecord {
 public:
  /// Collective. Refuses (Error) to overwrite a result or an unfinished journal that the user did not name for it.
  RunRecord(const RunOptions& options, const std::filesystem::path& store, Communicator& ranks);

  /// Units that earlier sessions finished with status ok; the same on every rank. What failed or could not be done is tried again.
  /// A counting pass is there once more for each event group that it counted (counting_is_finished).
  const std::set<WorkKey>& finished() const { return finished_; }
  /// Opens this node's journal (leaders only).
  void open(const JournalHeader& header, const std::string& host);
  /// Durable on return.
  void append(const Finished& unit) { journal_->append(unit); }
  /// Rank 0, after the last unit: puts journals and an earlier result together and writes the result file, its cases in the order
  /// of `ids` however they were shuffled. The journals go once `complete`. Answers why units did not come out ok, and how many.
  std::map<std::string, std::size_t> consolidate(bool complete, const std::vector<std::string>& ids) const;
  const std::filesystem::path& store() const { return store_; }

 private:
  std::filesystem::path store_;
  std::set<WorkKey> finished_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace plumbline::app
