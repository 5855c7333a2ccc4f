// The nodes of a run judged by what they measured, and what is suspicious measured again beside like ones.
#pragma once
#include "app/session/run_context.hpp"

namespace plumbline::app {

/// Measures again, collectively over all ranks. What all nodes have measured lies in their journals: rank 0 judges from there, as
/// `plumbline nodes` does later. Nothing is done where the nodes are not compared, or the campaign says so.
void measure_suspicious_again(RunContext& run);

}  // namespace plumbline::app
