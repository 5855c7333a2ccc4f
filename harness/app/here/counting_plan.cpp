#include "app/here/counting_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "campaign/suggest.hpp"
#include "core/error.hpp"
#include "core/fnv.hpp"
#include "counters/cupti/cupti.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

/// A backend and the events that are wanted of it; none: its own choice.
struct Wish {
  const BackendEntry* backend;
  EventNames events;
};

std::vector<std::string> names_of(std::span<const BackendEntry> entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

Error unknown(std::string_view counters, std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> allowed{"auto", "none"};
  for (const auto& backend : known) allowed.push_back(backend), allowed.push_back(backend + ":EVENT");
  const auto near = nearest(name, known);
  return user_error(fmt::format("counters = \"{}\": this program has no counters '{}'{}; allowed: {}", counters, name,
                                near ? fmt::format("; did you mean '{}'?", *near) : "", fmt::join(allowed, ", ")));
}

/// Reads the wishes, one a backend, in the order of their first mention; a backend's own choice includes what is named of it besides.
std::vector<Wish> read_wishes(std::string_view counters) {
  std::vector<Wish> wishes;
  for (std::string_view rest = counters; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::string_view name = item.substr(0, item.find(':'));
    const BackendEntry* entry = find_backend(name);
    if (entry == nullptr) throw unknown(counters, item, names_of(backends()));
    auto wish = std::find_if(wishes.begin(), wishes.end(), [&](const Wish& one) { return one.backend == entry; });
    if (wish == wishes.end()) wish = wishes.insert(wish, {entry, {}});
    if (name.size() < item.size()) wish->events.emplace_back(item.substr(name.size() + 1));
  }
  return wishes;
}

std::string nearest_event(const BackendEntry& backend, const std::string& event, const BackendFacts& facts) {
  std::vector<std::string> known;
  for (auto& one : backend.events(facts)) known.push_back(std::move(one.name));
  const auto near = nearest(event, known);
  return near ? fmt::format("; did you mean '{}:{}'?", backend.name, *near) : "; 'plumbline list counters' shows what there is";
}

/// Appends the groups that can be counted; what stands in the way of the rest. `emulator`: of events that exist only in a worker.
std::vector<Refusal> add_groups(CountingPlan& plan, const Wish& wish, const Availability& emulator, const BackendFacts& facts) {
  const auto backend = wish.backend->make(wish.events, facts);
  std::vector<Refusal> refused = backend->refused();
  auto number = static_cast<int>(std::count_if(plan.groups.begin(), plan.groups.end(),
                                               [&](const CountingGroup& group) { return group.backend == wish.backend->name; }));
  for (const EventGroup& group : backend->groups()) {
    if (group.emulated && !emulator.ok())
      refused.push_back({wish.events.empty() ? "" : group.events.front(), emulator});
    else
      plan.groups.push_back({std::string(wish.backend->name), number++, group});
  }
  if (backend->groups().empty() && refused.empty()) refused.push_back({"", backend->availability()});
  return refused;
}

bool is_of_gpu(std::string_view backend) {
  const BackendEntry* entry = find_backend(backend);
  return entry != nullptr && entry->of_gpu;
}

/// Whether counters of GPUs are refused. A backend that has events may still not count them: this is tried, some 0.5 s.
bool counters_of_gpus_refuse(const CountingPlan& plan) { return !plan.counts_on_gpus() || !try_cupti().availability.ok(); }

/// Plans what is wished; throws where one of it cannot be had.
CountingPlan plan_wishes(std::string_view counters, std::vector<Wish> wishes, const Availability& emulator, const BackendFacts& facts) {
  CountingPlan plan;
  for (Wish& wish : wishes) {
    if (wish.events.empty() && wish.backend->emulated != nullptr && wish.backend->make({}, facts)->groups().empty())
      wish.events = wish.backend->emulated();
    const auto refused = add_groups(plan, wish, emulator, facts);
    if (refused.empty()) continue;
    const Refusal& first = refused.front();
    const std::string what = first.event.empty() ? std::string(wish.backend->name) : fmt::format("{}:{}", wish.backend->name, first.event);
    throw user_error(fmt::format("counters = \"{}\": '{}' cannot be had: {}{}", counters, what, first.why.reason,
                                 first.unknown ? nearest_event(*wish.backend, first.event, facts) : ""));
  }
  return plan;
}

CountingPlan plan_automatically(const Availability& emulator, const BackendFacts& facts, bool cases_for_gpus) {
  CountingPlan plan;
  for (const auto& entry : backends()) {
    if (entry.of_gpu && !cases_for_gpus) continue;
    if (entry.of_code && !counters_of_gpus_refuse(plan)) continue;  // behind those that it stands in for
    if (const auto refused = add_groups(plan, {&entry, {}}, emulator, facts); !refused.empty())
      plan.skipped.push_back({std::string(entry.name), refused.front().why});
  }
  return plan;
}

}  // namespace

