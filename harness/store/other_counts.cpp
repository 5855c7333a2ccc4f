#include "store/other_counts.hpp"

#include <nlohmann/json.hpp>

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *list_name = "counted_with", *repetitions_name = "count_repetitions";

std::string backend_of(const CountedGroup& group) { return group.key.substr(0, group.key.find('/')); }

}  // namespace

std::optional<std::vector<CountedGroup>> counted_groups(const OutcomeRow& outcome) {
  const Json placement = Json::parse(outcome.placement, nullptr, false);
  if (!placement.is_object()) return std::nullopt;
  const auto list = placement.find(list_name);
  if (list == placement.end() || !list->is_array()) return std::nullopt;
  const Json repetitions = placement.value(repetitions_name, Json());
  std::vector<CountedGroup> groups;
  for (const auto& key : *list) {
    if (!key.is_string()) continue;
    CountedGroup& group = groups.emplace_back(CountedGroup{.key = key});
    if (const auto told = repetitions.find(group.key); told != repetitions.end() && told->is_number_integer()) group.repetitions = *told;
  }
  return groups;
}

std::set<std::string> take_other_counts(const OutcomeRow& earlier, OutcomeRow& later) {
  std::set<std::string> others;
  if (later.pass != "count" || earlier.placement == later.placement) return others;
  if (earlier.status != Status::ok || later.status != Status::ok) return others;
  const auto before = counted_groups(earlier), after = counted_groups(later);
  if (!before || !after) return others;
  std::set<std::string> counted_again;
  for (const CountedGroup& group : *after) counted_again.insert(backend_of(group));
  Json placement = Json::parse(later.placement);
  for (const CountedGroup& group : *before) {
    if (counted_again.contains(backend_of(group))) continue;
    others.insert(backend_of(group));
    placement[list_name].push_back(group.key);
    if (group.repetitions) placement[repetitions_name][group.key] = *group.repetitions;
  }
  if (!others.empty()) later.placement = placement.dump();
  return others;
}

}  // namespace plumbline
