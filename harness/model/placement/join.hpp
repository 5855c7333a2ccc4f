// The FLOPs and bytes that belong to a timed case: its own counts, counts of sibling flavors, or the model's word.
#pragma once
#include <span>

#include "core/counter_set.hpp"
#include "core/profiler_metric.hpp"
#include "model/cases/measured.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline {

/// Counts are transferred only where work id, team, compiler and level agree, the v2 and v3 counts agree within these, and
/// non-temporal stores do not differ.
inline constexpr double transfer_flops_within = 0.005, transfer_bytes_within = 0.03;

/// The traffic by the join rule: what another profiler of `profilers` counted of the case, if one did; own counts, else transferred ones,
/// else the model. Own counts are those of the chosen set where there is one and the case was counted by it, else the emulator's. There is
/// none for a case whose FLOPs the set does not see.
Traffic traffic_of(const Measured& measured, const Measurements& all, const CounterSet* set = nullptr,
                   std::span<const ProfilerMetrics> profilers = {});

}  // namespace plumbline
