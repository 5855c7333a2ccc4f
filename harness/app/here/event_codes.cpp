#include "app/here/event_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace plumbline::app {
namespace {

struct Row {
  const TableCounter* counter = nullptr;
  const TableEvent* event = nullptr;
};

/// The row that says what the event is; nothing where none does.
Row row_of(const std::string& backend, const std::string& event, const std::vector<TableCounter>& table) {
  for (const auto& row : table)
    for (const auto& one : row.events)
      if (row.counter.backend == backend && one.name == event) return {&row, &one};
  return {};
}

std::string code_of(const Row& row) {
  const TableEvent& event = *row.event;
  if (row.counter->counter.backend == "cupti") return event.name;  // a metric of the chip's
  return fmt::format("{} {}", event.pmu.empty() ? "cpu" : event.pmu, event.raw ? fmt::format("0x{:x}", *event.raw) : event.name);
}

Json described(const std::string& backend, const std::string& event, const std::vector<TableCounter>& table, const BackendFacts& facts) {
  Json json{{"backend", backend}, {"event", event}};
  if (const Row row = row_of(backend, event, table); row.event != nullptr) {
    json["code"] = code_of(row);
    json["table"] = row.counter->written_at;
    json["table_hash"] = row.counter->table_hash;
  } else if (const BackendEntry* entry = find_backend(backend); entry != nullptr && entry->code != nullptr) {
    json["code"] = entry->code(event, facts);
  } else {
    json["code"] = event;
  }
  return json;
}

std::string file_of(const std::string& written_at) { return written_at.substr(0, written_at.rfind(':')); }

}  // namespace

Json event_codes(const CountingPlan& plan, const std::vector<TableCounter>& table, const BackendFacts& facts) {
  Json all = Json::array();
  std::set<std::pair<std::string, std::string>> met;
  for (const auto& group : plan.groups)
    for (const auto& event : group.what.events)
      if (met.emplace(group.backend, event).second) all.push_back(described(group.backend, event, table, facts));
  return all;
}

std::vector<std::string> table_changes(const Results& results, const std::vector<TableCounter>& today) {
  std::vector<std::string> changes;
  const Json provenance = Json::parse(results.provenance, nullptr, false);
  if (!provenance.is_object() || !provenance.contains("events") || !provenance["events"].is_array()) return changes;
  std::set<std::string> edited;
  for (const auto& one : provenance["events"]) {
    if (!one.is_object() || !one.contains("table")) continue;
    const auto event = one.value("event", ""), code = one.value("code", ""), table = one.value("table", "");
    const Row row = row_of(one.value("backend", ""), event, today);
    if (row.event == nullptr)
      changes.push_back(
          fmt::format("'{}' was counted as {} ({}), and no event table of today names it: it is not scored "
                      "(PLUMBLINE_EVENTS_PATH names your own tables)",
                      event, code, table));
    else if (code_of(row) != code)
      changes.push_back(
          fmt::format("'{}' was counted as {} ({}), but is {} in {} today: what its counters claim may not be what was counted", event,
                      code, table, code_of(row), row.counter->written_at));
    else if (row.counter->table_hash != one.value("table_hash", ""))
      edited.insert(file_of(row.counter->written_at));
  }
  for (const auto& file : edited)
    changes.push_back(fmt::format("{} is not as it was when this file was counted (the codes are): weights and claims are today's", file));
  return changes;
}

}  // namespace plumbline::app
