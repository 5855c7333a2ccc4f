// The terms and results of the timing of a case: when to stop, repetitions, and what became of the case.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/records.hpp"
#include "gpu/theoretical_occupancy.hpp"
#include "measure/failed_at.hpp"

namespace plumbline {

/// The rule by which repetitions of a case are enough.
struct TimingProtocol {
  double min_seconds = 0.02;  // a repetition lasts at least this long
  double ci_relative = 0.02;  // stop when the median's 95 % half-width is below this share of it
  int max_repetitions = 50;
  int min_repetitions = 5;
  double budget_seconds = 10;  // for the whole case; at least min_repetitions are made
  bool cold_l2 = false;        // sweeps on a GPU begin with an L2 that holds nothing of their data
  bool quiet = true;           // disturbed repetitions are made again; not of teams that share cores, which disturb themselves
};

/// The time of an application's phase in one sweep, all its entries together, until the last thread has come.
struct PhaseTime {
  double seconds = 0;       // of the team: of the rank that took longest
  double rank_seconds = 0;  // of this rank
};

/// One timed repetition: so many sweeps, one after the other.
struct Repetition {
  double seconds;       // a sweep, of the team: max over end minus min over start
  double rank_seconds;  // the same over this rank's threads alone
  // Right after a core's last sweep, before it waits for anything: waiting, a core gives up the lower clock of wide vectors. Where the
  // clock right before the sweeps was higher by a wobble of the boost alone, that one: a rate is never told to be of a lower clock than it
  // had.
  double clock_hz;       // mean over the team's cores
  double rank_clock_hz;  // over this rank's
  // Numbers of the worst thread of the team:
  double sentinel;                    // independent additions a clock, the fewer of right before the sweeps and right after
  double cpu_share;                   // CPU time over wall time
  std::int64_t involuntary_switches;  // of all threads of the rank that had most
  // Numbers of all threads of the team, and of this rank's:
  double mean_cpu_share, rank_cpu_share;     // CPU time over wall time, both of each thread's own span
  double steal_seconds, rank_steal_seconds;  // taken from their CPUs by a hypervisor; absent where not asked for or not told
  std::uint64_t sweeps;
  std::vector<PhaseTime> phases = {};  // of an application, in their order
};

/// The outcome of a case: a value, also when it fails.
struct Timed {
  Status status = Status::ok;
  std::string reason;
  std::vector<Repetition> repetitions;
  double error = absent, tolerance = absent;  // of the result, relative; of this rank
  std::string why_no_steal = {};              // why the repetitions have no steal_seconds
  FailedAt failed_at = FailedAt::this_rank;   // where it failed
  std::string host_flavor = {};               // of the steps that a case on a GPU leaves to the host
  TheoreticalOccupancy occupancy = {.reason = "it did not run on a GPU"};
};

}  // namespace plumbline
