// The things that earlier sessions of a run left for this one: what is finished, what took too long, what they chose.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "core/records.hpp"
#include "model/ceilings/form_choice.hpp"
#include "store/merge.hpp"

namespace plumbline::app {

/// A unit that took longer than its deadline in earlier sessions.
struct Overdue {
  int times = 0;
  std::string reason;     // of the last time
  bool given_up = false;  // it did so twice, under a deadline no shorter than the one it would have now
};

/// The legacy of earlier sessions; empty where there were none.
struct EarlierSessions {
  /// Units that came out with status ok; what failed or could not be done is tried again. A counting pass is there once more for each event
  /// group that it counted (counting_is_finished). What is given up is among them.
  std::set<WorkKey> finished;
  std::map<WorkKey, int> count_repetitions;  // of event groups that were counted, where that was not exact and is told
  std::map<WorkKey, Overdue> overdue;
  std::map<std::string, std::string> kinds;           // of nodes, by name: what makes nodes alike
  std::map<std::string, std::set<std::string>> gpus;  // of nodes, by name: UUIDs of the GPUs that were measured
  std::map<std::string, std::string> last_caches;     // that were chosen, by node, JSON (stages/last_cache_stage.hpp)
  std::vector<ChosenForm> chosen_forms;               // loops of ceilings, by node: they are not chosen again
  std::int64_t youngest_start_ns = 0;
  std::vector<FormContest> contests;  // what the forms were chosen by, in the order of the sessions: on rank 0

  /// `now`, or just after the start of the youngest session: the order of sessions survives a clock that was set back.
  std::int64_t start_after(std::int64_t now) const;
  std::optional<std::string> last_cache(const std::string& node) const;
  /// Whether anything was counted on that node.
  bool counted_on(const std::string& node) const;
};

/// The form in which the other ranks are told: all but the contests.
void to_json(nlohmann::json& told, const EarlierSessions& earlier);
void from_json(const nlohmann::json& told, EarlierSessions& earlier);

/// `deadline`: under which a unit that was given up may be tried again, where it is longer than the one of then.
EarlierSessions sessions_in(const Results& earlier, const Deadline& deadline);

/// Whether a case was counted with every group of these keys, in so many repetitions where its counts do not repeat exactly, or is not to
/// be tried again: then its counting pass need not be repeated.
bool counting_is_finished(const EarlierSessions& earlier, const std::string& id, const std::string& node,
                          const std::vector<std::string>& group_keys, int repetitions);

}  // namespace plumbline::app
