#include "app/scored_counters.hpp"

#include <algorithm>
#include <set>

#include "app/event_rows.hpp"
#include "app/result_file.hpp"
#include "model/accuracy.hpp"

namespace plumbline::app {
ScoredCounters scored_counters(const Results& results, const Measurements& measurements) {
  ScoredCounters scored{.counters = counters_in(measurements), .slots = {}};
  const auto counted = events_counted(measurements, "perf_event");
  if (counted.empty()) return scored;
  const EventTables tables = all_event_tables();
  std::set<std::string> known;
  std::vector<std::string> notes;
  for (const auto& node : node_facts(results, notes))
    for (const auto& row : counters_for(tables, {node.core.vendor, node.core.family, node.core.model, node.core.stepping}).counters) {
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
