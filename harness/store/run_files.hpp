// The files of one run: its result and the journals beside it, and what earlier sessions left there.
#pragma once
#include <filesystem>
#include <string>

namespace plumbline {

/// Paths, and what lay there when they were looked at: once, by whoever holds the result, and passed on from there.
struct RunFiles {
  /// `nothing`: neither result nor journals. `finished`: a result alone. `unfinished`: journals of a session that stopped. `held`:
  /// journals, and another plumbline writes one of them.
  enum class State { nothing, finished, unfinished, held };

  std::filesystem::path store;     // the result file, NAME.h5
  std::filesystem::path journals;  // the folder of its journals, NAME.journal
  State state = State::nothing;
  std::filesystem::path held = {};  // the journal that another plumbline writes; empty but under `held`

  bool has_journals() const { return state == State::unfinished || state == State::held; }
  /// The journal of the node whose leader runs on that host.
  std::filesystem::path journal_of(const std::string& host) const { return journals / host; }
};

/// The paths alone, of whatever is there.
RunFiles files_of(const std::filesystem::path& store);

/// The question who writes touches all journals' locks, and may wait two seconds for a process that ends: only for who needs the answer.
enum class Writers { asked, not_asked };

/// Looks at a run's files; what a hold leaves among the journals (session_hold.hpp) is none. Throws fs::filesystem_error where nobody
/// can tell whether there is a result.
RunFiles look_at(const std::filesystem::path& store, Writers writers);

}  // namespace plumbline
