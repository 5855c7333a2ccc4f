// A run keeps what it finished in a record: a journal on each node's leader, one result file at the end.
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/consolidation.hpp"
#include "app/session/run_options.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "core/records.hpp"
#include "model/ceilings/form_choice.hpp"
#include "store/journal.hpp"
#include "store/merge.hpp"
#include "store/session_hold.hpp"

namespace plumbline::app {

/// Whether a case was counted with every group of these keys: then its counting pass need not be repeated.
bool counting_is_finished(const std::set<WorkKey>& finished, const std::string& id, const std::string& node,
                          const std::vector<std::string>& group_keys);

/// A unit that took longer than its deadline in earlier sessions.
struct Overdue {
  int times = 0;
  std::string reason;     // of the last time
  bool given_up = false;  // it did so twice, under a deadline no shorter than the one it would have now
};

/// The record of one run on one rank.
class RunRecord {
 public:
  /// Opens the record; collective. Refuses (Error) to overwrite a result or an unfinished journal that the user did not name for it, and to
  /// go on with what another campaign or another program began.
  RunRecord(const RunOptions& options, const Campaign& campaign, const std::filesystem::path& store, Communicator& ranks);

  /// The units that earlier sessions finished with status ok; the same on every rank. What failed or could not be done is tried again. A
  /// counting pass is there once more for each event group that it counted (counting_is_finished). What is given up is among them.
  const std::set<WorkKey>& finished() const { return finished_; }
  const std::map<WorkKey, Overdue>& overdue() const { return overdue_; }
  /// The kinds of the nodes of earlier sessions, by name: what makes nodes alike.
  const std::map<std::string, std::string>& kinds() const { return kinds_; }
  /// The choice of an earlier session for a node's last cache, JSON (last_cache_stage.hpp).
  std::optional<std::string> last_cache(const std::string& node) const;
  /// The points of this node's sweeps, of all sessions, as its journal or an earlier result has them (leaders only).
  std::vector<CeilingRow> sweeps(const std::string& node) const;
  /// The rows that this node measured again in earlier sessions and that came out ok, as its journal or an earlier result has them (leaders
  /// only).
  std::vector<RemeasuredRow> remeasured(const std::string& node) const;
  /// The loops that earlier sessions chose for ceilings, by node: they are not chosen again.
  const std::vector<ChosenForm>& chosen_forms() const { return chosen_forms_; }
  /// The contests by which they were chosen, in the order of the sessions: on rank 0.
  const std::vector<FormContest>& contests() const { return contests_; }
  /// `now`, or just after the start of the youngest session of before: the order of sessions survives a clock that was set back.
  std::int64_t start_after_earlier(std::int64_t now) const { return std::max(now, youngest_start_ns_ + 1); }
  /// Notes on what the user should know of what was found: on rank 0.
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
  const std::filesystem::path& store() const { return store_; }

 private:
  std::filesystem::path store_;
  double sync_seconds_;
  std::set<WorkKey> finished_;
  std::int64_t youngest_start_ns_ = 0;  // of earlier sessions
  std::map<WorkKey, Overdue> overdue_;
  std::map<std::string, std::string> kinds_, last_caches_;
  std::vector<ChosenForm> chosen_forms_;
  std::vector<FormContest> contests_;
  std::vector<std::string> notes_;
  /// The units that an error of the journal costs: `newest`, where it is not empty, and the units before it that are in doubt.
  std::vector<std::string> lost_units(const std::string& newest) const;

  std::unique_ptr<SessionHold> hold_;  // rank 0
  std::unique_ptr<Journal> journal_;
  std::vector<std::string> appended_;  // by this session
};

}  // namespace plumbline::app
