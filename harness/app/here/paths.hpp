// This program's own files lie in ../share/plumbline from the binary, which in a build folder leads to the sources.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::app {

std::filesystem::path program_path();
/// The folder `name` ("analysis", "jobs/campaigns") of PLUMBLINE_SHARE or ../share/plumbline; empty if none has it.
std::filesystem::path find_shared(const std::filesystem::path& name);
/// The file of a cache geometry: `named` itself, or the one that comes with plumbline under that name ("amd-interlagos").
std::string find_geometry(const std::string& named);
/// The names under which geometries come along, sorted.
std::vector<std::string> geometry_names();

}  // namespace plumbline::app
