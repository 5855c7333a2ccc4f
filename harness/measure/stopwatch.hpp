// Time of a prepared case's sweeps by a whole team, and what disturbed it.
#pragma once
#include <cstdint>
#include <vector>

#include "measure/clock.hpp"
#include "measure/prepared.hpp"
#include "measure/synchronization.hpp"
#include "measure/thread_team.hpp"

namespace plumbline {

struct Repetition {
  double seconds;       // a sweep, of the team: max over end minus min over start
  double rank_seconds;  // the same over this rank's threads alone
  // Right after a core's last sweep, before it waits for anything: waiting, a core gives up the lower clock of wide vectors.
  double clock_hz;       // mean over the team's cores
  double rank_clock_hz;  // over this rank's
  // Of the worst thread of the team:
  double sentinel;                    // independent additions a clock, the fewer of right before the sweeps and right after
  double cpu_share;                   // CPU time over wall time
  std::int64_t involuntary_switches;  // of all threads of the rank that had most
};

/// Everything is collective over the ranks behind `team`; on each, `threads` sweep their parts.
class Stopwatch {
 public:
  /// `read_clock`: the clock in Hz of the core that it is called on, now.
  Stopwatch(Prepared& prepared, const ThreadTeam& threads, Synchronization& team, double (*read_clock)() = core_clock_hz);

  Repetition measure(std::uint64_t sweeps);
  /// How many sweeps last `min_seconds`.
  std::uint64_t calibrate(double min_seconds);

 private:
  struct alignas(128) Span {
    double start = 0, end = 0, busy = 0, clock_hz = 0, sentinel = 0, cpu_seconds = 0;
    std::int64_t switches = 0;
  };

  void sweep_through(Span& span, int thread, std::uint64_t sweeps);
  void sweep_and_restore(Span& span, int thread, std::uint64_t sweeps);
  double elapsed() const;
  double team_elapsed();
  void look_at_core(Span& span);
  void add_clock(Repetition& result);
  void add_disturbances(Repetition& result);

  Prepared& prepared_;
  const ThreadTeam& threads_;
  Synchronization& team_;
  double (*read_clock_)();
  std::vector<Span> spans_;
};

}  // namespace plumbline
