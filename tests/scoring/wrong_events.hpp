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

/// The counters that are made for the real path.
struct Wish {
  /// The counters of a wish: "known", "known and registers", "unseen": by each seed right counters and one of every kind of fault;
  /// "curves": so many of each magnitude.
  std::string what;
  int seeds = 0;
};

/// Counters that are judged together: of one seed, or of one point of a curve.
struct Trial {
  std::uint64_t seed = 0;
  std::vector<MadeCounter> made;
};

/// The campaign that the rank and its worker, the same program, both know.
struct RealCampaign {
  std::vector<CacheLevel> caches;  // the emulator's
  std::vector<Case> cases;
  std::vector<TrueCase> expected;  // of the cases, from the model alone: what is typical
  std::vector<Trial> trials;
  MadeCounter offset_everywhere;  // right, and so many too many in every region, the empty one too
};

/// A few small cases of kernels in every v3 flavor that is built here at O0 and O3, and counters.
RealCampaign real_campaign(const Wish& wish);

/// The event that comes first in a group: it tells the others which case is counted, and whether beside other events (`joint`).
std::string telling_event(std::size_t at, bool joint);

/// Registers the events of all counters of the campaign, which must stay, and serves counts on descriptor 3 until it is closed.
int serve_wrong_events(const RealCampaign& campaign);

}  // namespace plumbline::test
