// The registry-wide proofs sweep a workload on one thread of one rank: a kernel's loop over its range, or an application's steps.
#pragma once
#include <algorithm>
#include <cstddef>

#include "core/application.hpp"
#include "core/kernel.hpp"

namespace plumbline {

/// Sweeps by this function; where `pieces` are asked for each range in about so many, from its end to its beginning.
inline void sweep_whole(const Workload& workload, Sweep sweep, std::size_t pieces = 1) {
  const auto range = [&](const void* arguments, std::size_t extent, std::size_t grain) {
    const std::size_t step = pieces == 1 ? extent : std::max<std::size_t>(1, extent / grain / pieces) * grain;
    for (std::size_t begin = (extent - 1) / step * step;; begin -= step) {
      sweep(arguments, begin, std::min(begin + step, extent));
      if (begin == 0) break;
    }
  };
  const auto* const application = dynamic_cast<const ApplicationData*>(&workload);
  if (application == nullptr) return range(workload.arguments(), workload.extent(), workload.grain());
  Peers alone;
  for (const Step& step : application->steps()) {
    const auto loop = [&](const void* arguments, std::size_t, std::size_t extent) { range(arguments, extent, step.grain); };
    run_alone(step, loop, alone);
  }
}

/// Fills a workload as that of a rank alone.
inline void initialise_whole(Workload& workload) {
  if (auto* const application = dynamic_cast<ApplicationData*>(&workload)) application->take_place(0, 1);
  workload.initialise(0, workload.extent());
}

}  // namespace plumbline
