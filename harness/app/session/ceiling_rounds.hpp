// The ceilings of a run: which loops stand for them, their rounds on all nodes, and what their sweeps say of the last cache.
#pragma once
#include "app/session/run_context.hpp"

namespace plumbline::app {

/// Runs the rounds of ceilings, collectively over all ranks. A node whose CPU has no ceilings goes through the rounds of the others.
void measure_ceilings(RunContext& run);

/// Settles the last cache, collectively over all ranks: the sweeps decide what cases are counted with; without cases nothing is decided.
void settle_last_cache(RunContext& run);

}  // namespace plumbline::app
