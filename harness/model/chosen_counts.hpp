// A case by the counters of a chosen set: each number with the interval that their scores leave.
#pragma once
#include <optional>
#include <string>

#include "core/counter_set.hpp"
#include "model/traffic.hpp"

namespace plumbline {

/// A counter's events on one case, weighted and summed over the team; else the status and reason of the first that is missing.
Reported counted(const Counter& counter, const Measured& measured);

/// Counted x factor, between the two ratios of its scores. Not calibrated by hand: what a scored case may be off by, this one may be.
Estimate estimate_of(const ChosenCounter& chosen, double counted);

/// Whether the emulator's counts are behind it, directly or as PAPI's software-defined events.
bool is_simulated(const Counter& counter);

/// FLOPs of all precisions, and bytes of every boundary of which the set sees the whole. nullopt where no FLOPs were counted.
std::optional<Traffic> traffic_by(const CounterSet& set, const Measured& measured);

}  // namespace plumbline
