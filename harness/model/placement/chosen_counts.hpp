// A case is measured by the counters of a chosen set: each number has the interval that their scores leave.
#pragma once
#include <optional>
#include <string>

#include "core/counter_set.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline {

/// The quantity by a chosen counter: (counted - offset) x factor, between what the offset's interval and the two ratios of its scores
/// leave: what a scored case may be off by, this one may be. Where all of those were off to the same side, the value is the middle (of
/// logarithms) of what is left. `offsets`: how many of them the case's team adds (offsets_in). nullopt where less was counted than the
/// offsets, or so much that the counter may have stopped: what is left then is no number.
std::optional<Estimate> estimate_of(const ChosenCounter& chosen, double counted, double offsets = 1);

/// Whether the emulator's counts are behind the counter, directly or as PAPI's software-defined events.
bool is_simulated(const Counter& counter);

/// The FLOPs of the case that no counter of the set sees, in words; nullopt where all are seen.
std::optional<std::string> unseen_flops(const CounterSet& set, const Measured& measured);

/// The traffic of a case by the set: FLOPs, and bytes of every boundary; a boundary that the set does not see whole is there with the
/// reason. nullopt where no FLOPs were counted.
std::optional<Traffic> traffic_by(const CounterSet& set, const Measured& measured);

}  // namespace plumbline
