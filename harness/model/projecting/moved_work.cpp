#include "model/projecting/moved_work.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

/// Less of a working set's traffic that crosses elsewhere is no move.
constexpr double notable_crossing = 0.02;

/// The part of a working set's traffic that crosses behind a cache of that size: none that fits, all that does not, between them in steps.
double crossing_by_size(double working_set, double size) {
  if (!(size > 0)) return 1;
  const double least = held_up_to * size, most = size / held_up_to;
  return std::clamp((working_set - least) / (most - least), 0.0, 1.0);
}

/// Sweeps show that part, where there are any.
double crossing_by_sweep(double working_set, const SideLevel& cache) {
  return cache.edge.empty() ? crossing_by_size(working_set, cache.size_bytes) : part_beyond(cache.edge, working_set);
}

/// Counts have that part, too, of a simulated cache that ends at once, and whose size may be another: they go before the size where they
/// are clear. What crosses in blocks is less than what crosses before it, but the working set at least.
double counted_crossing(double working_set, const SideLevel& cache, double inside, double behind) {
  constexpr double most_of_it = 0.5, next_to_nothing = 0.05;
  if (behind > most_of_it * inside) return 1;
  if (behind < std::min(next_to_nothing * inside, most_of_it * working_set)) return 0;
  return crossing_by_size(working_set, cache.size_bytes);
}

/// The part of a working set's traffic that crosses behind a cache.
struct Crossing {
  double counted = 0, here = 0, there = 0;
};

/// Sizes decide where neither side has an edge, and of a working set that is known as `shown` alone.
Crossing crossing_of(const WorkPart& part, const SideLevel& here, const SideLevel& there, double shown, double inside, double behind) {
  const bool is_known = std::isfinite(part.working_set_bytes);
  const double working_set = is_known ? part.working_set_bytes : shown;
  if (is_known && !(here.edge.empty() && there.edge.empty()))
    return {counted_crossing(working_set, here, inside, behind), crossing_by_sweep(working_set, here),
            crossing_by_sweep(working_set, there)};
  const double at_home = crossing_by_size(working_set, here.size_bytes);
  return {at_home, at_home, crossing_by_size(working_set, there.size_bytes)};
}

/// The bytes behind a cache that lets through another part of its traffic: of a smaller one as much more as it no longer holds of what the
/// one here did, so that less room never is less traffic; of a larger one as much less.
double crossing_there(double inside, double behind, double before, double after) {
  if (after == before) return behind;
  if (after < before) return std::min(behind * after / before, inside);
  return behind + std::max(inside - behind, 0.0) * (after - before) / (1 - before);
}

/// The working set as which caches hold it at home says: the size of the first that lets nothing through.
double shown_working_set(const WorkPart& part, const NodeSide& home) {
  for (std::size_t i = 0; i + 1 < home.levels.size(); ++i) {
    const auto behind = part.bytes.find(home.levels[i + 1].name);
    if (behind != part.bytes.end() && behind->second == 0 && std::isfinite(home.levels[i].size_bytes))
      return held_up_to * home.levels[i].size_bytes;
  }
  return absent;
}

/// Tells vector instructions of the home's width as those of the target's; gives how many times as many instructions there are then.
double widen(WorkPart& part, const NodeSide& home, const NodeSide& target) {
  if (part.mix.empty() || home.vector_bytes == target.vector_bytes) return 1;
  const std::string& precision = part.mix.begin()->first;
  const double scalar = part.scalar_part > 0 ? part.scalar_part : 0, ratio = lanes(home, precision) / lanes(target, precision);
  const double left = scalar + (1 - scalar) * ratio;
  part.instructions *= left;
  part.core_cycles *= left;
  if (part.scalar_part > 0) part.scalar_part = scalar / left;
  return left;
}

double room_of(const SideLevel& level) { return std::isfinite(level.room_bytes) ? level.room_bytes : level.size_bytes; }

/// The part of a team's cache that each thread of those that were counted has.
double room_of_thread(const PartReuse& reuse, const SideLevel& level) { return room_of(level) / std::max(reuse.threads, 1.0); }

double bytes_at(const WorkPart& part, const std::string& level) {
  const auto found = part.bytes.find(level);
  return found == part.bytes.end() ? absent : found->second;
}

