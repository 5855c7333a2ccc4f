// The sampling of a node's ceilings, as far as an estimate must know it, and what their rounds take.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "campaign/campaign.hpp"
#include "ert/ceiling_plan.hpp"

namespace plumbline::app {

struct CeilingSampling {
  /// Long enough for the clock's 20 ns, short enough to fit between disturbances: the best of a few, and the rounds show the spread.
  static constexpr double seconds = 0.0015;
  /// The tries of small data; a pass over large data is long enough by itself.
  static constexpr int tries = 2;
  /// Larger data are made anew in every round, once for all points that lie within them.
  static constexpr double kept_bytes = 4.0 * (1 << 20);
};

inline double data_bytes(const CeilingCase& ceiling) {
  return std::isfinite(ceiling.working_set_bytes) ? ceiling.working_set_bytes / ceiling.share : 0;
}

/// Whether a point lies within the data of another.
inline bool is_within(const CeilingCase& point, const CeilingCase& other) { return point.data_id() == other.data_id(); }

/// The rounds that a campaign asks for.
int rounds_of(const CeilingsWish& wish);
/// Estimate of all rounds.
double ceilings_seconds(const std::vector<CeilingCase>& plan, int rounds);
/// Memory of a node that the stage touches, at most: what is small stays from round to round, beside what is largest.
std::uint64_t ceilings_bytes(const std::vector<CeilingCase>& plan);

}  // namespace plumbline::app
