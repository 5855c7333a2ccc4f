#include "app/results/scored_counters.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/here/event_codes.hpp"
#include "app/here/event_rows.hpp"
#include "app/results/result_file.hpp"
#include "counters/sass/disassembled.hpp"
#include "model/scoring/accuracy.hpp"
#include "model/scoring/counter_conditions.hpp"

namespace plumbline::app {
namespace {

using Rows = std::vector<TableCounter>;

bool all_counted(const TableCounter& row, const std::set<std::string>& counted) {
  return std::all_of(row.events.begin(), row.events.end(), [&](const TableEvent& event) { return counted.contains(event.name); });
}

void add_needs(const TableCounter& row, SlotLimits& limits) {
  const auto each = static_cast<std::size_t>(row.slots) / std::max<std::size_t>(1, row.events.size());
  for (const auto& event : row.events) {
    const SlotLimits::Event which{row.counter.backend, event.name};
    if (each > 1) limits.slots[which] = each;
    if (!event.pmu.empty()) limits.pmus[which] = event.pmu;
    if (!event.only_slots.empty()) limits.only_on[which] = event.only_slots;
  }
}

/// Each event of the one beside each of the other; one that both have is no conflict with itself.
void part(const TableCounter& row, const Rows& rows, SlotLimits& limits) {
  for (const auto& other : rows) {
    if (std::find(row.not_with.begin(), row.not_with.end(), other.counter.name) == row.not_with.end()) continue;
    for (const auto& mine : row.events)
      for (const auto& theirs : other.events)
        if (mine.name != theirs.name) limits.conflicts.insert({{row.counter.backend, mine.name}, {other.counter.backend, theirs.name}});
  }
}

/// The bytes of a line of the first cache; 64 where the file does not say.
double line_bytes_of(const Results& results) {
  const auto provenance = nlohmann::json::parse(results.provenance, nullptr, false);
  if (provenance.is_object())
    if (const auto caches = provenance.find("simulated_caches"); caches != provenance.end() && caches->is_array() && !caches->empty())
      return caches->front().value("line_bytes", 64.0);
  return 64;
}

/// An event's name, "skx::L1D:REPLACEMENT", without the PMU that PAPI may name before it.
std::string without_pmu(const std::string& event) {
  const auto colons = event.find("::");
  return colons == event.npos ? event : event.substr(colons + 2);
}

/// The same rows by PAPI's native events, under the names by which they were counted.
Rows by_natives(Rows rows, const std::set<std::string>& counted) {
  std::map<std::string, std::string> names;
  for (const auto& event : counted) names.emplace(without_pmu(event), event);
  for (auto& row : rows) {
    row.counter.name = "papi " + row.counter.name;
    row.counter.backend = "papi";
    for (auto& other : row.not_with) other = "papi " + other;
    for (std::size_t i = 0; i < row.events.size(); ++i)
      if (const auto found = names.find(row.events[i].name); found != names.end())
        row.events[i].name = row.counter.terms[i].event = found->second;
  }
  return rows;
}

/// The same rows under names of their own: a CPU's table may have one of that name.
Rows of_gpu(Rows rows) {
  for (auto& row : rows) row.counter.name = "cupti " + row.counter.name;
  return rows;
}

/// The chips of the nodes that counted on GPUs, as CUPTI called them.
std::set<std::string> chips_in(const Results& results) {
  std::set<std::string> chips;
  for (const auto& row : results.machines)
    if (const auto machine = nlohmann::json::parse(row.json, nullptr, false); machine.is_object())
      if (const auto chip = machine.find("gpu_chip"); chip != machine.end() && chip->is_string()) chips.insert(chip->get<std::string>());
  return chips;
}

class Collector {
 public:
  Collector(ScoredCounters& scored, double line_bytes) : scored_(scored), line_bytes_(line_bytes) {}

  /// Adds the rows whose events were all counted.
  void add(const Rows& rows, const std::set<std::string>& counted) {
    for (const auto& row : rows) {
      if (!all_counted(row, counted) || !known_.insert(row.counter.name).second) continue;
      scored_.counters.push_back(row.counter);
      for (std::size_t i = 0; i < row.events.size(); ++i)
        if (row.events[i].is_line) scored_.counters.back().terms[i].weight = line_bytes_;
      add_needs(row, scored_.limits);
      part(row, rows, scored_.limits);
    }
  }

 private:
  ScoredCounters& scored_;
  std::set<std::string> known_;
  double line_bytes_;
};

}  // namespace

ScoredCounters scored_counters(const Results& results, const Measurements& measurements) {
  ScoredCounters scored{.counters = counters_in(measurements)};
  const auto by_code = events_counted(measurements, "disassembled");
  const auto by_perf = events_counted(measurements, "perf_event"), by_papi = events_counted(measurements, "papi"),
             by_cupti = events_counted(measurements, "cupti");
  for (auto& counter : disassembled_counters())
    if (std::all_of(counter.terms.begin(), counter.terms.end(), [&](const Term& term) { return by_code.contains(term.event); }))
      scored.counters.push_back(std::move(counter));
  if (by_perf.empty() && by_papi.empty() && by_cupti.empty()) return scored;
  const EventTables tables = all_event_tables();
  Collector collector(scored, line_bytes_of(results));
  std::vector<std::string> notes;
  Rows today;
  for (const auto& node : node_facts(results, notes)) {
    const CpuIdentity cpu{node.core.vendor, node.core.family, node.core.model, node.core.stepping};
    const Rows of_cpu = counters_for(tables, cpu).counters, presets = counters_for(tables, cpu, "papi").counters;
    collector.add(of_cpu, by_perf);
    collector.add(presets, by_papi);
    collector.add(by_natives(of_cpu, by_papi), by_papi);
    today.insert(today.end(), of_cpu.begin(), of_cpu.end());
  }
  for (const auto& chip : chips_in(results)) {
    const Rows rows = counters_for_chip(tables, chip).counters;
    collector.add(of_gpu(rows), by_cupti);
    today.insert(today.end(), rows.begin(), rows.end());
  }
  for (auto& time : times_by_cycles(scored.counters)) scored.counters.push_back(std::move(time));
  scored.changes = table_changes(results, today);
  return scored;
}

std::map<std::string, std::set<std::string>> unclaimed_events(const Measurements& measurements, std::span<const Counter> counters) {
  std::map<std::string, std::set<std::string>> unclaimed;
  for (const auto& measured : measurements.cases)
    for (const auto& [backend, events] : measured.counts)
      for (const auto& [event, count] : events) unclaimed[backend].insert(event);
  for (const auto& counter : counters)
    for (const auto& term : counter.terms)
      if (const auto found = unclaimed.find(counter.backend); found != unclaimed.end()) found->second.erase(term.event);
  std::erase_if(unclaimed, [](const auto& of_backend) { return of_backend.second.empty(); });
  return unclaimed;
}

}  // namespace plumbline::app
