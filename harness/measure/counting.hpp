// One case is counted with one event group: a warm sweep, then the region; and the empty region, to be subtracted.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "counters/backend/backend.hpp"
#include "measure/failed_at.hpp"
#include "measure/synchronization.hpp"
#include "measure/thread_team.hpp"

namespace plumbline {

/// Whether a sweep before the region brings the caches into steady state. Counts that no cache decides need none.
enum class WarmSweep { yes, no };

/// The protocol of counting a case with one group.
struct CountingProtocol {
  int repetitions = 1;     // of (empty region, kernel's region), in turn
  double min_seconds = 0;  // of sweeps that a region is made of; 0: one
  WarmSweep warm = WarmSweep::yes;
  std::uintptr_t address = 0;  // of the data; 0: anywhere. Simulated caches repeat their counts at Arena::fixed_address
};

/// The region totals of one repetition: [thread][event], kernel and empty region alike over `sweeps` sweeps. The sweeps lie in one entry,
/// for reading a counter empties small caches (by a system call, in a virtual machine the hypervisor's work too); where a sweep is undone
/// before the next, each is an entry. For a group that counts the whole team there is one "thread".
struct RegionCounts {
  std::vector<std::vector<Reading>> kernel, empty;
  std::uint64_t sweeps = 1;
};

/// The outcome of counting a case: a value, also when it fails.
struct CountedCase {
  Status status = Status::ok;
  std::string reason;
  std::vector<RegionCounts> repetitions;
  FailedAt failed_at = FailedAt::this_rank;            // where it failed
  std::vector<std::vector<RegionCounts>> phases = {};  // of an application: the repetitions of each phase
};

/// Counts `group` of `backend` over a case in steady state (one warm sweep outside the region; simulated caches are emptied
/// before it). Each thread enters the region around its own part, with nothing of the
/// team's meeting points inside. Of an application the whole is counted, then each phase in sweeps of its own (a simulator counts all of
/// them in one), in which the other phases run uncounted: it finds the caches as they leave them; what ranks exchange is counted nowhere.
/// Collective over the ranks behind `team`,
/// which sweep at the same time; every rank reaches every meeting point, whatever fails on it.
CountedCase count_case(const Case& measured, Backend& backend, std::size_t group, const ThreadTeam& threads,
                       const CountingProtocol& protocol, Synchronization& team);

}  // namespace plumbline
