// Libraries of Plumbline's own are loaded into the program that runs natively.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "profile/program_run.hpp"

namespace plumbline {

/// Whether the loader can be told the library's name: it takes none with a blank or a colon.
bool is_name_for_loader(const std::filesystem::path& library);

/// The variable LD_PRELOAD that loads these libraries before those that the user's environment names.
SetVariable preloading(const std::vector<std::filesystem::path>& libraries);

}  // namespace plumbline
