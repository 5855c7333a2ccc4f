// The cases of a run, round by round: timed, then counted.
#pragma once
#include "app/session/run_context.hpp"

namespace plumbline::app {

/// Collective over all ranks, which meet before each round. Ends at the first round before which somebody has to stop.
void measure_cases(RunContext& run);

}  // namespace plumbline::app