std::string CountingGroup::key() const {
  std::uint64_t hash = fnv_start;
  for (const auto& event : what.events) hash = fnv1a(event + '\n', hash);
  return fmt::format("{}/{}-{:016x}", backend, what.events.size(), hash);
}

bool counts_there(const CountingGroup& group, Space space) { return is_of_gpu(group.backend) == (space == Space::cuda); }

std::vector<std::string> keys_for(Space space, std::span<const std::string> keys) {
  std::vector<std::string> there;
  for (const auto& key : keys)
    if (is_of_gpu(key.substr(0, key.find('/'))) == (space == Space::cuda)) there.push_back(key);
  return there;
}

bool CountingPlan::counts_on_gpus() const {
  return std::any_of(groups.begin(), groups.end(), [](const CountingGroup& group) { return counts_there(group, Space::cuda); });
}

bool CountingPlan::needs_worker() const {
  return std::any_of(groups.begin(), groups.end(), [](const CountingGroup& group) { return group.what.emulated; });
}

std::vector<std::string> CountingPlan::keys() const {
  std::vector<std::string> all;
  for (const auto& group : groups) all.push_back(group.key());
  return all;
}

std::string CountingPlan::why_skipped() const {
  std::vector<std::string> reasons;
  for (const auto& skip : skipped) reasons.push_back(fmt::format("{}: {}: {}", skip.backend, to_string(skip.why.status), skip.why.reason));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

CountingPlan plan_counting(std::string_view counters, const Availability& emulator, const BackendFacts& facts, bool cases_for_gpus) {
  if (counters == "none") return {};
  if (counters == "auto") return plan_automatically(emulator, facts, cases_for_gpus);
  return plan_wishes(counters, read_wishes(counters), emulator, facts);
}

void check_counters(std::string_view counters, const Availability& emulator, const BackendFacts& facts) {
  if (counters == "none" || counters == "auto") return;
  auto wishes = read_wishes(counters);
  std::erase_if(wishes, [](const Wish& wish) { return wish.backend->of_gpu; });
  plan_wishes(counters, std::move(wishes), emulator, facts);
}

CountingPlan plan_counting(const CounterSet& set, bool alone_first, const Availability& emulator, const BackendFacts& facts) {
  std::vector<Wish> wishes;
  const auto wish = [&](const std::string& backend, EventNames events) {
    const BackendEntry* entry = find_backend(backend);
    if (entry == nullptr) throw unknown(set.file, backend, names_of(backends()));
    wishes.push_back({entry, std::move(events)});
  };
  for (const auto& group : set.groups)
    if (alone_first && group.events.size() > 1)
      for (const auto& event : group.events) wish(group.backend, {event});
  for (const auto& group : set.groups) wish(group.backend, group.events);
  CountingPlan plan;
  for (const Wish& one : wishes)
    if (const auto refused = add_groups(plan, one, emulator, facts); !refused.empty())
      throw user_error(fmt::format("the set's '{}:{}' cannot be had here: {}; the set was chosen on {}", one.backend->name,
                                   refused.front().event, refused.front().why.reason, set.machine));
  return plan;
}

std::string to_text(const CountingPlan& plan) {
  json groups = json::array(), skipped = json::array();
  for (const auto& [backend, number, what] : plan.groups)
    groups.push_back({backend, number, what.events, what.emulated, what.whole_team, what.repeats_exactly, what.passes});
  for (const auto& [backend, why] : plan.skipped) skipped.push_back({backend, to_string(why.status), why.reason});
  return json{{"groups", groups}, {"skipped", skipped}}.dump();
}

CountingPlan counting_plan_from(const std::string& text) {
  const json told = json::parse(text);
  CountingPlan plan;
  for (const auto& group : told["groups"])
    plan.groups.push_back(
        {.backend = group[0],
         .number = group[1],
         .what = {.events = group[2], .emulated = group[3], .whole_team = group[4], .repeats_exactly = group[5], .passes = group[6]}});
  for (const auto& skip : told["skipped"])
    plan.skipped.push_back({skip[0], {status_from(skip[1].get<std::string>()).value_or(Status::failed), skip[2]}});
  return plan;
}

}  // namespace plumbline::app
