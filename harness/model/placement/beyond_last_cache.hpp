// Some cases have a working set that the last cache of their node cannot hold, although they were counted as if it did.
#pragma once
#include <span>
#include <string>

#include "model/cases/measured.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline {

/// Corrects a case whose working set is more than twice what the node's sweeps show of the last cache for such a team: a sweep asks memory
/// for what the cache cannot hold, at least. Simulated or modelled traffic that is less comes from caches that are not the machine's (a
/// topology that tells too much): it becomes the interval from there to all that crosses into the cache. Gives the level that then binds
/// nothing; empty: all is as it was.
std::string correct_beyond_last_cache(Traffic& traffic, const Measured& measured, std::span<const Ceiling> ceilings);

}  // namespace plumbline
