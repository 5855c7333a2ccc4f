// The time of a prepared case's sweeps is taken for a whole team, with what disturbed it.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "measure/clock.hpp"
#include "measure/prepared.hpp"
#include "measure/stolen_time.hpp"
#include "measure/synchronization.hpp"
#include "measure/thread_team.hpp"
#include "measure/timed.hpp"

namespace plumbline {

/// Everything is collective over the ranks behind `team`; on each, `threads` sweep their parts.
class Stopwatch {
 public:
  using ReadStolen = std::function<StolenTime(std::span<const int> cpus)>;

  /// `read_clock`: the clock in Hz of the core that it is called on, now. `read_stolen`: stolen_time(), which takes too long to be asked
  /// for beside samples of a millisecond; on every rank of the team or on none.
  Stopwatch(Prepared& prepared, const ThreadTeam& threads, Synchronization& team, double (*read_clock)() = core_clock_hz,
            ReadStolen read_stolen = {});

  Repetition measure(std::uint64_t sweeps);
  /// The number of sweeps that last `min_seconds`.
  std::uint64_t calibrate(double min_seconds);

 private:
  struct alignas(128) Span {
    double start = 0, end = 0, busy = 0, clock_hz = 0, sentinel = 0, cpu_seconds = 0;
    std::int64_t switches = 0;
  };

  void sweep_through(Span& span, int thread, std::uint64_t sweeps);
  void sweep_one_by_one(Span& span, int thread, std::uint64_t sweeps);
  void meet_ranks(int thread);
  void run_schedule(int thread);
  /// Whether each sweep is timed by itself, for what lies between two is none of it.
  bool times_each_sweep() const { return prepared_.is_application() || prepared_.workload().restores(); }
  double elapsed() const;
  double team_elapsed();
  double stolen_seconds() const;
  void look_at_core(Span& span);
  void add_clock(Repetition& result);
  void add_disturbances(Repetition& result);
  void add_shares(Repetition& result);
  void add_stolen(Repetition& result, double before);
  void add_phases(Repetition& result);

  Prepared& prepared_;
  const ThreadTeam& threads_;
  Synchronization& team_;
  double (*read_clock_)();
  ReadStolen read_stolen_;
  std::vector<int> cpus_;  // of the threads, each once, where stolen time is asked for
  std::vector<Span> spans_;
  std::vector<double> phase_seconds_;  // of an application, in one repetition; the first thread's, who waits for the others
};

}  // namespace plumbline
