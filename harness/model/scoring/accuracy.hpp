// Counters are scored by what was counted against what the arithmetic says, case by case, and by what that makes of each counter.
#pragma once
#include <span>
#include <vector>

#include "model/cases/measured.hpp"
#include "model/scoring/score.hpp"

namespace plumbline {

/// The emulator's counters, and the paper's candidates formed from the same events. Kwack et al., "Roofline Analysis with Cray Performance
/// Analysis Tools (CrayPat)", CUG 2018: DCR_GOOD, refills of 64 bytes; L1_DCA, accesses of one 16-byte vector.
std::span<const Counter> known_counters();

/// The known counters, and the same by PAPI's software-defined events where all of them were counted somewhere; none where all cases ran on
/// GPUs.
std::vector<Counter> counters_in(const Measurements& measurements);

Accuracy score(const Measurements& measurements, std::span<const Counter> counters);

}  // namespace plumbline
