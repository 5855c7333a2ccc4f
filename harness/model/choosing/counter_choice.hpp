// A choice takes, by the scores of many counters, the fewest that see every quantity, under the slots and conflicts of the machine's
// counters.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/counter_set.hpp"
#include "model/cases/measured.hpp"
#include "model/choosing/candidate.hpp"
#include "model/choosing/slot_limits.hpp"

namespace plumbline {

/// The quantities that a roofline needs: FLOPs by precision, and the bytes across every boundary of which a model speaks.
std::vector<std::string> wanted_quantities(const Measurements& measurements);

/// Chooses for each of `quantities` the counters that see it: of the best grade that there is (A, B, then what is simulated, then C; never
/// D or undecided). Several counters may see a boundary's flows, and one may see the FLOPs of several precisions or more than is wanted; no
/// part is seen twice. A counter that sees more than one wanted quantity is taken only where none of them has a better one of its own.
/// Among all such choices the one with the fewest groups, then the fewest slots, then the narrowest ratios: found by exact search (branch
/// and bound).
CounterSet choose_counters(std::span<const Candidate> candidates, std::span<const std::string> quantities, const SlotLimits& limits);

}  // namespace plumbline
