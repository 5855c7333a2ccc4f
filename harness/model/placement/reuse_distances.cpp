#include "model/placement/reuse_distances.hpp"

#include <algorithm>

namespace plumbline {
namespace {

/// The part of a bucket's distances that are at least so many lines.
double part_beyond(const ReuseBucket& bucket, double lines) {
  if (bucket.lines_from >= lines) return 1;
  if (bucket.lines_to <= lines) return 0;
  return (bucket.lines_to - lines) / (bucket.lines_to - bucket.lines_from);
}

double fetches_beyond(const ReuseDistances& distances, double lines) {
  double sum = 0;
  for (const ReuseBucket& one : distances.buckets) sum += (one.read + one.write) * part_beyond(one, lines);
  return sum;
}

}  // namespace

void add(ReuseDistances& to, const ReuseDistances& more) {
  to.line_bytes = more.line_bytes;
  for (const ReuseBucket& one : more.buckets) {
    const auto place = std::ranges::lower_bound(to.buckets, one.lines_from, {}, &ReuseBucket::lines_from);
    if (place == to.buckets.end() || place->lines_from != one.lines_from) {
      to.buckets.insert(place, one);
      continue;
    }
    place->read += one.read;
    place->write += one.write;
    place->written_from += one.written_from;
    place->written_to += one.written_to;
  }
  for (const auto& [sets, squares] : more.crowding) to.crowding[sets] += squares;
}

void scale(ReuseDistances& distances, double factor) {
  for (ReuseBucket& one : distances.buckets)
    for (double* often : {&one.read, &one.write, &one.written_from, &one.written_to}) *often *= factor;
  for (auto& [sets, squares] : distances.crowding) squares *= factor;
}

CacheTraffic traffic_below(const ReuseDistances& distances, double cache_bytes) {
  const double lines = cache_bytes / distances.line_bytes;
  CacheTraffic traffic;
  for (const ReuseBucket& one : distances.buckets) {
    const double beyond = part_beyond(one, lines) * distances.line_bytes, within = distances.line_bytes - beyond;
    traffic.demand_read_bytes += beyond * one.read;
    traffic.rfo_bytes += beyond * one.write;
    traffic.write_back_bytes += within * (one.written_from - one.written_to);
  }
  return traffic;
}

double crowding_in(const ReuseDistances& distances, const CacheLevel& cache) {
  const double sets = static_cast<double>(cache.bytes) / cache.line_bytes / cache.ways;
  const auto above = std::ranges::find_if(distances.crowding, [&](const auto& one) { return one.first > sets; });
  if (above == distances.crowding.begin()) return 0;
  const auto& [window, squares] = *std::prev(above);
  const double fetches = fetches_beyond(distances, window);
  return fetches > 0 ? squares / fetches : 0;
}

bool may_conflict(const ReuseDistances& distances, const CacheLevel& cache) {
  constexpr double crowded = 3, some = 0.05;
  const double lines = static_cast<double>(cache.bytes) / distances.line_bytes, all = fetches_beyond(distances, 0),
               spared = all - fetches_beyond(distances, lines);
  return spared > some * all && crowding_in(distances, cache) >= crowded;
}

}  // namespace plumbline
