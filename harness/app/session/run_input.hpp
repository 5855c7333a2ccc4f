// The input that each rank of a run knows before MPI starts.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "app/here/counting_plan.hpp"
#include "app/session/run_options.hpp"
#include "campaign/campaign.hpp"
#include "core/error.hpp"
#include "core/flows.hpp"
#include "machine/topology.hpp"
#include "measure/worker.hpp"

namespace plumbline::app {

struct RunInput {
  std::optional<Error> error;  // to be told once MPI knows who speaks
  Campaign campaign;
  Topology topology;
  std::vector<CacheLevel> caches;          // of one thread of this node, or of the machine whose caches are simulated
  std::optional<CounterSet> counter_set;   // that the campaign names
  BackendFacts backends;                   // with which this rank makes its counter backends
  CountingPlan counting;                   // the same on all ranks of a node once they have met
  std::unique_ptr<EmulatedWorker> worker;  // null where nothing of it is counted under the emulator
};

/// Reads the campaign and this node, plans the counting, and starts the emulated worker if that needs it. Keeps what went wrong as `error`.
RunInput read_run_input(const RunOptions& options);

}  // namespace plumbline::app
