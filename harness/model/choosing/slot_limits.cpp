#include "model/choosing/slot_limits.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

using Event = SlotLimits::Event;

/// Counts together may differ by this part from the count of each alone.
constexpr double joint_within = 0.005;

/// Cases that count less than this part of an event's most tell nothing of it: a few cache lines more in another process are much there.
constexpr double least_that_tells = 0.01;

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

/// Later groups counted so much of an event in one case, over what the first one did.
struct JointCounts {
  double first = 0;
  std::vector<std::pair<std::int32_t, double>> ratios = {};  // by group
};

std::map<Event, std::vector<JointCounts>> joint_counts(const Measurements& measurements) {
  std::map<Event, std::vector<JointCounts>> joint;
  for (const auto& measured : measurements.cases)
    for (const auto& [backend, events] : measured.counts)
      for (const auto& [event, count] : events) {
        JointCounts of_case{count.value};
        for (std::size_t g = 1; g < count.groups.size(); ++g) {
          const double ratio = group_over_first(count, g);
          if (std::isfinite(ratio)) of_case.ratios.emplace_back(count.groups[g].group, ratio);
        }
        if (!of_case.ratios.empty()) joint[{backend, event}].push_back(std::move(of_case));
      }
  return joint;
}

/// Medians over the cases that tell of what each later group counted of an event, over what the first one did.
std::map<std::pair<Event, std::int32_t>, double> joint_over_alone(const Measurements& measurements) {
  std::map<std::pair<Event, std::int32_t>, double> medians;
  for (const auto& [event, cases] : joint_counts(measurements)) {
    const double most = std::max_element(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.first < b.first; })->first;
    std::map<std::int32_t, std::vector<double>> ratios;
    for (const auto& of_case : cases)
      if (of_case.first >= least_that_tells * most)
        for (const auto& [group, ratio] : of_case.ratios) ratios[group].push_back(ratio);
    for (const auto& [group, of_cases] : ratios) medians[{event, group}] = median_of(of_cases);
  }
  return medians;
}

/// Particular events on the counters that can count them: a matching, found by augmenting paths (Kuhn 1955). What takes any counter
/// takes one that is left.
class Assignment {
 public:
  explicit Assignment(const SlotLimits& limits) : limits_(limits) {}

  bool holds(std::span<const Event> events) {
    for (const auto& event : events) {
      const auto only = limits_.only_on.find(event);
      for (std::size_t slot = 0; only != limits_.only_on.end() && slot < limits_.slots_of(event); ++slot) {
        wishes_.push_back(&only->second);
        std::set<int> tried;
        if (!find_place(wishes_.size() - 1, tried)) return false;
      }
    }
    return true;
  }

 private:
  bool find_place(std::size_t wish, std::set<int>& tried) {
    for (const int counter : *wishes_[wish]) {
      if (!tried.insert(counter).second) continue;
      const auto holder = holder_of_.find(counter);
      if (holder != holder_of_.end() && !find_place(holder->second, tried)) continue;
      holder_of_[counter] = wish;
      return true;
    }
    return false;
  }

  const SlotLimits& limits_;
  std::vector<const std::vector<int>*> wishes_;
  std::map<int, std::size_t> holder_of_;  // counter to wish
};

}  // namespace

std::size_t SlotLimits::slots_of(const Event& event) const {
  const auto known = slots.find(event);
  return known == slots.end() ? 1 : known->second;
}

SlotLimits::Unit SlotLimits::unit_of(const Event& event) const {
  const auto known = pmus.find(event);
  return {event.first, known == pmus.end() ? "" : known->second};
}

bool SlotLimits::conflict(const Event& a, const Event& b) const { return conflicts.contains({a, b}) || conflicts.contains({b, a}); }

bool SlotLimits::fit_together(std::span<const Event> events) const {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    taken += slots_of(events[i]);
    for (std::size_t j = 0; j < i; ++j)
      if (unit_of(events[i]) != unit_of(events[j]) || conflict(events[i], events[j])) return false;
  }
  if (events.empty()) return true;
  const auto known = capacity.find(unit_of(events.front()));
  return (known == capacity.end() || taken <= known->second) && Assignment(*this).holds(events);
}

SlotLimits limits_shown_by(const Results& results, const Measurements& measurements, SlotLimits known) {
  SlotLimits limits = std::move(known);
  const auto groups = groups_counted(results);
  for (const auto& [group, events] : groups) {
    std::map<SlotLimits::Unit, std::size_t> taken;
    for (const auto& event : events) taken[limits.unit_of({group.backend, event})] += limits.slots_of({group.backend, event});
    for (const auto& [unit, slots] : taken) limits.capacity[unit] = std::max(limits.capacity[unit], slots);
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
