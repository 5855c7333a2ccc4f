// A counter's value on one case: its events, weighted and summed, and divided by the one that it is over.
#pragma once
#include <vector>

#include "core/counter.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// `counts` has one for each of events_of(counter), in their order; nullptr where the event was not counted. Else than a number: the status
/// and reason of the first that is missing. Events that counted less than the empty region take part; a sum below zero is `negative`.
Reported weighted_sum(const Counter& counter, const Measured& measured, const std::vector<const Reported*>& counts);

/// The same with the events looked up by their names.
Reported weighted_sum(const Counter& counter, const Measured& measured);

}  // namespace plumbline
