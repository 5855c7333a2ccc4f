// The GPU kernels of a program become an ordinary result: a case for all of them and one for each, with times, counts and the roofs.
#pragma once
#include <string>
#include <vector>

#include "app/gpu_kernels/kernel_profile.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// Makes the results: first the case of all kernels, where they ran on GPUs of one chip, program/NAME/PRECISION/part=whole/gN/cuda-sm_90,
/// whose time is that of the kernels on the GPU; then the kernels in their order, program/NAME/PRECISION/part=KERNEL/gN/cuda-sm_90, N the
/// GPUs of a node that ran it. One that ran in graphs alone has variant=graph besides. Counts are those of all launches, by CUPTI's
/// metrics, of several nodes the mean. Ceilings and machines are those of `roofs`, and the node is the one that has them. `minus`: the run
/// whose amounts were taken away, in a word; empty: none. Each kernel's place is set.
Results kernel_results(const std::string& program, KernelProfile& profile, int nodes, Results roofs, const std::string& minus);

}  // namespace plumbline::app
