// Counters that are wrong on purpose as PAPI's software-defined events: what the generator makes up elsewhere (faults.hpp), done here to
// the emulator's counts of a real sweep.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/flows.hpp"
#include "faults.hpp"

namespace plumbline::test {

/// Of one seed: right counters, and then one of every kind of fault.
struct SeededCounters {
  std::uint64_t seed = 0;
  std::vector<MadeCounter> made;
};

/// What the rank and its worker, the same program, both know.
struct RealCampaign {
  std::vector<CacheLevel> caches;  // the emulator's
  std::vector<Case> cases;
  std::vector<TrueCase> expected;  // of the cases, from the model alone: what is typical
  std::vector<Fault> faults;
  std::vector<SeededCounters> seeds;
  MadeCounter offset_everywhere;  // right, and so many too many in every region, the empty one too
};

/// A few small cases of kernels in every v3 flavor that is built here at O0 and O3, by so many seeds.
RealCampaign real_campaign(std::uint64_t seeds);

/// The event that comes first in a group: it tells the others which case is counted, and whether beside other events (`joint`).
std::string telling_event(std::size_t at, bool joint);

/// Registers the events of all counters of the campaign, which must stay; call it before serving.
void register_wrong_events(const RealCampaign& campaign);

}  // namespace plumbline::test
