// The ranks of a launch leave their counts for the first one, without MPI, in a folder that all of them name alike.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "comm/launch.hpp"

namespace plumbline {

/// The ending of a rank's program, which the rank leaves for the first one.
struct RankEnding {
  int rank = 0;
  std::string host;
  int code = 0;                    // its program's exit code
  std::vector<std::string> notes;  // what the user should know
  std::string caches = {};         // that were simulated, in words; empty: none
  double wall_seconds = 0;         // of its program from start to end; 0: not told
};

class LaunchMeeting {
 public:
  /// Finds or makes the folder. `named`: the folder that the user chose (kept), or empty: one of this launch's own (removed by the first
  /// rank), in the folder for temporary files when all ranks are on this node, else in `shared`. It is this user's, and nobody else may
  /// write there: what has its name and is not that is refused. `starts_ranks`: this process is to launch others, on nodes that nobody
  /// knows yet, so that its folder lies in `shared` where it may write there, and what earlier launches left in it is removed. Throws Error
  /// when there can be none.
  LaunchMeeting(const Launch& launch, const std::filesystem::path& named, const std::filesystem::path& shared, bool starts_ranks = false);
  LaunchMeeting(const LaunchMeeting&) = delete;
  LaunchMeeting& operator=(const LaunchMeeting&) = delete;
  /// Removes the folder at the first rank, unless the user named it.
  ~LaunchMeeting();

  /// The number of ranks of the launch, as the first rank that left an ending was told; 0 where none has.
  int told_ranks() const;
  /// Says how many ranks there were, where this process is none of them and learns it when their launcher has ended.
  void expect_ranks(int size) { launch_.size = size, is_over_ = true; }
  /// Whether the launcher of the ranks has ended: what they have not left by now they never will.
  bool is_over() const { return is_over_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// The prefix of the names of this rank's files: "rank-3.".
  std::string prefix(int rank) const;

  /// Whether this rank is the first of all that say this message: a fault that many share is told once.
  bool first_to_say(const std::string& message) const;
  /// Leaves this rank's ending, once its files are whole.
  void leave(const RankEnding& ending) const;
  /// Gathers the endings by rank, at the first rank; waits for those that are missing at most `patience_seconds` longer.
  /// Throws Error where a signal is noted meanwhile (SignalsNoted).
  std::vector<RankEnding> gather(double patience_seconds) const;

 private:
  Launch launch_;
  std::filesystem::path folder_;
  bool keep_ = false, is_over_ = false;
};

/// A word that all ranks of this launch share and no other launch does; empty when nothing says.
std::string launch_key(const Environment& environment);

}  // namespace plumbline
