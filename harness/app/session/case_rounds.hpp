// The cases of a run, round by round: timed, then counted.
#pragma once
#include "app/session/run_context.hpp"

namespace plumbline::app {

/// Runs the rounds of cases, collectively over all ranks, which meet before each; ends at the first before which somebody has to stop.
void measure_cases(RunContext& run);

}  // namespace plumbline::app
