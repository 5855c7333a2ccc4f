// A counter has a value on one case: its events, weighted and summed, and divided by the one that it is over.
#pragma once
#include <vector>

#include "core/counter.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// The value from `counts`, which has one for each of events_of(counter), in their order; nullptr where the event was not counted. Where it
/// is no number it has the status and reason of the first count that is missing. Events that counted less than the empty region take part;
/// a sum below zero is `negative`. Amounts are sums over the ranks; a time is that of the rank that took longest, as the team's own is.
Reported weighted_sum(const Counter& counter, const Measured& measured, const std::vector<const Reported*>& counts);

/// A time in each repetition, of the rank that took longest; empty of what is no time, and where one rank alone counted.
std::vector<double> longest_times(const Counter& counter, const std::vector<const Reported*>& counts);

/// The value with the events looked up by their names.
Reported weighted_sum(const Counter& counter, const Measured& measured);

}  // namespace plumbline
