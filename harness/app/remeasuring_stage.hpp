// Suspicious cases and ceilings measured once more, by suspect nodes and like ones beside them, before anybody is named.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/case_runner.hpp"
#include "app/ceiling_points.hpp"
#include "app/remeasuring_plan.hpp"
#include "app/run_deadlines.hpp"
#include "app/run_plan.hpp"
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
  };

  explicit RemeasuringStage(Setting setting);

  /// What a turn of a case or point takes on this rank's node; 0 where this rank does not have it.
  TurnSeconds turn_seconds(const std::string& id) const;
  /// Collective over all ranks. One turn of the plan that they agreed on: every node of a group once through its cases and points.
  /// `stop_here`, collective too, is asked wherever all ranks are in step; false: the turn was left unfinished.
  bool turn(const RemeasuringPlan& again, int number, const std::function<bool()>& stop_here);
  /// The leader's finished units, of the first so many turns.
  std::vector<Finished> finished(int turns) const;

 private:
  struct Unit {
    Finished finished;
    std::vector<Condition> conditions;
    double seconds = 0;
  };

  void measure(const std::string& id, int turn, double patience);
  std::optional<Finished> measure_case(std::size_t index);
  bool one_after_the_other(const std::vector<std::string>& nodes, const std::string& id, int turn, double patience,
                           const std::function<bool()>& stop_here);
  void wait(double seconds);
  void add(const std::string& id, int turn, Finished&& measured, const std::vector<Condition>& conditions, double seconds);

  Setting setting_;
  CeilingPoints points_;
  std::map<std::string, std::size_t> index_;  // of a case in the plan
  std::map<std::string, Unit> units_;
};

}  // namespace plumbline::app
