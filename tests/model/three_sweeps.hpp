// A thread's reuse distances that are known by arithmetic.
#pragma once
#include <limits>

#include "model/placement/reuse_distances.hpp"

namespace plumbline {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// A thread reads an array of 1000 lines three times, and writes 100 lines of it each time: they come back after 999 others.
inline ReuseDistances three_sweeps() {
  return {.line_bytes = 64,
          .buckets = {{0, 1, 0, 0, 300, 0}, {992, 1008, 1800, 200, 0, 200}, {never, never, 900, 100, 0, 0}},
          .crowding = {{64, 3000}, {1024, 1000}}};
}

}  // namespace plumbline
