// The work of ert/stream is the same on CPUs and GPUs, but for how each moves what it stores.
#pragma once
#include <cstdint>

#include "core/kernel_data.hpp"

namespace plumbline {

/// Makes the work of `repeat` passes over arrays of n elements, of which `working_set` bytes are swept before an element comes again.
/// Pattern says which arrays it reads and writes (reads_a, writes_a, reads_b, reads_c) and the FLOPs an element (add, mul).
template <class Real, class Pattern>
Work passes_over_arrays(const Pattern& pattern, std::uint64_t n, std::uint64_t repeat, std::uint64_t working_set) {
  const std::uint64_t real = sizeof(Real);
  const auto stream = [&](const char* array, bool read, bool written) {
    Stream s{.array = array,
             .footprint_bytes = n * real,
             .read = read,
             .written = written,
             .loads = read ? repeat * n : 0,
             .stores = written ? repeat * n : 0,
             .element_bytes = real};
    if (repeat > 1) s.layers = {{.reuse_bytes = working_set, .fetched_bytes = repeat * n * real}};
    return s;
  };
  Work work{.streams = {stream("a", pattern.reads_a, pattern.writes_a)}};
  if (pattern.reads_b) work.streams.push_back(stream("b", true, false));
  if (pattern.reads_c) work.streams.push_back(stream("c", true, false));
  if (pattern.add != 0) work.flops[flops<Real>("add")] = pattern.add * repeat * n;
  if (pattern.mul != 0) work.flops[flops<Real>("mul")] = pattern.mul * repeat * n;
  return work;
}

}  // namespace plumbline
