// Many short kernels take as long as their launches, whatever they do: from which size on the roofs take longer is predicted here, from
// ceilings alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/application.hpp"
#include "model/ceilings/ceiling.hpp"

namespace plumbline {

/// The least that a GPU costs: seconds of a launch, and its rates in FLOP/s and in bytes/s of memory. NaN where it was not measured.
struct LaunchRoofs {
  double launch_seconds = absent, flops = absent, bytes = absent;
};

/// The roofs of a GPU (by its number among the node's) by its ceilings: launches into a stream or as a graph (`way`), FMAs in the
/// precision, and loads from memory.
LaunchRoofs launch_roofs(std::span<const Ceiling> ceilings, const std::string& way, const std::string& precision, std::int32_t device = 0);

/// The launches of a sweep: one an entry of each phase that is launched.
std::uint64_t launches_of(const ApplicationWork& sweep);

/// The least seconds of all launches in a sweep; after Wang, Yang, Farrell, Zhang, Kurth,
/// Williams 2020, section III.B: launches times the overhead of one.
double seconds_of_launches(const ApplicationWork& sweep, const LaunchRoofs& roofs);

/// The seconds of a sweep whose phases take, one after the other, what their FLOPs or their data's bytes take at the roofs.
double seconds_at_roofs(const ApplicationWork& sweep, const LaunchRoofs& roofs);

/// The first of so many sweeps, of growing sizes, from which on the roofs take longer than the launches; nullopt where there is none, or a
/// roof was not measured.
std::optional<std::size_t> launch_crossover(std::span<const ApplicationWork> sweeps, const LaunchRoofs& roofs);

}  // namespace plumbline
