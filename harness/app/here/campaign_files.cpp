#include "app/here/campaign_files.hpp"

#include <set>

#include "app/here/paths.hpp"
#include "campaign/campaign.hpp"
#include "core/error.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

bool has_name(const fs::path& file, const std::string& name) {
  try {
    return read_campaign(file.string()).name == name;
  } catch (const Error&) {  // 'plumbline list campaigns' says what is wrong with it
    return false;
  }
}

}  // namespace

std::vector<fs::path> shared_campaigns() {
  const fs::path folder = find_shared("jobs/campaigns");
  std::set<fs::path> files;
  std::error_code failed;
  if (!folder.empty())
    for (const auto& file : fs::recursive_directory_iterator(folder, failed))
      if (file.path().extension() == ".toml") files.insert(file.path());
  return {files.begin(), files.end()};
}

std::string find_campaign(const std::string& named) {
  std::error_code none;
  if (fs::exists(named, none) || named.find('/') != std::string::npos) return named;
  const auto files = shared_campaigns();
  for (const auto& file : files)
    if (file.filename() == named || file.stem() == named) return file.string();
  for (const auto& file : files)
    if (has_name(file, named)) return file.string();
  return named;
}

}  // namespace plumbline::app
