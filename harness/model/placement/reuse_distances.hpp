// Reuse distances, how many other lines a program used between two uses of one, tell the traffic of a cache of any size.
#pragma once
#include <map>
#include <vector>

#include "core/flows.hpp"

namespace plumbline {

/// Events whose distance is at least `lines_from` and below `lines_to`; infinite where the line was never used before.
struct ReuseBucket {
  double lines_from, lines_to;
  double read, write;               // lines fetched by loads, by stores: into caches of at most so many lines
  double written_from, written_to;  // lines written back from caches of more lines than that, but not from those of more than that
};

/// The reuse distances of a thread's lines, as the emulator counts them (--caches=reuse).
struct ReuseDistances {
  double line_bytes = 0;
  std::vector<ReuseBucket> buckets = {};  // ascending
  std::map<unsigned, double> crowding =
      {};  // by a number of sets: of each window of as many fetches the squares of how many fell into each
};

/// The distances of a part of a program, with what is needed to place it on the caches of any team.
struct PartReuse {
  ReuseDistances distances = {};
  double threads = 1;     // whose distances they are, each its own; other teams divide the lines of all of them
  double past_bytes = 0;  // stored past all caches
};

/// Adds what another thread or entry did.
void add(ReuseDistances& to, const ReuseDistances& more);

/// Multiplies how often each distance came: those of a smaller input stand for those of a larger one.
void scale(ReuseDistances& distances, double factor);

/// The bytes that cross the boundary below a cache.
struct CacheTraffic {
  double demand_read_bytes = 0, rfo_bytes = 0, write_back_bytes = 0;
  double bytes() const { return demand_read_bytes + rfo_bytes + write_back_bytes; }
};

/// The traffic below a fully associative cache of so many bytes with least-recently-used replacement, write-back and write-allocate
/// (Mattson, Gecsei, Slutz, Traiger 1970; write-backs: Thompson, Smith 1989). Within a bucket, 3 % wide, distances are taken as spread
/// evenly.
CacheTraffic traffic_below(const ReuseDistances& distances, double cache_bytes);

/// Tells how unevenly fetches over long distances fall into a cache's sets: 1 for lines one after the other, 2 at random, up to the
/// number of sets; 0 where nothing is known of as few sets, or nothing was fetched over such distances.
double crowding_in(const ReuseDistances& distances, const CacheLevel& cache);

/// Whether sets rather than size may decide what this cache keeps: lines that it has room for fall into less than a third of its sets at a
/// time. Then more crosses its boundary than traffic_below says.
bool may_conflict(const ReuseDistances& distances, const CacheLevel& cache);

}  // namespace plumbline
