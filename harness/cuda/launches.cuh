// What a launch tells of itself where launches are written down.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/kernel_launch.hpp"

namespace plumbline::cuda {

/// Of the launch that this thread makes next (LaunchFacts); nothing is kept where launches are not written down.
void next_launch(std::uint64_t threads, std::initializer_list<std::uint64_t> trips = {}, bool guards_let_through = false);
/// Where threads have different trips: of all of them together.
void next_launch_in_all(std::uint64_t threads, std::initializer_list<std::uint64_t> trips, bool guards_let_through = false);
/// Why nothing is told of it.
void next_launch_untold(const char* why);

/// Each launch from now on is written down there, until told null; with `only`, instead of being made.
void write_down_launches(std::vector<KernelLaunch>* where, bool only, const std::string& architecture);

}  // namespace plumbline::cuda
