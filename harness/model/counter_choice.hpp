// From the scores of many counters to the fewest that see every quantity, under the slots and conflicts of the machine's counters.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/counter_set.hpp"
#include "model/measured.hpp"

namespace plumbline {

/// A scored counter that may be chosen. What is simulated is chosen only where no counter of the machine is trusted (A) or steady (B).
struct Candidate {
  ChosenCounter chosen = {};
  bool simulated = false;
};

/// What can be counted at one time. An event without an entry takes one slot; a backend without an entry has no limit.
struct SlotLimits {
  using Event = std::pair<std::string, std::string>;  // backend, event
  std::map<std::string, std::size_t> capacity = {};   // by backend
  std::map<Event, std::size_t> slots = {};            // AMD's merged FLOP events take two
  std::set<std::pair<Event, Event>> conflicts = {};   // never in one group; in either order
};

/// What the run showed can be counted at one time: no group of the set is larger than the largest of its backend, and a pair of events
/// whose counts together were not those of each alone stays apart. `slots` is what the event tables say.
SlotLimits limits_shown_by(const Results& results, const Measurements& measurements, std::map<SlotLimits::Event, std::size_t> slots);

/// The quantities that a roofline needs: FLOPs by precision, and the bytes across every boundary.
std::span<const std::string> wanted_quantities();

/// For each of `quantities` the counters that see it: of the best grade that there is (A, B, then what is simulated, then C; never D or
/// undecided); one alone where it claims the whole, else several with a flow or more each. Among all such choices the one with the fewest
/// groups, then the fewest slots, then the narrowest ratios: found by exact search (branch and bound).
CounterSet choose_counters(std::span<const Candidate> candidates, std::span<const std::string> quantities, const SlotLimits& limits);

/// The fewest groups that hold all events of one backend. Throws std::invalid_argument where one event alone takes more than there is.
std::vector<ChosenGroup> fewest_groups(const std::string& backend, std::span<const std::string> events, const SlotLimits& limits);

}  // namespace plumbline
