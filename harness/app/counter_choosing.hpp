// plumbline score --choose: from what the scores say to the set of counters that later measurement takes.
#pragma once
#include <span>
#include <string>

#include "core/counter_set.hpp"
#include "core/records.hpp"
#include "model/accuracy.hpp"
#include "model/counter_choice.hpp"

namespace plumbline::app {

/// What the run showed can be counted at one time: no group of the set is larger than the largest of its backend, and a pair of events
/// whose counts together were not those of each alone stays apart. `slots` is what the event tables say.
SlotLimits limits_shown_by(const Results& results, std::map<SlotLimits::Event, std::size_t> slots);

/// The smallest set of `table`'s counters for the quantities of a roofline. `file` is named in the set.
CounterSet choose_from(const Accuracy& accuracy, std::span<const Counter> table, const Results& results, const SlotLimits& limits,
                       const std::string& file);

}  // namespace plumbline::app
