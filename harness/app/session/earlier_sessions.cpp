#include "app/session/earlier_sessions.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "app/session/forms_json.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "core/gpu_device.hpp"
#include "store/other_counts.hpp"
#include "store/session_list.hpp"

namespace plumbline::app {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Overdue, times, reason, given_up)

namespace {

std::string counted_pass(const std::string& group_key) { return "count:" + group_key; }

std::string where_measured(const CeilingRow& row) {
  if (row.level == CeilingKind::mpi || row.level == CeilingKind::link) return row.level;
  if (row.level == CeilingKind::choice) return "form";  // of which nobody asks: what was chosen says enough
  return row.scope == gpu_scope ? gpu_rounds(row.device) : "node";
}

/// The rounds of ceilings that were measured, named as units of work. What failed is tried again, and not forgotten; a point that hung
/// twice is not.
void add_ceiling_rounds(const Results& earlier, const std::map<WorkKey, Overdue>& overdue, std::set<WorkKey>& keys) {
  const auto is_given_up = [&](const CeilingRow& row) {
    const auto found = overdue.find({gpu_point(row), row.node, "time"});
    return found != overdue.end() && found->second.given_up;
  };
  using Round = std::tuple<std::string, std::string, std::string, std::int32_t>;
  std::map<Round, std::vector<std::string>> rounds;
  std::set<Round> failed;
  for (const auto& row : earlier.ceilings) {
    const Round round{where_measured(row), row.node, row.session, row.round};
    if (is_failure(row.status) && !is_given_up(row)) failed.insert(round);
    if (row.level != CeilingKind::numa) rounds[round].push_back(ceiling_point(row));  // the others come with the ceilings of their node
  }
  for (auto& [which, points] : rounds) {
    const auto& [where, node, session, round] = which;
    if (!failed.contains(which)) keys.emplace(ceiling_round_id(where, std::move(points), round), node, "time");
  }
}

void add_outcome(const OutcomeRow& outcome, EarlierSessions& earlier) {
  if (outcome.status != Status::ok) return;
  earlier.finished.emplace(outcome.case_id, outcome.node, outcome.pass);
  if (outcome.pass != "count") return;
  for (const CountedGroup& group : counted_groups(outcome).value_or(std::vector<CountedGroup>())) {
    const WorkKey key{outcome.case_id, outcome.node, counted_pass(group.key)};
    earlier.finished.insert(key);
    if (group.repetitions) earlier.count_repetitions[key] = *group.repetitions;
  }
}

/// A case that took too long once is tried again, after the second time only under a longer deadline; so is a point of a round of a GPU's
/// ceilings by itself. A round hands on what it did not try.
void add_overdue(const OutcomeRow& outcome, const Deadline& deadline, EarlierSessions& earlier) {
  const json placement = json::parse(outcome.placement, nullptr, false);
  if (outcome.status == Status::ok || !placement.is_object()) return;
  const auto add = [&](const json& then, const std::string& reason) {
    const int times = then.value("times", 0);
    const bool longer = deadline.factor > then.value("factor", 0.0) || deadline.floor_seconds > then.value("floor_seconds", 0.0);
    const std::string point = then.value("point", "");
    const WorkKey key{point.empty() ? outcome.case_id : point, outcome.node, outcome.pass};
    const bool given_up = times >= 2 && !longer;
    earlier.overdue[key] = {times, reason, given_up};
    if (given_up) earlier.finished.insert(key);
  };
  if (placement.contains("deadline")) add(placement["deadline"], outcome.reason);
  for (const json& hung : placement.value("hung", json::array())) add(hung, hung.value("reason", ""));
}

/// The UUIDs of the GPUs that a unit was measured on.
void add_gpus(const OutcomeRow& outcome, std::map<std::string, std::set<std::string>>& gpus) {
  const json placement = json::parse(outcome.placement, nullptr, false);
  if (outcome.status != Status::ok || !placement.is_object()) return;
  for (const json& rank : placement.value("ranks", json::array()))
    if (const json uuid = rank.value("/gpu/uuid"_json_pointer, json()); uuid.is_string()) gpus[outcome.node].insert(uuid);
}

/// The last caches that were chosen, by node: those of the result file, then those of the journals.
std::map<std::string, std::string> read_last_caches(const Results& earlier) {
  std::map<std::string, std::string> chosen;
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  if (provenance.is_object() && provenance.contains("last_caches"))
    for (const json& one : provenance["last_caches"])
      if (one.is_object() && one.contains("node") && one["node"].is_string()) chosen[one["node"]] = one.dump();
  for (const auto& outcome : earlier.outcomes)
    if (outcome.case_id == last_cache_unit && outcome.status == Status::ok) chosen[outcome.node] = outcome.placement;
  return chosen;
}

/// The contests of earlier sessions, in the order of the sessions.
std::vector<FormContest> contests_in_order(const Results& earlier) {
  std::map<std::string, std::int64_t> started;
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  if (provenance.is_object() && provenance.contains("sessions"))
    for (const json& session : provenance["sessions"])
      started.try_emplace(session["session"], session.value("started_unix_ns", std::int64_t{0}));
  auto contests = contests_of(earlier.ceilings);
  std::stable_sort(contests.begin(), contests.end(),
                   [&](const FormContest& a, const FormContest& b) { return started[a.session] < started[b.session]; });
  return contests;
}

std::int64_t youngest_start(const Results& earlier) {
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  std::int64_t youngest = 0;
  if (provenance.is_object() && provenance.contains("sessions"))
    for (const json& session : provenance["sessions"]) youngest = std::max(youngest, session.value("started_unix_ns", std::int64_t{0}));
  return youngest;
}

/// The kinds of the nodes that a session described, by name.
std::map<std::string, std::string> kinds_of(const std::vector<MachineRow>& machines) {
  std::map<std::string, std::string> kinds;
  for (const auto& machine : machines)
    if (const json facts = json::parse(machine.json, nullptr, false); facts.is_object() && facts.contains("kind"))
      kinds[machine.node] = facts["kind"];
  return kinds;
}

}  // namespace

