// How much a sweep of a counted twin is, which counts one at a time (core/twin.hpp).
#pragma once
#include <cstdint>

#include "core/work.hpp"

namespace plumbline {

/// Beyond so many operations and references a twin would take more than some ten seconds without optimization: it is not swept.
inline constexpr std::uint64_t most_twin_work = 4'000'000'000;

/// Operations and references of the arithmetic as written.
inline std::uint64_t twin_work(const Work& work) {
  std::uint64_t sum = total_flops(work.flops).hi;
  for (const Stream& stream : work.streams) sum += stream.loads + stream.stores;
  return sum;
}

}  // namespace plumbline
