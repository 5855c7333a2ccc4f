// Where the ranks of a launch leave their counts for the first one, without MPI: a folder that all of them name alike.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "comm/launch.hpp"

namespace plumbline {

/// What a rank leaves when its program has ended.
struct RankEnding {
  int rank = 0;
  std::string host;
  int code = 0;                    // its program's exit code
  std::vector<std::string> notes;  // what the user should know
};

class LaunchMeeting {
 public:
  /// `named`: the folder that the user chose (kept), or empty: one of this launch's own (removed by the first rank), in the folder
  /// for temporary files when all ranks are on this node, else in `shared`. It is this user's, and nobody else may write there: what has
  /// its name and is not that is refused. Throws Error when there can be none.
  LaunchMeeting(const Launch& launch, const std::filesystem::path& named, const std::filesystem::path& shared);
  LaunchMeeting(const LaunchMeeting&) = delete;
  LaunchMeeting& operator=(const LaunchMeeting&) = delete;
  /// At the first rank: removes the folder, unless the user named it.
  ~LaunchMeeting();

  const std::filesystem::path& folder() const { return folder_; }
  /// "rank-3.": begins the names of this rank's files.
  std::string prefix(int rank) const;

  /// True for one rank of all that say this: a fault that many share is told once.
  bool first_to_say(const std::string& message) const;
  /// This rank's files are whole.
  void leave(const RankEnding& ending) const;
  /// At the first rank: the endings by rank; waits for those that are missing at most `patience_seconds` longer.
  std::vector<RankEnding> gather(double patience_seconds) const;

 private:
  Launch launch_;
  std::filesystem::path folder_;
  bool keep_ = false;
};

/// A word that all ranks of this launch share and no other launch does; empty when nothing says.
std::string launch_key(const Environment& environment);

}  // namespace plumbline
