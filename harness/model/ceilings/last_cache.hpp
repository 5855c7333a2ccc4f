// A node's last cache is as large as its topology tells, or as the sweeps find, where these clearly differ.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/flows.hpp"
#include "core/records.hpp"
#include "model/ceilings/levels.hpp"

namespace plumbline {

/// The rule that a campaign gives for the last cache ([emulated] caches). `automatic` takes what was found where that clearly differs,
/// `measured` wherever a level was found.
enum class LastCacheRule { automatic, topology, measured };

/// The last cache: both sizes, and the one that simulation and model go by. A virtual machine is shown the whole socket's L3 and has a part
/// of it, and neighbours take theirs.
struct LastCache {
  std::string name = {};  // "L3"; empty where the topology tells no cache that cores share
  std::uint64_t topology_bytes = 0;
  double found_bytes = absent, found_lo = absent, found_hi = absent, confidence = absent;  // as find_levels() says; absent: not found
  std::uint64_t bytes = 0;       // what is simulated: a whole number of sets of the topology's ways
  std::uint64_t lo = 0, hi = 0;  // what the model reckons with; lo < hi where the finder is unsure: all that either says
  bool is_measured = false;      // `bytes` is what was found
  std::string reason = {};       // why, in words

  bool is_sure() const { return lo == hi; }
};

/// Chooses. `caches`: as the topology tells them, from the core outwards. `found`: by one core. What was found is the last cache if it is
/// larger, by half, than the cache before it; it clearly differs where its whole interval lies beyond a factor of 2 from the topology's
/// size, and is sure from a confidence of 0.8 on. Below half of that nothing is taken from it but under `measured`.
LastCache choose_last_cache(std::span<const CacheLevel> caches, const FoundLevels& found, LastCacheRule rule);

/// The last cache as the topology tells it, for `reason`.
LastCache last_cache_as_told(std::span<const CacheLevel> caches, std::string reason);

/// `caches` with a last one of so many bytes. A cache that is not the last, or none, is left as it is.
std::vector<CacheLevel> with_last_cache(std::vector<CacheLevel> caches, const LastCache& last, std::uint64_t bytes);

}  // namespace plumbline
