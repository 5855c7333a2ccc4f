// What a run showed of the counters that can count at one time.
#include <algorithm>
#include <cmath>

#include "model/counter_choice.hpp"
#include "model/spread.hpp"

namespace plumbline {
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
std::map<std::pair<Event, std::int32_t>, double> joint_over_alone(const Measurements& measurements) {
  std::map<std::pair<Event, std::int32_t>, std::vector<double>> ratios;
  for (const auto& measured : measurements.cases)
    for (const auto& [backend, events] : measured.counts)
      for (const auto& [event, count] : events)
        for (std::size_t g = 1; g < count.groups.size(); ++g) {
          const double ratio = group_over_first(count, g);
          if (std::isfinite(ratio)) ratios[{{backend, event}, count.groups[g].group}].push_back(ratio);
        }
  std::map<std::pair<Event, std::int32_t>, double> medians;
  for (const auto& [what, of_cases] : ratios) medians[what] = median_of(of_cases);
  return medians;
}

}  // namespace

SlotLimits limits_shown_by(const Results& results, const Measurements& measurements, std::map<Event, std::size_t> slots) {
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
  for (const auto& [what, ratio] : joint_over_alone(measurements)) {
    const auto& [event, number] = what;
    if (std::abs(ratio - 1) <= joint_within) continue;
    for (const auto& other : groups.at({event.first, number}))
      if (other != event.second) limits.conflicts.insert({event, {event.first, other}});
  }
  return limits;
}

}  // namespace plumbline
