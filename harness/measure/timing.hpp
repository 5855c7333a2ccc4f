// One case is timed by warm-up, result check, calibration, and repetitions until the median is known well enough.
#pragma once
#include <memory>

#include "core/case.hpp"
#include "measure/prepared.hpp"
#include "measure/synchronization.hpp"
#include "measure/thread_team.hpp"
#include "measure/timed.hpp"

namespace plumbline {

/// Data, first touch, one warm sweep, and the check of its result if `check`. Null when this rank or another of the team failed: `timed`
/// says why. Every rank of the team calls it. The data lie in `arena`, or where there is none in memory of their own.
std::unique_ptr<Prepared> prepare_case(const Case& measured, bool check, const ThreadTeam& threads, Synchronization& team, Timed& timed,
                                       Arena* arena = nullptr);

/// Measures `measured` on this rank's `threads`, together with the ranks behind `team`. Every rank of the team reaches every
/// meeting point, whatever fails on it.
Timed time_case(const Case& measured, const TimingProtocol& protocol, const ThreadTeam& threads, Synchronization& team);

}  // namespace plumbline
