#include "core/working_set.hpp"

namespace plumbline {

// A stream that a sweep goes on with from where the last one stopped is touched in part; loop variables and scratchpads are no data.
Amount working_set(const Work& work, int threads) {
  Amount all;
  for (const auto& s : work.streams) {
    if (s.scratchpad) continue;
    const std::uint64_t bytes = s.footprint_bytes * (s.per_thread ? static_cast<std::uint64_t>(threads) : 1);
    all += Amount(s.at_most || s.touched_bytes != 0 ? 0 : bytes, bytes);
  }
  return all;
}

}  // namespace plumbline
