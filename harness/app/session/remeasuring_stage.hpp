// Suspicious cases and ceilings are measured once more, by suspect nodes and like ones beside them, before anybody is named.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/remeasuring_plan.hpp"
#include "app/session/run_deadlines.hpp"
#include "app/session/run_plan.hpp"
#include "app/stages/case_runner.hpp"
#include "app/stages/ceiling_points.hpp"
#include "machine/conditions.hpp"

namespace plumbline::app {

class RemeasuringStage {
 public:
  struct Setting {
    const RunPlan& plan;
    Communicator& ranks;
    CaseRunner& runner;
    RunDeadlines& deadlines;
    const Campaign& campaign;
    std::string session;
    std::vector<RemeasuredRow> earlier = {};  // on a leader: turns of its node that earlier sessions kept
  };

  explicit RemeasuringStage(Setting setting);

  /// The seconds that a turn of a case or point takes on this rank's node; 0 where this rank does not have it.
  TurnSeconds turn_seconds(const std::string& id) const;
  /// Measures one step of the plan that all ranks agreed on; collective over them. `stop_here`, collective too, is asked wherever all ranks
  /// are in step; false: the step was left unfinished.
  bool measure(const RemeasuringPlan& again, const RemeasuringStep& step, const std::function<bool()>& stop_here);
  /// The leader's units of the turns that all of their nodes took, with those of earlier sessions; and those that failed.
  std::vector<Finished> finished() const;

 private:
  struct Unit {
    Finished finished;
    std::vector<Condition> conditions;
    double seconds = 0;
  };

  bool one_after_the_other(const RemeasuringStep& step, const RemeasuringPlan& again, const std::function<bool()>& stop_here);
  bool together(const RemeasuringStep& step, const RemeasuringPlan& again, const std::function<bool()>& stop_here);
  void measure_here(const std::string& id, int turn, double patience);
  std::optional<Finished> measure_case(std::size_t index);
  void wait(double seconds);
  void add(const std::string& id, int turn, Finished&& measured, const std::vector<Condition>& conditions, double seconds);

  Setting setting_;
  CeilingPoints points_;
  std::map<std::string, std::size_t> index_;  // of a case in the plan
  std::map<std::string, Unit> units_;
  std::map<std::string, int> turns_;  // that all nodes of a case or point have taken
};

}  // namespace plumbline::app
