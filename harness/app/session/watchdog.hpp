// Notices that a case takes far longer than it should: a thread of each rank that needs no progress of MPI, and ends the job with 75.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/node_board.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// The thing that this rank is at, and for how long it may be. `name` as a message tells it.
struct Expectation {
  std::string name;
  double seconds = 0;
  std::string rule;  // where the seconds come from
  /// The index of a case and its pass for the record; empty pass: nothing of this node is to blame when all of its ranks only wait.
  std::string pass = {};
  std::size_t index = 0;
  /// A point of a round of a GPU's ceilings: its name as a unit, and what the round has so far, which is kept.
  std::string point = {};
  std::shared_ptr<const Finished> so_far = {};
};

/// A rank of this node that holds the others up.
struct HungRank {
  int rank = 0;  // of the world
  std::string why;
};

/// A hang as it is recorded: what was expected, and who holds it up.
struct Hang {
  Expectation expected;
  std::vector<HungRank> ranks;  // empty: all ranks of this node wait
  std::string message;          // one line without its end
};

/// Watches one rank by a thread of its own.
class Watchdog {
 public:
  /// Makes the watchdog; collective over the ranks of a node, before any thread is bound: the watching one is to lie on no core that
  /// measures. `nodes`: of the job, this one among them.
  Watchdog(Group& local, int world_rank, std::string host, int nodes);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  /// Expects this from now on instead of what was expected before.
  void expect(Expectation expectation);
  /// Seconds in which this process was stopped as a whole (suspended by Slurm, a paused machine), as far as that was noticed: they count
  /// against no deadline.
  double stopped_seconds() const;
  /// Sets how a hang becomes durable, called on the watching thread of one rank of the node. Answers where it wrote, in words.
  void record_with(std::function<std::string(const Hang&)> record);

 private:
  void watch();
  double notice_a_stop();
  bool waits_longer();
  void call_the_roll();
  [[noreturn]] void leave_when_written();
  Hang find_out() const;
  std::string record(const Hang& hang);
  std::vector<int> silent_processes() const;  // ranks of this node that have not answered, where they still run
  void end_the_others();
  [[noreturn]] void leave();

  NodeBoard board_;
  std::string host_;
  int nodes_;
  mutable std::mutex mutex_;  // of what follows
  Expectation expected_;
  double until_ = 0, asleep_until_ = 0, stopped_seconds_ = 0;
  bool done_ = false;
  std::function<std::string(const Hang&)> record_;
  std::thread thread_;
};

}  // namespace plumbline::app
