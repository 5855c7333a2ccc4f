// The account of what a run would do, given by `plumbline run --dry-run`.
#pragma once
#include "app/session/run_input.hpp"
#include "app/session/run_plan.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"

namespace plumbline::app {

/// Rank 0 prints it.
Exit print_plan(const RunPlan& plan, const RunInput& input, Communicator& ranks);

}  // namespace plumbline::app
