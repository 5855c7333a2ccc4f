// One rank of a program that is profiled behind its launcher is run, and leaves what it did in the folder of the launch.
#pragma once
#include <filesystem>

#include "app/programs/profile_ways.hpp"

namespace plumbline::app {

/// The two launches of a program.
enum class LaunchPass { timed, counted };

/// The place of this process in its launch. Throws Error (user) where the launcher tells it none.
Launch require_launch();

/// Runs the rank's program and leaves its times (NativeRank) or its counts in the folder. The exit code is the program's.
Exit profiled_rank(LaunchPass pass, const std::filesystem::path& folder, const ProfileOptions& options);

}  // namespace plumbline::app
