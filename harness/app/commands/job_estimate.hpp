// The time that a campaign takes as a job on nodes that are described, not measured.
#pragma once
#include <cstddef>

#include "campaign/batch_machine.hpp"
#include "campaign/campaign.hpp"

namespace plumbline::app {

struct JobSeconds {
  double whole = 0, longest_step = 0;  // a step: what is begun is ended before a run stops, a case or a round of ceilings
  double again = 0;                    // of the whole: reserved for measuring a suspicious node again
  std::size_t cases = 0;
};

/// The model's estimate, as --dry-run would give it on a node of that machine. Where fewer nodes than all may come, what is spread over
/// them takes longest on the fewest.
JobSeconds seconds_of(const Campaign& campaign, const BatchMachine& machine, int nodes, int least_nodes);

}  // namespace plumbline::app
