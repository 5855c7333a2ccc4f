// The ceilings of a GPU say what a kernel's launches cost at least, and what it waits for.
#pragma once
#include <vector>

#include "app/gpu_kernels/kernel_profile.hpp"
#include "model/ceilings/ceiling.hpp"

namespace plumbline::app {

/// Places each kernel by the ceilings of the first GPU, of ranks as many times as they had GPUs: the time of its launches on each of them,
/// and its place in the time-based roofline.
void place_kernels(const std::vector<Ceiling>& ceilings, KernelProfile& profile);

}  // namespace plumbline::app
