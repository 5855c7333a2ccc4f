// The code of their kernels tells what launches executed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/kernel_launch.hpp"

namespace plumbline {

/// The disassembled code of a flavor ("cuda13-sm_90a", "cuda12-sm_70"; "sm_90a" is CUDA 13's), by harness/cmake/disassemble.cmake.
std::string code_file(const std::string& flavor);

/// The counts of all threads that have work.
struct LaunchCounts {
  std::map<std::string, std::uint64_t> flops = {}, accesses = {};  // by SassCounts' names; what is not named is 0 where nothing is refused
  std::string flops_refusal = {}, accesses_refusal = {};           // why nothing is said of them
};

/// Counts launches. The code is read from the folder's code_file(). Refused with the first reason that one of the launches gives.
LaunchCounts counts_of(std::span<const KernelLaunch> launches, const std::filesystem::path& folder);

}  // namespace plumbline
