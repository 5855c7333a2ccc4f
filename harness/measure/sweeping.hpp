// A case is swept once by a rank's threads, outside of any timed span: by each its part, of an application step by step.
#pragma once
#include "core/peers.hpp"
#include "measure/prepared.hpp"
#include "measure/thread_team.hpp"

namespace plumbline {

/// Sweeps by the case's own loop, and throws what it throws: a library's may refuse at its first call. Of an application every rank behind
/// `peers` calls it: they exchange data.
void sweep_once(Prepared& prepared, const ThreadTeam& threads, Peers& peers);

}  // namespace plumbline
