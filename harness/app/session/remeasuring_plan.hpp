// A run measures some cases and ceilings of some nodes again; the plan says how often, and what that takes.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/remeasuring_turns.hpp"
#include "app/session/run_record.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "core/case.hpp"
#include "ert/ceiling_plan.hpp"
#include "gpu/gpu_module.hpp"
#include "measure/timing.hpp"

namespace plumbline::app {

inline constexpr std::string_view again_pass = "again";
inline constexpr int turn_repetitions = 3;

/// The seconds that a turn of a case, or of a ceiling's point, takes on one node. All 0: it is not in the plan of who is asked.
struct TurnSeconds {
  double estimated = 0, at_most = 0;
};

/// The plan says who measures what again, and how often: the same on every rank.
struct RemeasuringPlan {
  std::vector<RemeasuringGroup> groups;
  std::vector<std::string> left_out;           // on rank 0, in words: suspicious, but not to be measured again
  TurnsTaken taken;                            // by earlier sessions
  std::optional<double> seconds_left;          // of the budget, which may make turns fewer
  int turns = 0;                               // from agree_on() on: of each thing, with those taken
  std::map<std::string, TurnSeconds> seconds;  // likewise, of each case and point
};

/// Plans on rank 0 from what is durable so far, without the groups that earlier sessions took far enough.
RemeasuringPlan plan_remeasuring_of(const RunRecord& record, const std::vector<std::string>& present, std::optional<double> seconds_left);
std::string to_text(const RemeasuringPlan& plan);
RemeasuringPlan remeasuring_plan_from(const std::string& text);

/// Agrees on the plan; collective over `world`. Each thing takes as long as on the slowest rank, by what each rank says; what nobody has,
/// as the campaign was changed, is left out. `one_at_a_time`: nodes that take turns add up.
void agree_on(RemeasuringPlan& plan, const std::function<TurnSeconds(const std::string& id)>& here, bool one_at_a_time, Group& world);
/// The lines that tell of the plan before it begins.
std::vector<std::string> to_lines(const RemeasuringPlan& plan);

/// The protocol of a turn, which is short: what tells is how turns agree.
TimingProtocol turn_protocol(const Timing& wanted);
/// The point as often as a turn takes it; the repetitions share their data.
inline std::vector<CeilingCase> repetitions_of(const CeilingCase& point) { return std::vector<CeilingCase>(turn_repetitions, point); }
/// The estimated seconds of a turn of a case, and of a point of CPUs or of that GPU.
double turn_seconds(const Case& measured, const Campaign& campaign);
double turn_seconds(const CeilingCase& point);
double turn_seconds(const CeilingCase& point, const GpuProperties& gpu);

/// The estimated seconds where one node turns out suspicious, its worst cases and ceilings being the longest. `seconds_left` as above.
double remeasuring_seconds(const std::vector<Case>& cases, const std::vector<CeilingCase>& ceilings, const Campaign& campaign, int nodes,
                           std::optional<double> seconds_left);

}  // namespace plumbline::app
