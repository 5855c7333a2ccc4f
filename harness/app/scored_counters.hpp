// The counters that a result file can be scored by: those of this program's own tables, and of the event tables for the CPUs that ran it.
#pragma once
#include <map>
#include <vector>

#include "core/counter.hpp"
#include "model/counter_choice.hpp"
#include "model/measured.hpp"

namespace plumbline::app {

struct ScoredCounters {
  std::vector<Counter> counters;
  std::map<SlotLimits::Event, std::size_t> slots;  // of events that take more than one
};

/// Of an event table's rows only those whose events were all counted. Throws Error (user) on a bad table.
ScoredCounters scored_counters(const Results& results, const Measurements& measurements);

}  // namespace plumbline::app
