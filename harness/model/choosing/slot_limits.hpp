// The limits of what a machine's hardware counters can count at one time.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/records.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// An event without an entry takes one slot of its backend's own counters, any of them; a unit without
/// an entry has no limit.
struct SlotLimits {
  using Event = std::pair<std::string, std::string>;  // backend, event
  using Unit = std::pair<std::string, std::string>;   // backend, PMU beside the core's own (memory controllers); empty: the core's
  std::map<Unit, std::size_t> capacity = {};
  std::map<Event, std::size_t> slots = {};           // AMD's merged FLOP events take two
  std::map<Event, std::string> pmus = {};            // events of different PMUs are never in one group
  std::map<Event, std::vector<int>> only_on = {};    // the numbers of the counters that can count it; others take any
  std::set<std::pair<Event, Event>> conflicts = {};  // never in one group; in either order

  std::size_t slots_of(const Event& event) const;
  Unit unit_of(const Event& event) const;
  bool conflict(const Event& a, const Event& b) const;
  /// Whether one group of a unit can hold them: slots, conflicts, and a counter for each that is particular.
  bool fit_together(std::span<const Event> events) const;
};

/// `known`, what the event tables say, and what the run showed besides: no group of the set is larger than the largest of its unit, and a
/// pair of events whose counts together were not those of each alone stays apart.
SlotLimits limits_shown_by(const Results& results, const Measurements& measurements, SlotLimits known);

}  // namespace plumbline
