// The option --choose of plumbline score makes the set of counters that later measurement takes from what the scores say.
#pragma once
#include <span>
#include <string>

#include "core/counter_set.hpp"
#include "core/records.hpp"
#include "model/choosing/counter_choice.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::app {

/// The smallest set of `table`'s counters for the quantities of a roofline. `file` is named in the set.
CounterSet choose_from(const Accuracy& accuracy, std::span<const Counter> table, const Results& results, const Measurements& measurements,
                       const SlotLimits& limits, const std::string& file);

}  // namespace plumbline::app
