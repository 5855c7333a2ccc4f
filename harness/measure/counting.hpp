// Counting one case with one event group: a warm sweep, then the region; and the empty region, to be subtracted.
#pragma once
#include <cstdint>
#include <vector>

#include "core/case.hpp"
#include "counters/backend.hpp"
#include "measure/thread_team.hpp"

namespace plumbline {

/// Region totals of one repetition: [thread][event], kernel and empty region alike over `entries` entries of one sweep each.
struct RegionCounts {
  std::vector<std::vector<Reading>> kernel, empty;
  std::uint64_t entries = 1;
};

/// Whether a sweep before the region brings the caches into steady state. What no cache decides needs none.
enum class WarmSweep { yes, no };

/// Counts `group` of `backend` over a case in steady state (one warm sweep outside the region; simulated caches are emptied
/// before it). Data live at the arena's fixed address. Each thread enters the region around its own part, with nothing of the
/// team's meeting points inside. Throws std::bad_alloc when memory is refused.
RegionCounts count_case(const Case& measured, Backend& backend, std::size_t group, const ThreadTeam& threads, std::uint64_t entries,
                        WarmSweep warm = WarmSweep::yes);

}  // namespace plumbline
