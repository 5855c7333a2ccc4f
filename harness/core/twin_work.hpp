// A counted twin counts one operation at a time (core/twin.hpp), so only sweeps up to a limit are run in it.
#pragma once
#include <cstdint>

#include "core/work.hpp"

namespace plumbline {

/// A sweep of more operations and references than this is not run in its twin, which would take more than some ten seconds without
/// optimization.
inline constexpr std::uint64_t most_twin_work = 4'000'000'000;

/// The operations and references of the arithmetic as written, added up.
inline std::uint64_t twin_work(const Work& work) {
  std::uint64_t sum = total_flops(work.flops).hi;
  for (const Stream& stream : work.streams) sum += stream.loads + stream.stores;
  return sum;
}

}  // namespace plumbline
