// `plumbline profile --gpu` in its ways: a program, a rank of a launch that is under way, and a launcher with its program.
#pragma once
#include <filesystem>

#include "app/programs/profile_ways.hpp"
#include "app/programs/profiled_rank.hpp"

namespace plumbline::app {

/// Runs a program, or the rank's, and at the first rank shows all. As the other ways do (profile_ways.hpp).
Exit profile_kernels(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting);
/// Does it for a program that a launcher starts, the first word of the command: it is launched twice, with plumbline before the program.
Exit profile_launched_kernels(const ProfileOptions& options, const LaunchMeeting& meeting);
/// Runs the program of a rank there, and leaves what its processes report in the folder. The exit code is the program's.
Exit profiled_gpu_rank(LaunchPass pass, const std::filesystem::path& folder, const ProfileOptions& options);

}  // namespace plumbline::app
