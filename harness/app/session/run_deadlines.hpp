// Each part of a run may take only so long, and something is written down where one takes longer.
#pragma once
#include <map>
#include <set>
#include <string>

#include "app/session/run_input.hpp"
#include "app/session/run_plan.hpp"
#include "app/session/run_record.hpp"
#include "app/session/watchdog.hpp"
#include "app/stages/gpu_ceilings_stage.hpp"
#include "store/journal.hpp"

namespace plumbline::app {

/// The deadlines of a run's parts, which the watchdog holds.
class RunDeadlines {
 public:
  /// Makes the deadlines; collective over the ranks of a node. The planning that follows is expected to end soon.
  RunDeadlines(const RunInput& input, Communicator& ranks);

  /// Makes a hang be recorded from now on, in the journal folder of this node.
  void record_in(const RunRecord& record, const RunPlan& plan, JournalHeader header);

  /// Begins a round of ceilings. `nodes`: that measure it one after the other.
  void begin_ceilings(const RunPlan& plan, const std::string& round_id, int nodes);
  /// Begins a round where each rank of the node that drives a GPU measures one of its own. Collective over the ranks of the node.
  void begin_gpu_ceilings(const RunPlan& plan, const std::vector<GpuCeilingsStage::ToDo>& to_do, int nodes);
  /// Begins a point of that round by itself: what the round has so far is kept where the point hangs. By the rank that drives the GPU.
  void begin_gpu_point(const RunPlan& plan, const std::string& point, double estimated, const Finished& so_far);
  /// Begins the wait for other ranks of the node, and for what this one measures next of a round of ceilings.
  void wait_for_ceilings(const RunPlan& plan, int nodes);
  /// Begins all that any node does in this round of cases.
  void begin_round(const RunPlan& plan, std::size_t round);
  void begin_pass(const RunPlan& plan, std::size_t index, const std::string& pass);
  /// Begins one point of a ceiling by itself, under its name.
  void begin_point(const RunPlan& plan, const std::string& name, const std::string& pass, double seconds);
  /// Begins the wait for what is left of the round, between two passes and at its end.
  void wait_for_round();
  /// Begins the time in which rank 0 judges what all nodes measured, and the others wait.
  void begin_judging(const RunPlan& plan);
  /// Begins the time in which nodes measure again what is suspicious, and this one waits for others.
  void wait_again(double seconds);
  /// Begins writing and leaving.
  void begin_end(const RunPlan& plan);

  /// The seconds that the timing pass of a case may take.
  double time_seconds(const Case& measured) const;
  /// The seconds that a ceiling's point may take that takes so long by estimate.
  double point_seconds(double estimated) const;
  /// The seconds that the worker is waited for, for one event group.
  double worker_seconds(const Case& measured) const;

 private:
  double running_seconds() const;
  double pass_seconds(const Case& measured, const std::string& pass) const;
  double seconds_to_end(const RunPlan& plan) const;
  double round_seconds(const RunPlan& plan, std::size_t round) const;
  std::string rule() const;
  std::string write(const Hang& hang, const RunRecord& record, const RunPlan& plan, const JournalHeader& header) const;
  std::set<std::string> units_of(const Hang& hang, const RunPlan& plan) const;
  Finished hung_unit(const std::string& id, const Hang& hang, const RunPlan& plan, const std::string& session) const;

  const RunInput& input_;
  Communicator& ranks_;
  Watchdog watchdog_;
  std::string ceilings_round_, round_name_;
  std::map<int, std::set<std::string>> gpu_rounds_;  // of ranks of the world
  double round_until_ = 0;                           // by running_seconds()
};

}  // namespace plumbline::app
