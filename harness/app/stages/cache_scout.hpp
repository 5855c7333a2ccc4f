// A scout looks, before the plan is made, how large a cache one core finds. Virtual machines are shown the L3 of a whole socket and have a
// part of it; working sets of four times a gigabyte that is not theirs take most of a run's ceilings, and show nothing that smaller ones do
// not.
#pragma once
#include <optional>
#include <span>

#include "core/records.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// Working set of the scout, in bytes.
inline constexpr double scouted_bytes = 128.0 * (1 << 20);

/// A last cache up to which plans go as far as without any.
inline constexpr double usual_bytes = 32.0 * (1 << 20);

/// The caches to plan for: `told`, or less where the scout finds less. `swept` and `flushed`: seconds of a dependent load from a random
/// line of scouted_bytes, after all of them were loaded in another order, and after all were dropped from the caches. Of so many bytes a
/// cache of C holds the part C / scouted_bytes, and a hit saves 30 % of a miss at least: that bounds C from above. It is rounded up to a
/// power of two, from 32 MiB, so that noise seldom changes a plan; from where a cache may hold all of the working set, nothing is known but
/// `told`.
LastCaches found_caches(LastCaches told, double swept, double flushed);

/// The caches that an earlier session's plan reckoned with, by the largest working set of one core's loads among its samples, so that a
/// resumed run plans the same; nullopt where there is none.
std::optional<LastCaches> caches_planned_for(LastCaches told, std::span<const CeilingRow> sweeps);

/// The node's last-level caches for planning: as its topology tells them, where larger ones than usual do not cost anything or the scout
/// cannot tell; else as the scout finds them, on `cpu` in half a second. By one rank of a node, which has the node to itself.
LastCaches scout_caches(const Topology& topology, int cpu);

}  // namespace plumbline::app