void to_json(json& told, const EarlierSessions& earlier) {
  told = {{"finished", earlier.finished},
          {"count_repetitions", earlier.count_repetitions},
          {"overdue", earlier.overdue},
          {"kinds", earlier.kinds},
          {"last_caches", earlier.last_caches},
          {"chosen_forms", earlier.chosen_forms},
          {"youngest_start_ns", earlier.youngest_start_ns},
          {"gpus", earlier.gpus}};
}

void from_json(const json& told, EarlierSessions& earlier) {
  told.at("finished").get_to(earlier.finished);
  told.at("count_repetitions").get_to(earlier.count_repetitions);
  told.at("overdue").get_to(earlier.overdue);
  told.at("kinds").get_to(earlier.kinds);
  told.at("last_caches").get_to(earlier.last_caches);
  told.at("chosen_forms").get_to(earlier.chosen_forms);
  told.at("youngest_start_ns").get_to(earlier.youngest_start_ns);
  told.at("gpus").get_to(earlier.gpus);
}

EarlierSessions sessions_in(const Results& earlier, const Deadline& deadline) {
  EarlierSessions sessions;
  for (const auto& outcome : earlier.outcomes) {
    add_outcome(outcome, sessions);
    add_overdue(outcome, deadline, sessions);
    add_gpus(outcome, sessions.gpus);
  }
  add_ceiling_rounds(earlier, sessions.overdue, sessions.finished);
  sessions.chosen_forms = chosen_forms(earlier.ceilings);
  sessions.contests = contests_in_order(earlier);
  sessions.youngest_start_ns = youngest_start(earlier);
  sessions.last_caches = read_last_caches(earlier);
  sessions.kinds = kinds_of(earlier.machines);
  return sessions;
}

std::int64_t EarlierSessions::start_after(std::int64_t now) const { return std::max(now, youngest_start_ns + 1); }

std::optional<std::string> EarlierSessions::last_cache(const std::string& node) const {
  const auto chosen = last_caches.find(node);
  return chosen == last_caches.end() ? std::nullopt : std::optional(chosen->second);
}

bool EarlierSessions::counted_on(const std::string& node) const {
  return std::any_of(finished.begin(), finished.end(),
                     [&](const WorkKey& key) { return std::get<1>(key) == node && std::get<2>(key) == "count"; });
}

bool counting_is_finished(const EarlierSessions& earlier, const std::string& id, const std::string& node,
                          const std::vector<std::string>& group_keys, int repetitions) {
  const WorkKey counting{id, node, "count"};
  if (const auto overdue = earlier.overdue.find(counting); overdue != earlier.overdue.end() && overdue->second.given_up) return true;
  return earlier.finished.contains(counting) && std::all_of(group_keys.begin(), group_keys.end(), [&](const std::string& key) {
           const WorkKey group{id, node, counted_pass(key)};
           const auto counted = earlier.count_repetitions.find(group);
           return earlier.finished.contains(group) && (counted == earlier.count_repetitions.end() || counted->second >= repetitions);
         });
}

}  // namespace plumbline::app
