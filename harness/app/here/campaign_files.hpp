// Some campaigns come with plumbline; a word on the command line means one of them, or a file.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::app {

/// The campaigns in find_shared("jobs/campaigns"), sorted; empty where none are installed.
std::vector<std::filesystem::path> shared_campaigns();

/// The campaign's file: `named` itself where that is a file; else the campaign that comes along under that name ("quick", "quick.toml", or
/// the name that 'plumbline list campaigns' shows); else `named`, for the reader to say that it is not there.
std::string find_campaign(const std::string& named);

}  // namespace plumbline::app
