// The ceilings of a GPU say what a kernel's launches cost at least, and what it waits for.
#pragma once
#include <vector>

#include "app/programs/kernel_profile.hpp"
#include "model/ceilings/ceiling.hpp"

namespace plumbline::app {

/// Places each kernel by the ceilings of the first GPU: the time of its launches, and its place in the time-based roofline.
void place_kernels(const std::vector<Ceiling>& ceilings, KernelProfile& profile);

}  // namespace plumbline::app
