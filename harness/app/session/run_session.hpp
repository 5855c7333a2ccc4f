// A run goes from its input to its result file, on every rank.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/here/counting_plan.hpp"
#include "app/session/run_options.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/flows.hpp"
#include "machine/topology.hpp"
#include "measure/worker.hpp"

namespace plumbline::app {

/// The input that each rank knows before MPI starts.
struct RunInput {
  std::optional<Error> error;  // to be told once MPI knows who speaks
  Campaign campaign;
  Topology topology;
  std::vector<CacheLevel> caches;          // of one thread of this node, or of the machine whose caches are simulated
  std::optional<CounterSet> counter_set;   // that the campaign names
  CountingPlan counting;                   // the same on all ranks of a node once they have met
  std::unique_ptr<EmulatedWorker> worker;  // null where nothing of it is counted under the emulator
};

/// Reads the campaign and this node, plans the counting, and starts the emulated worker if that needs it. Keeps what went wrong as `error`.
RunInput read_run_input(const RunOptions& options);

/// The findings of a run that came to its end: cases that failed or computed wrong, slower nodes. Thrown when all is written and no rank
/// waits for another any more, by those ranks that found something.
class RunFindings : public Error {
 public:
  using Error::Error;
};

/// Plans, measures, and writes; collective. The code is this rank's; Errors are thrown, RunFindings among them.
Exit run_session(const RunOptions& options, RunInput& input, Communicator& ranks);

}  // namespace plumbline::app
