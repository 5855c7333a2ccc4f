// Suspicious cases and ceilings measured once more, by suspect nodes and like ones beside them, before anybody is named.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/case_runner.hpp"
#include "app/run_deadlines.hpp"
#include "app/run_plan.hpp"
#include "app/run_record.hpp"
#include "machine/conditions.hpp"
#include "model/node_remeasuring.hpp"

namespace plumbline::app {

inline constexpr std::string_view again_pass = "again";

/// Who measures what again, and how often: the same on every rank.
struct RemeasuringPlan {
  std::vector<RemeasuringGroup> groups;
  int turns = 0;
};

/// On rank 0: from what is durable so far. Of a group that has finished a case in one earlier session, that case is left out. `seconds`:
/// what is left of the budget, which may make turns fewer.
RemeasuringPlan plan_remeasuring_of(const RunRecord& record, const RunPlan& plan, const std::vector<std::string>& present,
                                    const Campaign& campaign, std::optional<double> seconds);
/// For an estimate: what it takes where one node turns out suspicious, its worst cases and ceilings being the longest. `seconds` as above.
double remeasuring_seconds(const std::vector<Case>& cases, const std::vector<CeilingCase>& ceilings, const Campaign& campaign, int nodes,
                           std::optional<double> seconds);
std::string to_text(const RemeasuringPlan& plan);
RemeasuringPlan remeasuring_plan_from(const std::string& text);
/// What is told of it before it begins.
std::vector<std::string> to_lines(const RemeasuringPlan& plan);
/// A turn is short: what tells is how turns agree.
TimingProtocol turn_protocol(const Timing& wanted);

class RemeasuringStage {
 public:
  struct Setting {
    const RunPlan& plan;
    Communicator& ranks;
    CaseRunner& runner;
    RunDeadlines& deadlines;
    TimingProtocol protocol;  // of one turn
    bool one_at_a_time;       // [nodes] turns
    std::string session;
  };

  RemeasuringStage(Setting setting, const RemeasuringPlan& again);

  /// Collective over all ranks. One turn: every node of a group once through its cases and points. `stop_here`, collective too, is asked
  /// wherever all ranks are in step; false: the turn was left unfinished.
  bool turn(int number, const std::function<bool()>& stop_here);
  /// The leader's finished units, of all turns.
  std::vector<Finished> finished() const;

 private:
  struct Unit {
    Finished finished;
    std::vector<Condition> conditions;
    double seconds = 0;
  };

  void measure(const std::string& id, int turn);
  std::optional<Finished> measure_case(std::size_t index);
  std::optional<Finished> measure_point(const std::string& id, const CeilingCase& point);
  bool one_after_the_other(const std::vector<std::string>& nodes, const std::string& id, int turn, const std::function<bool()>& stop_here);
  double patience(const std::string& id) const;
  void wait(double seconds);
  void add(const std::string& id, int turn, Finished&& measured, const std::vector<Condition>& conditions, double seconds);

  Setting setting_;
  const RemeasuringPlan& again_;
  std::map<std::string, std::size_t> index_;          // of a case in the plan
  std::map<std::string, const CeilingCase*> points_;  // of the plan's ceilings
  std::map<std::string, Unit> units_;
};

}  // namespace plumbline::app
