#include "measure/sweeping.hpp"

namespace plumbline {

void sweep_once(Prepared& prepared, Sweep function, const ThreadTeam& threads, Peers& peers) {
  if (!prepared.is_application()) return threads.run([&](int thread) { prepared.sweep_range(function, thread); });
  for (const PreparedStep& step : prepared.steps())
    if (step.step->exchange)
      step.step->exchange(peers);
    else
      threads.run([&](int thread) { Prepared::run_step(step, function, thread); });
}

void sweep_once(Prepared& prepared, const ThreadTeam& threads, Peers& peers) { sweep_once(prepared, prepared.flavor(), threads, peers); }

}  // namespace plumbline
