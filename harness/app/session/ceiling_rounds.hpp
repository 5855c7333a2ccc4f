// The ceilings of a run: which loops stand for them, their rounds on all nodes, and what their sweeps say of the last cache.
#pragma once
#include "app/session/run_context.hpp"

namespace plumbline::app {

/// Collective over all ranks. A node whose CPU has no ceilings goes through the rounds of the others.
void measure_ceilings(RunContext& run);

/// Collective over all ranks. What the sweeps show decides what the cases are counted with. Without cases there is nothing to decide.
void settle_last_cache(RunContext& run);

}  // namespace plumbline::app
