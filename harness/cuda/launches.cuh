// The code that launches a kernel tells here, for launches that are written down, what the kernel's own code does not say.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/kernel_launch.hpp"

namespace plumbline::cuda {

/// Tells the facts of the launch that this thread makes next (LaunchFacts); nothing is kept where launches are not written down.
void next_launch(std::uint64_t threads, std::initializer_list<std::uint64_t> trips = {}, bool guards_let_through = false);
/// Tells the facts where threads have different trips: the trips of all of them together.
void next_launch_in_all(std::uint64_t threads, std::initializer_list<std::uint64_t> trips, bool guards_let_through = false);
/// Tells why nothing is known of the next launch.
void next_launch_untold(const char* why);

/// Whether launches are made, not only written down: else there may be neither GPU nor driver.
bool launches_are_made();
/// Writes down that a library launches what it does not tell of, and says whether it is to launch it: not where launches are only written
/// down.
bool library_is_to_launch(const char* library);

/// Tells that launches from now on are captured in a graph, and not made: they are not written down.
void begin_captured_launches();
/// Tells that they are made again. Gives the error of the first one that was refused: those behind it fail only because it did.
cudaError_t end_captured_launches();

/// Writes each launch from now on down in `where`, until told null; with `only`, instead of making it.
void write_down_launches(std::vector<KernelLaunch>* where, bool only, const std::string& architecture);

}  // namespace plumbline::cuda
