// The steps that a kernel for GPUs leaves to the host are done by a loop of the kernel for CPUs that it names.
#pragma once
#include <string_view>

#include "core/kernel.hpp"

namespace plumbline {

/// The flavor of kernel.host_kernel for this precision that this CPU runs with the widest vectors, at the highest level of optimization:
/// of several the first. Throws UnavailableHere where there is none.
Flavor host_loop(const Kernel& kernel, std::string_view precision);

}  // namespace plumbline
