// A command line becomes ranks that measure in step, and one exit code of all of them.
#pragma once
#include <functional>

#include "app/session/run_input.hpp"
#include "app/session/run_options.hpp"
#include "comm/communicator.hpp"

namespace plumbline::app {

/// Reads what the run needs, starts MPI, lets `work` be done on every rank (collective; its Errors are told once), and leaves with the code
/// that they agree on. Signals ask for a stop at the next case boundary.
Exit launch_run(const RunOptions& options, const std::function<Exit(RunInput& input, Communicator& ranks)>& work);

}  // namespace plumbline::app
