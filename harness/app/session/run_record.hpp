// A run keeps what it finished in a record: a journal on each node's leader, one result file at the end.
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
  /// Opens the record; collective. Refuses (Error) to overwrite a result or an unfinished journal that the user did not name for it, and to
  /// go on with what another campaign or another program began.
  RunRecord(const RunOptions& options, const Campaign& campaign, const std::filesystem::path& store, Communicator& ranks);

  /// The legacy of earlier sessions, the same on every rank.
  const EarlierSessions& earlier() const { return earlier_; }
  /// This node's points of sweeps, of all sessions, as its journal or an earlier result has them (leaders only).
  std::vector<CeilingRow> sweeps(const std::string& node) const;
  /// The rows that this node measured again in earlier sessions and that came out ok, as its journal or an earlier result has them (leaders
  /// only).
  std::vector<RemeasuredRow> remeasured(const std::string& node) const;
  /// Notes on what was found that the user should know: on rank 0.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Refuses (Error, the same on all ranks) an output that lies on a disk of each node's own; collective, before open().
  void require_one_folder(const std::string& session, Communicator& ranks) const;
  /// Opens this node's journal (leaders only).
  void open(const JournalHeader& header, const std::string& host);
  /// Appends a unit, which is written on return, and durable as the campaign's [journal] says. The Error says which units are not.
  void append(const Finished& unit);
  /// Syncs all that was appended: durable on return, and seen by other nodes. The Error says which units may not be.
  void sync();
  /// Puts journals and an earlier result together and writes the result file, on rank 0 and after the last unit; its cases are in the order
  /// of `ids` however they were shuffled (consolidation.hpp). The journals go once `complete`.
  Consolidated consolidate(bool complete, const std::vector<std::string>& ids);
  /// Says what this rank's journal came to, for rank 0; empty where it has none.
  std::string written() const;
  /// Throws Error, on rank 0 and before the journals go, where it does not see one of this session as its leader wrote it.
  void require_all(const std::vector<std::string>& written) const;
  const RunFiles& files() const { return files_; }

 private:
  RunFiles files_;
  double sync_seconds_;
  EarlierSessions earlier_;
  std::vector<std::string> notes_;
  /// The units that an error of the journal costs: `newest`, where it is not empty, and the units before it that are in doubt.
  std::vector<std::string> lost_units(const std::string& newest) const;

  std::unique_ptr<SessionHold> hold_;  // rank 0
  std::unique_ptr<Journal> journal_;
  std::vector<std::string> appended_;  // by this session
};

}  // namespace plumbline::app
