// A choice takes, by the scores of many counters, the fewest that see every quantity, under the slots and conflicts of the machine's
// counters.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/counter_set.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// A scored counter that may be chosen. A simulated one is chosen only where no counter of the machine is trusted (A) or steady (B).
struct Candidate {
  ChosenCounter chosen = {};
  bool simulated = false;
};

/// The limits of what can be counted at one time. An event without an entry takes one slot of its backend's own counters, any of them; a
/// unit without an entry has no limit.
struct SlotLimits {
  using Event = std::pair<std::string, std::string>;  // backend, event
  using Unit = std::pair<std::string, std::string>;   // backend, PMU beside the core's own (memory controllers); empty: the core's
  std::map<Unit, std::size_t> capacity = {};
  std::map<Event, std::size_t> slots = {};           // AMD's merged FLOP events take two
  std::map<Event, std::string> pmus = {};            // events of different PMUs are never in one group
  std::map<Event, std::vector<int>> only_on = {};    // the numbers of the counters that can count it; others take any
  std::set<std::pair<Event, Event>> conflicts = {};  // never in one group; in either order

  /// The number of counters that an event takes.
  std::size_t slots_of(const Event& event) const;
  Unit unit_of(const Event& event) const;
  bool conflict(const Event& a, const Event& b) const;
  /// Whether one group of a unit can hold the events: slots, conflicts, and a counter for each that is particular.
  bool fit_together(std::span<const Event> events) const;
};

/// Adds to `known`, which the event tables say, what the run showed besides: no group of the set is larger than the largest of its unit,
/// and a pair of events whose counts together were not those of each alone stays apart.
SlotLimits limits_shown_by(const Results& results, const Measurements& measurements, SlotLimits known);

/// The quantities that a roofline needs: FLOPs by precision, and the bytes across every boundary of which a model speaks.
std::vector<std::string> wanted_quantities(const Measurements& measurements);

/// Chooses for each of `quantities` the counters that see it: of the best grade that there is (A, B, then what is simulated, then C; never
/// D or undecided). Several counters may see a boundary's flows, and one may see the FLOPs of several precisions or more than is wanted; no
/// part is seen twice. A counter that sees more than one wanted quantity is taken only where none of them has a better one of its own.
/// Among all such choices the one with the fewest groups, then the fewest slots, then the narrowest ratios: found by exact search (branch
/// and bound).
CounterSet choose_counters(std::span<const Candidate> candidates, std::span<const std::string> quantities, const SlotLimits& limits);

/// The fewest groups that hold all events of one backend, each PMU's by themselves. Throws std::invalid_argument where one event alone
/// takes more than there is.
std::vector<ChosenGroup> fewest_groups(const std::string& backend, std::span<const std::string> events, const SlotLimits& limits);

}  // namespace plumbline
