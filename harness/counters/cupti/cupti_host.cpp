#include "counters/cupti/cupti_host.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"
#include "counters/cupti/cupti_library.hpp"

namespace plumbline {

namespace fs = std::filesystem;

namespace {

const fs::path loader_path;  // an empty folder, as open_cupti() has it

void add_if_there(const fs::path& folder, std::vector<fs::path>& folders) {
  if (holds_cupti(folder) && std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
}

/// The entries of a folder, by name; nothing where there is none.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code none;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) entries.push_back(at->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_toolkit(const fs::path& root, std::vector<fs::path>& folders) {
  for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib"}) add_if_there(root / folder, folders);
  for (const auto& target : entries_of(root / "targets")) add_if_there(target / "lib", folders);
}

/// Adds the folders of PyPI's wheels, below a Python's prefix.
void add_wheels(const fs::path& prefix, std::vector<fs::path>& folders) {
  for (const auto& python : entries_of(prefix / "lib"))
    for (const char* packages : {"site-packages", "dist-packages"})
      for (const auto& wheel : entries_of(python / packages / "nvidia")) add_if_there(wheel / "lib", folders);
}

}  // namespace

std::vector<fs::path> CuptiHost::cupti_folders() {
  if (const char* named = std::getenv("PLUMBLINE_CUPTI_PATH"); named != nullptr && *named != '\0') return {named};
  std::error_code none;
  const fs::path beside_program = fs::read_symlink("/proc/self/exe", none).parent_path();
  std::vector<fs::path> folders{beside_program, (beside_program / PLUMBLINE_CUPTI_LIBRARY_DIR).lexically_normal(), loader_path};
  for (const char* named : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char* toolkit = std::getenv(named); toolkit != nullptr && *toolkit != '\0') add_toolkit(toolkit, folders);
  add_toolkit("/usr/local/cuda", folders);
  add_toolkit("/opt/cuda", folders);
  for (const char* named : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* prefix = std::getenv(named); prefix != nullptr && *prefix != '\0') add_wheels(prefix, folders);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') add_wheels(fs::path(home) / ".local", folders);
  for (const char* prefix : {"/usr/local", "/usr"}) add_wheels(prefix, folders);
  return folders;
}

CuptiHost::CuptiHost(const std::vector<fs::path>& folders) {
  library_ = open_cupti(folders, availability_.reason);
  if (library_ == nullptr) availability_.status = Status::unavailable;
}

const CuptiLibrary& CuptiHost::library() const {
  if (library_ == nullptr) throw io_error(availability_.reason);
  return *library_;
}

std::string CuptiHost::version() const {
  std::uint32_t number = 0;
  PLUMBLINE_CUPTI(library(), cuptiGetVersion, &number);
  const std::string version = number < 10000 ? "12, interface " + std::to_string(number)  // a number of CUPTI's own before 13
                                             : std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
  return "CUPTI " + version + " (" + library().file.string() + ")";
}

fs::path CuptiHost::folder() const { return library().file.parent_path(); }

std::vector<std::string> CuptiHost::chips() const {
  auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips);
  PLUMBLINE_CUPTI(library(), cuptiProfilerHostGetSupportedChips, &asked);
  return {asked.ppChipNames, asked.ppChipNames + asked.numChips};
}

void CuptiHost::require_chip(const std::string& chip) const {
  const auto known = chips();
  if (std::find(known.begin(), known.end(), chip) != known.end()) return;
  std::string names;
  for (const auto& one : known) names += (names.empty() ? "" : ", ") + one;
  throw user_error("CUPTI knows no chip '" + chip + "'; known are " + names);
}

std::vector<std::string> CuptiHost::base_metrics(const std::string& chip) const {
  require_chip(chip);
  const CuptiChip asked(library(), chip);
  std::vector<std::string> names;
  for (const auto type : {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT})
    asked.append_base_metrics(type, names);
  return names;
}

std::vector<std::string> CuptiHost::unknown_metrics(const std::string& chip, std::span<const std::string> metrics) const {
  require_chip(chip);
  const CuptiChip asked(library(), chip);
  std::vector<std::string> unknown;
  for (const auto& metric : metrics)
    if (!asked.has(metric)) unknown.push_back(metric);
  return unknown;
}

std::optional<std::size_t> CuptiHost::passes(const std::string& chip, std::span<const std::string> metrics) const {
  if (const auto unknown = unknown_metrics(chip, metrics); !unknown.empty())
    throw user_error("CUPTI knows no metric '" + unknown.front() + "' of " + chip +
                     "; 'plumbline list counters' shows those of the tables");
  const CuptiChip asked(library(), chip);
  if (metrics.empty()) return 0;
  if (!asked.schedule(metrics)) return std::nullopt;
  auto image = asked.config_image();
  return asked.passes(image);
}

}  // namespace plumbline
