// Time is read here, and the core's clock rate as a dependent chain shows it.
#pragma once
#include <cstdint>

namespace plumbline {

/// The seconds since an arbitrary start, the same for all processes of a node (CLOCK_MONOTONIC).
double now_seconds();
/// The nanoseconds since 1970-01-01 UTC.
std::int64_t unix_nanoseconds();
/// The core clock in Hz now, from a chain of dependent one-cycle integer additions (best of a few short tries, about 60 us in all). It is
/// never derived from the TSC, whose rate is not the core's. NaN on an instruction set without such a chain here.
double core_clock_hz();
/// The rate of independent one-cycle integer additions per second now: one try of about 30 us, not the best of several. A dependent chain
/// keeps its speed beside a busy hardware thread of the same core; this does not. NaN where core_clock_hz() is.
double addition_throughput_hz();
/// The CPU time of the calling thread in seconds.
double thread_cpu_seconds();
/// The number of times that the calling thread was taken off its CPU although it could have gone on.
std::int64_t involuntary_switches();

}  // namespace plumbline
