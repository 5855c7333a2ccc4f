// A run goes from its input to its result file, on every rank.
#pragma once
#include "app/session/run_findings.hpp"
#include "app/session/run_input.hpp"
#include "app/session/run_options.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"

namespace plumbline::app {

/// Plans, measures, and writes, collectively. The code is this rank's; Errors are thrown, RunFindings among them.
Exit run_session(const RunOptions& options, RunInput& input, Communicator& ranks);

}  // namespace plumbline::app
