// One case is timed by warm-up, result check, calibration, and repetitions until the median is known well enough.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/status.hpp"
#include "measure/stopwatch.hpp"

namespace plumbline {

/// The protocol of timing: when a case's repetitions are enough.
struct TimingProtocol {
  double min_seconds = 0.02;  // a repetition lasts at least this long
  double ci_relative = 0.02;  // stop when the median's 95 % half-width is below this share of it
  int max_repetitions = 50;
  int min_repetitions = 5;
  double budget_seconds = 10;  // for the whole case; at least min_repetitions are made
  bool quiet = true;           // disturbed repetitions are made again; not of teams that share cores, which disturb themselves
};

/// The outcome of timing a case: a value, also when it fails.
struct Timed {
  Status status = Status::ok;
  std::string reason;
  std::vector<Repetition> repetitions;
  double error = absent, tolerance = absent;  // of the result, relative; of this rank
  bool wrong_result = false;
  std::string why_no_steal = {};  // why the repetitions have no steal_seconds
};

/// Prepares the data, touches them first, sweeps once and checks the result if `check`. Gives null when this rank or another of the team
/// failed: `timed` says why. Every rank of the team calls it. The data lie in `arena`, or where there is none in memory of their own.
std::unique_ptr<Prepared> prepare_case(const Case& measured, bool check, const ThreadTeam& threads, Synchronization& team, Timed& timed,
                                       Arena* arena = nullptr);

/// Measures `measured` on this rank's `threads`, together with the ranks behind `team`. Every rank of the team reaches every
/// meeting point, whatever fails on it.
Timed time_case(const Case& measured, const TimingProtocol& protocol, const ThreadTeam& threads, Synchronization& team);

}  // namespace plumbline
