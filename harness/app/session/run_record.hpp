// Where a run keeps what it finished: a journal on each node's leader, one result file at the end.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/session/claimed_output.hpp"
#include "app/session/consolidation.hpp"
#include "app/session/earlier_sessions.hpp"
#include "app/session/run_options.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "core/records.hpp"
#include "store/journal.hpp"
#include "store/run_files.hpp"
#include "store/session_hold.hpp"

namespace plumbline::app {

class RunRecord {
 public:
  /// Collective. Refuses (Error) to overwrite a result or an unfinished journal that the user did not name for it, and to go on with what
  /// another campaign or another program began.
  RunRecord(const RunOptions& options, const Campaign& campaign, const std::filesystem::path& store, Communicator& ranks);

  /// The same on every rank.
  const EarlierSessions& earlier() const { return earlier_; }
  /// This node's points of sweeps, of all sessions, as its journal or an earlier result has them (leaders only).
  std::vector<CeilingRow> sweeps(const std::string& node) const;
  /// What this node measured again in earlier sessions and came out ok, as its journal or an earlier result has it (leaders only).
  std::vector<RemeasuredRow> remeasured(const std::string& node) const;
  /// What the user should know of what was found: on rank 0.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Collective, before open(): refuses (Error, the same on all ranks) an output that lies on a disk of each node's own.
  void require_one_folder(const std::string& session, Communicator& ranks) const;
  /// Opens this node's journal (leaders only).
  void open(const JournalHeader& header, const std::string& host);
  /// Written on return, and durable as the campaign's [journal] says. The Error says which units are not.
  void append(const Finished& unit);
  /// Durable on return, and seen by other nodes: all that was appended. The Error says which units may not be.
  void sync();
  /// Rank 0, after the last unit: puts journals and an earlier result together and writes the result file, its cases in the order
  /// of `ids` however they were shuffled (consolidation.hpp). The journals go once `complete`.
  Consolidated consolidate(bool complete, const std::vector<std::string>& ids);
  /// What this rank's journal came to, for rank 0; empty where it has none.
  std::string written() const;
  /// On rank 0, before the journals go: throws Error where it does not see one of this session as its leader wrote it.
  void require_all(const std::vector<std::string>& written) const;
  const RunFiles& files() const { return files_; }

 private:
  RunFiles files_;
  double sync_seconds_;
  EarlierSessions earlier_;
  std::vector<std::string> notes_;
  /// What an error of the journal costs: `newest`, where it is not empty, and the units before it that are in doubt.
  std::vector<std::string> lost_units(const std::string& newest) const;

  std::unique_ptr<SessionHold> hold_;  // rank 0
  std::unique_ptr<Journal> journal_;
  std::vector<std::string> appended_;  // by this session
};

}  // namespace plumbline::app
