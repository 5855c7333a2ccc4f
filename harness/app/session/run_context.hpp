// The state that the steps of a run share: what was asked for, the ranks, the plan, where results go, and how the run has fared so far.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "app/session/run_deadlines.hpp"
#include "app/session/run_input.hpp"
#include "app/session/run_plan.hpp"
#include "app/session/run_record.hpp"
#include "app/stages/case_runner.hpp"
#include "app/terminal/progress.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/records.hpp"

namespace plumbline::app {

inline constexpr std::string_view time_pass = "time", count_pass = "count";

/// The fate of a rank so far.
struct RunFate {
  Exit code = Exit::ok;
  std::string notes = {};                     // what failed or was found, in words
  std::optional<Error> lost = {};             // why nothing more can be written
  std::string refusal = {};                   // of a case's team by this node
  bool placed_any = false;                    // a case found its place
  bool interrupted = false, stopped = false;  // by a signal; by that or by a loss, on any rank
};

/// The campaign on this rank's node, in step with the other nodes. Services are borrowed from run_session().
struct RunContext {
  const RunInput& input;
  Communicator& ranks;
  RunDeadlines& deadlines;
  RunRecord& record;
  RunPlan& plan;
  CaseRunner& runner;
  Progress& progress;
  std::string session;
  double began;  // by now_seconds()
  RunFate fate = {};

  const Campaign& campaign() const { return input.campaign; }
  bool leads() const { return ranks.local().rank() == 0; }
  bool counts_nothing() const { return input.counting.groups.empty() && !input.counting.skipped.empty(); }
  bool compares_nodes() const;
  /// Whether an earlier session finished that pass of a case or round on this node.
  bool is_finished(const std::string& id, std::string_view pass) const;
  /// Seconds; nothing where the campaign has no budget.
  std::optional<double> budget_left() const;

  /// Runs `write` on the leader; what goes wrong ends the run at the next boundary, on all ranks alike.
  template <class Write>
  void keep(Write write) {
    if (!leads() || fate.lost) return;
    try {
      write();
    } catch (const Error& error) {
      fate.lost = error;
    }
  }
  /// A boundary: all ranks agree whether to go on, by one collective.
  bool stop_here();

  /// Puts a unit into the journal; a failure is noted.
  void accept(const std::optional<Finished>& unit);
  void accept_ceilings(const Finished& unit);
  void keep_skipped(const Case& what, const std::string& reason);
  void note_failure(Status status, const std::string& what, const std::string& reason);
  void note_finding(Exit code, const std::string& finding);
};

}  // namespace plumbline::app
