// The campaigns that come with plumbline, and which file a word on the command line means.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::app {

/// Those of find_shared("jobs/campaigns"), sorted; empty where none are installed.
std::vector<std::filesystem::path> shared_campaigns();

/// `named` itself where that is a file; else the campaign that comes along under that name ("quick", "quick.toml", or the name that
/// 'plumbline list campaigns' shows); else `named`, for the reader to say that it is not there.
std::string find_campaign(const std::string& named);

}  // namespace plumbline::app
