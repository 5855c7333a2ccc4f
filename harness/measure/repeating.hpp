// A case is timed by one rule wherever it runs: sweeps enough for a repetition, repetitions enough for the median, a result that is right.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/workload.hpp"
#include "measure/synchronization.hpp"
#include "measure/timed.hpp"

namespace plumbline {

/// Whether a rank of the team failed so far: the others then fail with it. Collective.
bool fails_with_team(Timed& timed, Synchronization& team);

/// The number of sweeps that last `min_seconds`, found by trying; `seconds_of` runs so many sweeps and tells how long all of them took.
std::uint64_t sweeps_lasting(double min_seconds, const std::function<double(std::uint64_t sweeps)>& seconds_of);

/// Adds repetitions to `timed` until the median is known well enough, or what the case may cost since `began` is spent. Disturbed ones
/// (core/disturbed.hpp) are kept, and made again up to twice: the median of those that were not disturbed is to be known. `threads` counts
/// the whole team's.
void repeat_until_known(const std::function<Repetition()>& measure, const TimingProtocol& protocol, double began, std::int64_t threads,
                        Synchronization& team, Timed& timed);

/// Checks the result of a sweep of the whole range and notes in `timed` what is wrong with it, if anything is.
void check_result(const Workload& swept, std::string_view flavor, Timed& timed);

/// Checks again a result that was right before the repetitions: a node may only fail under load.
void check_after_timing(const Workload& swept, std::string_view flavor, Timed& timed);

/// Finds out whether a wrong result is wrong every time, which says what kind of fault it is: `compute` makes a case ready with new data
/// and checks it, and is called by all ranks of the team.
void check_again(const std::function<void(Timed&)>& compute, Synchronization& team, Timed& timed);

}  // namespace plumbline
