#include "app/scored_counters.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/event_rows.hpp"
#include "model/accuracy.hpp"

namespace plumbline::app {
namespace {

CpuIdentity identity_in(const MachineRow& row) {
  const auto machine = nlohmann::json::parse(row.json, nullptr, false);
  if (!machine.is_object() || !machine.contains("cpu")) return {};
  const auto& cpu = machine["cpu"];
  return {cpu.value("vendor", ""), cpu.value("family", 0), cpu.value("model", 0), cpu.value("stepping", 0)};
}

std::set<std::string> events_counted(const Measurements& measurements, const std::string& backend) {
  std::set<std::string> events;
  for (const auto& measured : measurements.cases)
    if (const auto found = measured.counts.find(backend); found != measured.counts.end())
      for (const auto& [event, count] : found->second) events.insert(event);
  return events;
}

}  // namespace

ScoredCounters scored_counters(const Results& results, const Measurements& measurements) {
  ScoredCounters scored{.counters = counters_in(measurements), .slots = {}};
  const auto counted = events_counted(measurements, "perf_event");
  if (counted.empty()) return scored;
  const EventTables tables = all_event_tables();
  std::set<std::string> known;
  for (const auto& machine : results.machines)
    for (const auto& row : counters_for(tables, identity_in(machine)).counters) {
      const bool whole =
          std::all_of(row.events.begin(), row.events.end(), [&](const TableEvent& event) { return counted.contains(event.name); });
      if (!whole || !known.insert(row.counter.name).second) continue;
      scored.counters.push_back(row.counter);
      const auto each = static_cast<std::size_t>(row.slots) / std::max<std::size_t>(1, row.events.size());
      for (const auto& event : row.events)
        if (each > 1) scored.slots[{row.counter.backend, event.name}] = each;
    }
  return scored;
}

}  // namespace plumbline::app
