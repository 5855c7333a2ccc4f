#include "store/other_counts.hpp"

#include <nlohmann/json.hpp>
#include <optional>

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *list_name = "counted_with", *repetitions_name = "count_repetitions";

/// The list "counted_with" of a placement; null where it has none.
Json list_in(const Json& placement) {
  const auto found = placement.is_object() ? placement.find(list_name) : placement.end();
  return found != placement.end() && found->is_array() ? *found : Json();
}

/// The repetitions in which a group was counted; nullopt where a placement does not tell.
std::optional<int> repetitions_in(const Json& placement, const Json& key) {
  const auto all = placement.find(repetitions_name);
  if (all == placement.end() || !all->is_object() || !key.is_string()) return std::nullopt;
  const auto found = all->find(key.get<std::string>());
  return found != all->end() && found->is_number_integer() ? std::optional(found->get<int>()) : std::nullopt;
}

std::string backend_of(const Json& key) {
  const std::string text = key.is_string() ? key.get<std::string>() : "";
  return text.substr(0, text.find('/'));
}

std::set<std::string> backends_in(const Json& keys) {
  std::set<std::string> backends;
  for (const auto& key : keys) backends.insert(backend_of(key));
  return backends;
}

}  // namespace

std::set<std::string> take_other_counts(const OutcomeRow& earlier, OutcomeRow& later) {
  std::set<std::string> others;
  if (later.pass != "count" || earlier.placement == later.placement) return others;
  if (earlier.status != Status::ok || later.status != Status::ok) return others;
  Json placement = Json::parse(later.placement, nullptr, false);
  const Json placement_before = Json::parse(earlier.placement, nullptr, false), before = list_in(placement_before);
  Json after = list_in(placement);
  if (before.is_null() || after.is_null()) return others;
  const std::set<std::string> counted_again = backends_in(after);
  for (const auto& key : before)
    if (const std::string backend = backend_of(key); !counted_again.contains(backend)) {
      others.insert(backend);
      after.push_back(key);
      if (const auto repetitions = repetitions_in(placement_before, key))
        placement[repetitions_name][key.get<std::string>()] = *repetitions;
    }
  if (others.empty()) return others;
  placement[list_name] = std::move(after);
  later.placement = placement.dump();
  return others;
}

}  // namespace plumbline
