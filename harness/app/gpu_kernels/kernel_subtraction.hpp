// An earlier profile of a program's GPU kernels is taken away from another one of the same program.
#pragma once
#include <string>

#include "app/gpu_kernels/kernel_columns.hpp"
#include "app/programs/subtraction.hpp"

namespace plumbline::app {

/// Takes launches, times, FLOPs and bytes away, by kernel, region, rank and kind of copy; what is left of none is gone. Phases are of one
/// run and go. Gives why it cannot be, and then leaves the result as it is; empty: it was done, and its notes say so.
std::string subtract(const Subtrahend& earlier, KernelResult& result);

}  // namespace plumbline::app
