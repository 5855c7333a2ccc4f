// A cache ends gradually: of a working set somewhat larger than it some lines still come from it. A sweep of loads shows which part.
#pragma once
#include <vector>

namespace plumbline {

/// The part of a working set's lines that comes from beyond a cache, 0 to 1.
struct EdgePoint {
  double bytes = 0;  // of the working set, of the whole team
  double part = 0;
};

/// A point of a sweep of loads.
struct SweptRate {
  double bytes = 0, gbs = 0;
};

/// The parts by working set, ascending, from the rate inside of the cache and that behind it: the time of a byte is a mean of theirs. Where
/// a larger working set is read faster, the smaller one was disturbed, and has no larger part. Empty where the two rates are too alike, or
/// nothing was measured behind it.
std::vector<EdgePoint> cache_edge(std::vector<SweptRate> sweep, double inside_gbs, double behind_gbs);

/// The part at a working set, between the points by its logarithm; 0 before them, and behind them that of the last.
double part_beyond(const std::vector<EdgePoint>& edge, double bytes);

}  // namespace plumbline
