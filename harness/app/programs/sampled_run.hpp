// A program runs natively and is sampled, in the way that the system allows or the user wants.
#pragma once
#include <filesystem>

#include "app/programs/profile_ways.hpp"
#include "profile/native_run.hpp"
#include "profile/symbols.hpp"

namespace plumbline::app {

/// Runs the options' command with this process's descriptors and environment. `folder`: where the program leaves the times of its marked
/// regions, and one that is sampled by timers of its own its samples. Throws Error (user) where nothing can be sampled.
NativeRun run_sampled(const ProfileOptions& options, const std::filesystem::path& folder, Symbols& symbols);

}  // namespace plumbline::app
