// The counters that a result file can be scored by: those of this program's own tables, and of the event tables for the CPUs that ran it.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "model/cases/measured.hpp"
#include "model/choosing/counter_choice.hpp"

namespace plumbline::app {

struct ScoredCounters {
  std::vector<Counter> counters = {};
  SlotLimits limits = {};  // what the tables say: slots, PMUs, counters that an event is bound to, what is not counted together
  std::vector<std::string> changes = {};  // of the event tables since the file was counted
};

/// The counters to score; of an event table's rows only those whose events were all counted. Throws Error (user) on a bad table.
ScoredCounters scored_counters(const Results& results, const Measurements& measurements);

/// The events that were counted and stand in no counter's terms: backend to names.
std::map<std::string, std::set<std::string>> unclaimed_events(const Measurements& measurements, std::span<const Counter> counters);

}  // namespace plumbline::app
