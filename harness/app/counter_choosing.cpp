#include "app/counter_choosing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "model/chosen_counts.hpp"
#include "model/spread.hpp"

namespace plumbline::app {
namespace {

using Event = SlotLimits::Event;

/// Counts together may differ by this part from the count of each alone.
constexpr double joint_within = 0.005;

struct GroupOfEvents {
  std::string backend;
  std::int32_t number;
  auto operator<=>(const GroupOfEvents&) const = default;
};

std::map<GroupOfEvents, std::set<std::string>> groups_counted(const Results& results) {
  std::map<GroupOfEvents, std::set<std::string>> groups;
  for (const auto& row : results.counts) groups[{row.backend, row.group}].insert(row.event);
  return groups;
}

/// Medians over the cases of what each later group counted of an event, over what the first one did.
std::map<std::pair<Event, std::int32_t>, double> joint_over_alone(const Results& results) {
  std::map<std::pair<Event, std::int32_t>, std::vector<double>> ratios;
  const Measurements measurements = measurements_of(results);
  for (const auto& measured : measurements.cases)
    for (const auto& [backend, events] : measured.counts)
      for (const auto& [event, count] : events)
        for (std::size_t g = 1; g < count.groups.size(); ++g) {
          const double ratio = spread_of(count.groups[g].repetitions).median / spread_of(count.groups[0].repetitions).median;
          if (std::isfinite(ratio)) ratios[{{backend, event}, count.groups[g].group}].push_back(ratio);
        }
  std::map<std::pair<Event, std::int32_t>, double> medians;
  for (const auto& [what, of_cases] : ratios) medians[what] = spread_of(of_cases).median;
  return medians;
}

std::string machines_of(const Results& results) {
  std::string text;
  for (const auto& row : results.machines) {
    const auto machine = nlohmann::json::parse(row.json, nullptr, false);
    const std::string cpu = machine.is_object() && machine.contains("cpu") ? machine["cpu"].value("name", "") : "";
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", row.node, cpu.empty() ? "" : ": ", cpu);
  }
  return text.empty() ? "unknown" : text;
}

/// A calibrated counter is multiplied by what its bias takes away; its ratios are those that remain.
ChosenCounter with_evidence(const Counter& counter, const CounterScore& score) {
  const double factor = score.grade == 'B' ? 1 / score.bias : 1;
  return {.counter = counter,
          .grade = score.grade,
          .factor = factor,
          .ratio_lo = score.min * factor,
          .ratio_hi = score.max * factor,
          .cases = score.n,
          .evidence = score.reason};
}

}  // namespace

SlotLimits limits_shown_by(const Results& results, std::map<Event, std::size_t> slots) {
  SlotLimits limits{.slots = std::move(slots)};
  const auto groups = groups_counted(results);
  for (const auto& [group, events] : groups) {
    std::size_t taken = 0;
    for (const auto& event : events) {
      const auto known = limits.slots.find({group.backend, event});
      taken += known == limits.slots.end() ? 1 : known->second;
    }
    limits.capacity[group.backend] = std::max(limits.capacity[group.backend], taken);
  }
  for (const auto& [what, ratio] : joint_over_alone(results)) {
    const auto& [event, number] = what;
    if (std::abs(ratio - 1) <= joint_within) continue;
    for (const auto& other : groups.at({event.first, number}))
      if (other != event.second) limits.conflicts.insert({event, {event.first, other}});
  }
  return limits;
}

CounterSet choose_from(const Accuracy& accuracy, std::span<const Counter> table, const Results& results, const SlotLimits& limits,
                       const std::string& file) {
  std::vector<Candidate> candidates;
  for (const auto& score : accuracy.counters) {
    if (score.convention != Convention::flow) continue;
    const auto counter = std::find_if(table.begin(), table.end(), [&](const Counter& c) {
      return c.name == score.counter && c.convention == score.convention && c.claim() == score.quantity;
    });
    if (counter != table.end()) candidates.push_back({with_evidence(*counter, score), is_simulated(*counter)});
  }
  CounterSet set = choose_counters(candidates, wanted_quantities(), limits);
  set.machine = machines_of(results);
  set.file = file;
  return set;
}

}  // namespace plumbline::app
