// The end of a run: all is written, what was found is told, and each rank has its exit code.
#pragma once
#include "app/session/run_context.hpp"
#include "core/error.hpp"

namespace plumbline::app {

/// Ends the run, collectively over all ranks. Throws Error where something was lost, a signal stopped the run or no case had a place;
/// RunFindings where something failed or was found.
Exit close_run(RunContext& run);

}  // namespace plumbline::app
