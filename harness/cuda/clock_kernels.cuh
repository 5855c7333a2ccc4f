// Kernels read a multiprocessor's clock beside the GPU's timer.
#pragma once
#include <cstdint>

#include "gpu/clock_span.hpp"

namespace plumbline::cuda {

/// Compares a multiprocessor's cycles with nanoseconds: one warp looks at both clocks, again and again for so many cycles.
static __global__ void compare_clocks(long long cycles, long long* passed) {
  const auto nanoseconds = [] {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  };
  // The timer moves in steps (1 us on some): both ends are taken where it has just moved.
  const auto at_step = [&](long long& clock) {
    const long long before = nanoseconds();
    long long now = before;
    while (now == before) now = nanoseconds();
    clock = clock64();
    return now;
  };
  long long first, last;
  const long long begin = at_step(first);
  while (clock64() - first < cycles) {
  }
  const long long end = at_step(last);
  passed[0] = last - first;
  passed[1] = end - begin;
}

/// Reads both clocks of each multiprocessor that a block runs on: the first block there writes the begin, or the end, of its span.
static __global__ void read_clocks(ClockSpan* multiprocessors, unsigned count, bool at_end) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (here >= count) return;
  ClockSpan& span = multiprocessors[here];
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  const auto cycles = static_cast<std::uint64_t>(clock64());
  auto* const taken = reinterpret_cast<unsigned long long*>(at_end ? &span.end_nanoseconds : &span.begin_nanoseconds);
  if (atomicCAS(taken, 0ULL, now) == 0) (at_end ? span.end_cycles : span.begin_cycles) = cycles;
}

}  // namespace plumbline::cuda
