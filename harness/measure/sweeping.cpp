#include "measure/sweeping.hpp"

namespace plumbline {

void sweep_once(Prepared& prepared, const ThreadTeam& threads, Peers& peers) {
  if (!prepared.is_application()) return threads.run_and_rethrow([&](int thread) { prepared.sweep(thread); });
  for (const PreparedStep& step : prepared.steps())
    if (step.step->exchange)
      step.step->exchange(peers);
    else
      threads.run_and_rethrow([&](int thread) { Prepared::run_step(step, prepared.flavor(), thread); });
}

}  // namespace plumbline