/// The caches behind which a part has other traffic on the target than at home, by more than what is little beside what L1 lets through.
std::vector<std::string> moved_caches(const WorkPart& here, const WorkPart& there, const NodeSide& target) {
  constexpr double notable = 0.1;
  std::vector<std::string> moved;
  for (std::size_t i = 0; i + 1 < target.levels.size(); ++i) {
    const double before = bytes_at(here, target.levels[i + 1].name), after = bytes_at(there, target.levels[i + 1].name);
    const double least = notable * std::max({before, after, bytes_at(here, target.levels[1].name)});
    if (std::abs(after - before) > least) moved.push_back(target.levels[i].name);
  }
  return moved;
}

}  // namespace

WorkPart placed_on(const WorkPart& part, const NodeSide& side) {
  WorkPart placed = part;
  if (!part.reuse) return placed;
  for (std::size_t i = 0; i < side.levels.size() && side.levels[i].name != "mem"; ++i)
    if (const double room = room_of_thread(*part.reuse, side.levels[i]); std::isfinite(room))
      placed.bytes[i + 1 < side.levels.size() ? side.levels[i + 1].name : "mem"] =
          traffic_below(part.reuse->distances, room).bytes() + part.reuse->past_bytes;
  return placed;
}

std::vector<std::string> conflicts_on(const WorkPart& part, const NodeSide& side) {
  std::vector<std::string> found;
  if (!part.reuse) return found;
  for (const auto& level : side.levels) {
    const double room = room_of_thread(*part.reuse, level);
    if (!std::isfinite(room) || level.ways <= 0) continue;
    const CacheLevel cache{.name = level.name,
                           .bytes = static_cast<std::uint64_t>(room),
                           .ways = static_cast<std::uint32_t>(level.ways),
                           .line_bytes = static_cast<std::uint32_t>(part.reuse->distances.line_bytes)};
    if (may_conflict(part.reuse->distances, cache)) found.push_back(level.name);
  }
  return found;
}

MovedWork moved_work(const WorkPart& counted, const NodeSide& home, const NodeSide& target) {
  MovedWork all{.part = placed_on(counted, target)};
  WorkPart& part = all.part;
  all.instructions_ratio = widen(part, home, target);
  if (counted.reuse) {
    all.by = BytesBy::reuse;
    all.moved = moved_caches(placed_on(counted, home), part, target);
    return all;
  }
  const double shown = shown_working_set(part, home);
  if (!std::isfinite(part.working_set_bytes) && !std::isfinite(shown)) return all;
  for (std::size_t i = 0; i + 1 < target.levels.size(); ++i) {
    const SideLevel& cache = target.levels[i];
    const SideLevel* const here = level_named(home, cache.name);
    const auto inside = part.bytes.find(cache.name), behind = part.bytes.find(target.levels[i + 1].name);
    if (here == nullptr || inside == part.bytes.end() || behind == part.bytes.end()) continue;
    if (!std::isfinite(cache.size_bytes) || !std::isfinite(here->size_bytes)) continue;
    const Crossing part_of_it = crossing_of(counted, *here, cache, shown, inside->second, behind->second);
    behind->second = crossing_there(inside->second, behind->second, part_of_it.counted, part_of_it.there);
    if (std::abs(part_of_it.there - part_of_it.counted) >= notable_crossing) all.by = BytesBy::rule;
    if (std::abs(part_of_it.there - part_of_it.here) < notable_crossing) continue;
    all.moved.push_back(cache.name);
    all.is_uncertain = all.is_uncertain || (part_of_it.there > 0 && part_of_it.there < 1);
  }
  return all;
}

void take_code(MovedWork& moved, const WorkPart& code_there, double instructions_here) {
  if (!std::isfinite(code_there.instructions) || !std::isfinite(instructions_here)) return;
  moved.instructions_ratio = code_there.instructions / instructions_here;
  moved.part.mix = code_there.mix;
  moved.part.scalar_part = code_there.scalar_part;
  moved.part.instructions = code_there.instructions;
  moved.part.core_cycles = code_there.core_cycles;
  const auto registers = code_there.bytes.find("L1");
  if (registers != code_there.bytes.end()) moved.part.bytes["L1"] = registers->second;
}

}  // namespace plumbline
