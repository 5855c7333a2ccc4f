// A launcher is started with plumbline before each of its programs.
#pragma once
#include <filesystem>
#include <string>

#include "app/programs/profile_ways.hpp"
#include "profile/program_run.hpp"

namespace plumbline::app {

/// The launcher's command line with plumbline before each program.
struct LauncherCommand {
  ProgramRun run;
  std::string program;  // the first one
};

/// `pass`: timed or counted; `folder`: where its ranks leave what they did. Throws Error (user) where no program is found in it.
LauncherCommand launcher_command(const ProfileOptions& options, const char* pass, const std::filesystem::path& folder);

}  // namespace plumbline::app
