// What timing a case is wherever it runs: sweeps enough for a repetition, repetitions enough for the median, a result that is right.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/workload.hpp"
#include "measure/synchronization.hpp"
#include "measure/timed.hpp"

namespace plumbline {

/// How many sweeps last `min_seconds`, by trying; `seconds_of` runs so many sweeps and tells how long all of them took.
std::uint64_t sweeps_lasting(double min_seconds, const std::function<double(std::uint64_t sweeps)>& seconds_of);

/// Adds repetitions to `timed` until the median is known well enough or what the case may cost is spent, `began` being when it started.
/// Disturbed ones (core/disturbed.hpp) are kept, and made again up to twice: the median is to be known of those that were not disturbed.
/// `threads` of the whole team.
void repeat_until_known(const std::function<Repetition()>& measure, const TimingProtocol& protocol, double began, std::int64_t threads,
                        Synchronization& team, Timed& timed);

/// After a sweep of the whole range: what is wrong with its result, if anything is.
void check_result(const Workload& swept, std::string_view flavor, Timed& timed);

/// The same of a result that was right before the repetitions: a node may only fail under load.
void check_after_timing(const Workload& swept, std::string_view flavor, Timed& timed);

/// Whether a wrong result is wrong every time says what kind of fault it is: computed anew from new data by `compute`, which makes a case
/// ready and checks it, and is called by all ranks of the team.
void check_again(const std::function<void(Timed&)>& compute, Synchronization& team, Timed& timed);

}  // namespace plumbline
