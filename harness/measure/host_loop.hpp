// The steps that a kernel for GPUs leaves to the host are done by a loop of the kernel for CPUs that it names.
#pragma once
#include <optional>

#include "core/flavor.hpp"

namespace plumbline {

struct Case;

/// The flavor, in the case's precision, of the kernel that does its host's steps: the one that this CPU runs with the widest vectors, at
/// the highest level of optimization; of several the first. None where the kernel leaves nothing to the host. Throws UnavailableHere where
/// nothing here can do it.
std::optional<Flavor> host_loop(const Case& measured);

}  // namespace plumbline
