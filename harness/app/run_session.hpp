// A run from its input to its result file, on every rank.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run_options.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/flows.hpp"
#include "machine/topology.hpp"
#include "measure/worker.hpp"

namespace plumbline::app {

/// What each rank knows before MPI starts.
struct RunInput {
  std::optional<Error> error;  // to be told once MPI knows who speaks
  Campaign campaign;
  Topology topology;
  std::vector<CacheLevel> caches;          // of one thread of this node, or of the machine whose caches are simulated
  std::unique_ptr<EmulatedWorker> worker;  // null: `no_worker` says why
  std::string no_worker;
};

/// Reads the campaign and this node; starts the emulated worker if the campaign counts. Keeps what went wrong as `error`.
RunInput read_run_input(const RunOptions& options);

/// Collective. Plans, measures, and writes. The code is this rank's; Errors are thrown.
Exit run_session(const RunOptions& options, RunInput& input, Communicator& ranks);

}  // namespace plumbline::app
