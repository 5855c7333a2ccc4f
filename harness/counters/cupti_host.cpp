#include "counters/cupti_host.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"
#include "counters/cupti_library.hpp"

namespace plumbline {

namespace fs = std::filesystem;

std::vector<fs::path> CuptiHost::cupti_folders() {
  if (const char* named = std::getenv("PLUMBLINE_CUPTI_PATH"); named != nullptr && *named != '\0') return {named};
  std::error_code none;
  return {fs::read_symlink("/proc/self/exe", none).parent_path(), PLUMBLINE_CUPTI_LIBRARY_DIR};
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
  return "CUPTI " + std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + " (" + library().file.string() + ")";
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
