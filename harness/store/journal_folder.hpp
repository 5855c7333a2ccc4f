// All journals of a run are read so that the samples of one node at a time are in memory.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

class JournalFolder {
 public:
  /// Reads all journals once, one node after the other, and keeps what does not grow with nodes x cases. Torn tails are named in `notes`.
  /// Throws user_error where the folder cannot be read.
  explicit JournalFolder(const std::filesystem::path& directory, std::vector<std::string>* notes = nullptr);

  /// Whether no session has begun in the folder: a run that was killed before its first record.
  bool empty() const { return empty_; }
  /// The campaign, provenance (of the youngest session), cases, model and machines; nothing that was measured.
  const Results& frame() const { return frame_; }
  /// Calls `visit` with the outcomes and samples of one node after the other, in the order of their names, each unit once: where a unit has
  /// several records, the last with status ok counts, else the last. Wrong results among the others are in the part's provenance
  /// (session_list.hpp), those of ceilings in its table. Every call visits the same, as long as nobody writes to the journals.
  void for_each_node(const std::function<void(Results& part)>& visit) const;

 private:
  std::vector<std::vector<std::filesystem::path>> nodes_;  // files that hold the units of one node
  Results frame_;
  bool empty_ = true;
};

}  // namespace plumbline
