#include "store/session_list.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Json> object_of(const std::string& text) {
  Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  return std::optional<Json>(std::in_place, std::move(document));  // which of two conversions is meant
}

Json list_of(const Json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_array() ? *found : Json::array();
}

Json entry_of(const JournalHeader& header) {
  Json entry{{"session", header.session}, {"started_unix_ns", header.started_unix_ns}, {"nodes", Json::array()}};
  if (const auto provenance = object_of(header.provenance))
    for (const char* key : {"git", "program"})
      if (provenance->contains(key)) entry[key] = (*provenance)[key];
  return entry;
}

/// A list without repetitions.
class Set {
 public:
  explicit Set(Json list) : list_(std::move(list)) {
    for (const auto& item : list_) seen_.insert(item.dump());
  }
  void add(Json item) {
    if (seen_.insert(item.dump()).second) list_.push_back(std::move(item));
  }
  Json take() && { return std::move(list_); }

 private:
  Json list_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::string with_sessions(const std::string& provenance, std::span<const JournalHeader> headers) {
  auto document = object_of(provenance);
  if (!document) return provenance;
  Json sessions = Json::array();
  std::vector<Set> nodes;  // of each
  std::unordered_map<std::string, std::size_t> place;
  for (const auto& header : headers) {
    const auto [found, is_new] = place.try_emplace(header.session, sessions.size());
    if (is_new) {
      sessions.push_back(entry_of(header));
      nodes.emplace_back(Json::array());
    }
    for (const auto& machine : header.machines) nodes[found->second].add(machine.node);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) sessions[i]["nodes"] = std::move(nodes[i]).take();
  (*document)["sessions"] = std::move(sessions);
  return document->dump();
}

std::string with_stops(const std::string& provenance, std::span<const OutcomeRow> outcomes) {
  auto document = object_of(provenance);
  if (!document) return provenance;
  Set set(list_of(*document, "stops"));
  for (const auto& outcome : outcomes)
    if (outcome.case_id.starts_with(stop_prefix))
      set.add(Json{{"session", outcome.session}, {"node", outcome.node}, {"reason", outcome.reason}});
  if (Json stops = std::move(set).take(); !stops.empty()) (*document)["stops"] = std::move(stops);
  return document->dump();
}

std::string with_last_caches(const std::string& provenance, std::span<const OutcomeRow> outcomes) {
  auto document = object_of(provenance);
  if (!document) return provenance;
  Set set(list_of(*document, "last_caches"));
  for (const auto& outcome : outcomes) {
    if (outcome.case_id != last_cache_unit) continue;
    Json entry{{"session", outcome.session}, {"node", outcome.node}};
    if (const auto chosen = object_of(outcome.placement)) entry.update(*chosen);
    set.add(std::move(entry));
  }
  if (Json caches = std::move(set).take(); !caches.empty()) (*document)["last_caches"] = std::move(caches);
  return document->dump();
}

std::string with_wrong_results(const std::string& provenance, std::span<const OutcomeRow> outcomes) {
  auto document = object_of(provenance.empty() ? "{}" : provenance);
  if (outcomes.empty() || !document) return provenance;
  Set set(list_of(*document, "wrong_results"));
  for (const auto& outcome : outcomes)
    set.add(Json{{"session", outcome.session},
                 {"node", outcome.node},
                 {"case", outcome.case_id},
                 {"pass", outcome.pass},
                 {"reason", outcome.reason},
                 {"started_unix_ns", outcome.started_unix_ns}});
  (*document)["wrong_results"] = std::move(set).take();
  return document->dump();
}

std::vector<OutcomeRow> listed_wrong_results(const std::string& provenance) {
  std::vector<OutcomeRow> outcomes;
  if (provenance.find("\"wrong_results\"") == std::string::npos) return outcomes;  // the usual case: nothing to parse
  const auto document = object_of(provenance);
  if (!document) return outcomes;
  for (const auto& one : list_of(*document, "wrong_results"))
    if (one.is_object())
      outcomes.push_back({.case_id = one.value("case", ""),
                          .pass = one.value("pass", ""),
                          .status = Status::wrong_result,
                          .reason = one.value("reason", ""),
                          .node = one.value("node", ""),
                          .placement = "{}",
                          .started_unix_ns = one.value("started_unix_ns", std::int64_t{0}),
                          .session = one.value("session", "")});
  return outcomes;
}

std::string with_events_of(const std::string& newer, const std::string& older) {
  auto document = object_of(newer);
  const auto before = object_of(older);
  if (!document || !before) return newer;
  Json events = list_of(*document, "events");
  std::set<std::string> known;
  for (const auto& event : events) known.insert(event.value("backend", ""));
  const std::size_t own = events.size();
  for (const auto& event : list_of(*before, "events"))
    if (event.is_object() && !known.contains(event.value("backend", ""))) events.push_back(event);
  if (events.size() == own) return newer;
  (*document)["events"] = std::move(events);
  return document->dump();
}

std::string with_lists_of(const std::string& newer, const std::string& older) {
  auto document = object_of(newer);
  const auto before = object_of(older);
  if (!document || !before) return newer;
  for (const char* name : {"sessions", "stops", "wrong_results", "last_caches"}) {
    Json list = list_of(*before, name);
    const auto key = [](const Json& one) {  // what a list has no such words for is told apart by the others
      return std::tuple(one.value("session", ""), one.value("node", ""), one.value("case", ""), one.value("pass", ""));
    };
    std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> place;
    for (std::size_t i = 0; i < list.size(); ++i) place.try_emplace(key(list[i]), i);
    for (const auto& item : list_of(*document, name)) {
      const auto [known, is_new] = place.try_emplace(key(item), list.size());
      if (is_new)
        list.push_back(item);
      else
        list[known->second] = item;
    }
    if (!list.empty()) (*document)[name] = std::move(list);
  }
  return document->dump();
}

}  // namespace plumbline
