// A run measures some cases and ceilings of some nodes again; the plan says how often, and what that takes.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/session/remeasuring_turns.hpp"
#include "app/session/run_record.hpp"
#include "app/stages/remeasuring_estimate.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "core/case.hpp"
#include "ert/ceiling_plan.hpp"
#include "gpu/gpu_module.hpp"
#include "measure/timing.hpp"

namespace plumbline::app {

inline constexpr std::string_view again_pass = "again";

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
/// The form in which the other ranks are told what is known before agree_on(), without what is left out. From JSON into an empty plan.
void to_json(nlohmann::json& told, const RemeasuringPlan& plan);
void from_json(const nlohmann::json& told, RemeasuringPlan& plan);

/// Agrees on the plan; collective over `world`. Each thing takes as long as on the slowest rank, by what each rank says; what nobody has,
/// as the campaign was changed, is left out. `one_at_a_time`: nodes that take turns add up.
void agree_on(RemeasuringPlan& plan, const std::function<TurnSeconds(const std::string& id)>& here, bool one_at_a_time, Group& world);
/// The lines that tell of the plan before it begins.
std::vector<std::string> to_lines(const RemeasuringPlan& plan);

/// The protocol of a turn, which is short: what tells is how turns agree.
TimingProtocol turn_protocol(const Timing& wanted);
}  // namespace plumbline::app
