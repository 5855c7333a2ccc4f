#include "app/stages/cache_scout.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/stages/ceilings_stage.hpp"
#include "app/stages/team_meeting.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"
#include "measure/arena.hpp"
#include "measure/flushed.hpp"
#include "measure/stopwatch.hpp"
#include "measure/timing.hpp"

namespace plumbline::app {
namespace {

constexpr double least_saving = 0.3;  // of a miss's time, by a hit: last caches of servers take 20 to 100 ns, memory 90 to 250 ns
constexpr int samples = 3;

/// Dependent loads from all of scouted_bytes, or null where there is no room or no flavor.
std::optional<CeilingCase> chase_of_scout() {
  const CeilingTeam alone{.team = {.ranks = 1, .threads = 1}};
  for (auto& one : plan_ceilings(CeilingMode::quick, this_cpu().isas, {}, memory_available_bytes(), std::span(&alone, 1)))
    if (one.level == CeilingKind::sweep && one.pattern == "chase" && one.working_set_bytes >= 0.9 * scouted_bytes) return one;
  return std::nullopt;
}

double fastest(Stopwatch& watch) {
  double seconds = watch.measure(1).seconds;
  for (int i = 1; i < samples; ++i) seconds = std::min(seconds, watch.measure(1).seconds);
  return seconds;
}

/// Loads every line, in an order that no prefetcher follows and that is not the chase's: of a cache that keeps the lines used last, the
/// chase would always ask next for what has just gone.
void load_all(std::span<const std::byte> data) {
  constexpr std::size_t line = 64, stride = 1021;  // lines
  const std::size_t lines = data.size() / line;
  for (std::size_t i = 0, at = 0; i < lines; ++i, at = (at + stride) % lines)
    static_cast<void>(*static_cast<const volatile std::byte*>(&data[at * line]));
}

}  // namespace

std::optional<LastCaches> caches_planned_for(LastCaches told, std::span<const CeilingRow> sweeps) {
  double largest = 0;
  for (const CeilingRow& row : sweeps)
    if (row.pattern == "load" && row.scope != gpu_scope && row.ranks * row.threads == 1) largest = std::max(largest, row.working_set_bytes);
  if (!(largest > 0)) return std::nullopt;
  const double least = std::max(usual_bytes, largest / 4);  // plans go to four times a last cache
  return LastCaches{.bytes = std::min(told.bytes, static_cast<std::uint64_t>(least)), .count = told.count};
}

LastCaches found_caches(LastCaches told, double swept, double flushed) {
  const double most_hits = (1 - swept / flushed) / least_saving;
  if (!(flushed > 0 && most_hits < 1)) return told;
  double bytes = usual_bytes;
  while (bytes < most_hits * scouted_bytes) bytes *= 2;
  return {.bytes = std::min(told.bytes, static_cast<std::uint64_t>(bytes)), .count = told.count};
}

LastCaches scout_caches(const Topology& topology, int cpu) {
  const LastCaches told = last_caches_of(topology);
  if (static_cast<double>(told.bytes) <= usual_bytes) return told;
  const auto chase = chase_of_scout();
  if (!chase) return told;
  Synchronization alone;
  const BoundTeam bound({cpu}, alone);
  if (!bound.problem().empty()) return told;
  Arena arena(Prepared::arena_size(chase->measured));
  Timed timed;
  const auto data = prepare_case(chase->measured, false, bound.threads(), alone, timed, &arena);
  if (!data) return told;
  Stopwatch watch(*data, bound.threads(), alone);
  load_all(arena.used());
  const double swept = fastest(watch);
  if (!flush_from_caches(arena.used())) return told;
  return found_caches(told, swept, fastest(watch));
}

}  // namespace plumbline::app
