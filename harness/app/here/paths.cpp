#include "app/here/paths.hpp"

#include <algorithm>
#include <cstdlib>

namespace plumbline::app {

namespace fs = std::filesystem;

fs::path program_path() { return fs::read_symlink("/proc/self/exe"); }

fs::path find_shared(const fs::path& name) {
  const char* named = std::getenv("PLUMBLINE_SHARE");
  const fs::path beside = program_path().parent_path().parent_path() / "share" / "plumbline";
  for (const fs::path& root : {named ? fs::path(named) : fs::path(), beside})
    if (!root.empty() && fs::exists(root / name)) return root / name;
  return {};
}

namespace {

fs::path geometries() { return find_shared("harness/profile/geometries"); }

}  // namespace

std::vector<std::string> geometry_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(geometries(), none))
    if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_geometry(const std::string& named) {
  const fs::path shared = geometries() / (named + ".toml");
  return !fs::exists(named) && fs::exists(shared) ? shared.string() : named;
}

}  // namespace plumbline::app
