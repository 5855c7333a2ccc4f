#include "machine/control_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "machine/system_file.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double no_limit = HUGE_VAL;

/// The limit in a line of a control group's file. nullopt: the file is not there or holds no number; no_limit: it says "max", or as version
/// 1 a number below zero.
std::optional<double> limit_in(const std::optional<std::string>& line) {
  if (!line) return std::nullopt;
  std::istringstream words(*line);
  std::string word;
  words >> word;
  if (word == "max") return no_limit;
  double value = 0;
  std::istringstream number(word);
  if (!(number >> value)) return std::nullopt;
  return value < 0 ? no_limit : value;
}

std::optional<double> cpus_in(const fs::path& group) {
  if (const auto line = first_line(group / "cpu.max")) {  // "150000 100000", "max 100000"
    const auto quota = limit_in(line), period = limit_in(line->substr(std::min(line->size(), line->find(' '))));
    if (quota && period && *period > 0) return *quota / *period;
  }
  const auto quota = limit_in(first_line(group / "cpu.cfs_quota_us")), period = limit_in(first_line(group / "cpu.cfs_period_us"));
  if (quota && period && *period > 0) return *quota / *period;
  return std::nullopt;
}

std::optional<double> bytes_in(const fs::path& group) {
  if (const auto bytes = limit_in(first_line(group / "memory.max"))) return bytes;
  const auto bytes = limit_in(first_line(group / "memory.limit_in_bytes"));
  constexpr double everything = 0x1p62;  // version 1 writes "none" as the largest multiple of a page
  return bytes && *bytes >= everything ? no_limit : bytes;
}

bool names(const std::string& list, const std::string& controller) { return ("," + list + ",").find("," + controller + ",") != list.npos; }

/// The group of this process below the root of its hierarchy: "/a/b" of "8:cpu,cpuacct:/a/b" (version 1) or "0::/a/b" (version 2).
std::optional<std::string> own_group(const fs::path& root, const std::string& controller, bool version2) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version2 ? controllers.empty() : names(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

struct Mount {
  std::string top, point;  // which group of the hierarchy lies there, and where
};

/// Finds a mount by proc(5), mountinfo: "ID PARENT DEVICE TOP POINT ... - TYPE SOURCE OPTIONS".
std::optional<Mount> mount_of(const fs::path& root, const std::string& controller, bool version2) {
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string skipped, type, options;
    Mount mount;
    before >> skipped >> skipped >> skipped >> mount.top >> mount.point;
    after >> type >> skipped >> options;
    if (version2 ? type == "cgroup2" : type == "cgroup" && names(options, controller)) return mount;
  }
  return std::nullopt;
}

/// The least that any group says; nullopt where none says anything.
template <class Read>
std::optional<double> least(const std::vector<fs::path>& groups, Read read) {
  std::optional<double> least;
  for (const auto& group : groups)
    if (const auto limit = read(group)) least = std::min(least.value_or(no_limit), *limit);
  return least;
}

}  // namespace

std::vector<fs::path> control_groups(const std::string& controller, const fs::path& root) {
  std::vector<fs::path> groups;
  for (const bool version2 : {false, true}) {
    const auto mount = mount_of(root, controller, version2);
    auto own = own_group(root, controller, version2);
    if (!mount || !own) continue;
    if (mount->top != "/" && own->starts_with(mount->top)) own->erase(0, mount->top.size());
    const fs::path point = root / fs::path(mount->point).relative_path();
    std::error_code unknown;
    for (fs::path below = fs::path(*own).relative_path();; below = below.parent_path()) {
      const fs::path group = below.empty() ? point : point / below;
      if (fs::is_directory(group, unknown)) groups.push_back(group);
      if (below.empty()) break;
    }
    if (!groups.empty()) break;  // a controller is of one version
  }
  return groups;
}

std::optional<double> cpu_quota(const std::vector<fs::path>& groups) { return least(groups, cpus_in); }

Fact cpu_limit(const fs::path& root) {
  const auto cpus = cpu_quota(control_groups("cpu", root));
  if (!cpus) return unknown("cpu_limit", "no control group that shows here says cpu.max or cpu.cfs_quota_us");
  return known("cpu_limit", std::isfinite(*cpus) ? fmt::format("{:.4g} CPUs", *cpus) : "none");
}

Fact memory_limit(const fs::path& root) {
  const auto bytes = least(control_groups("memory", root), bytes_in);
  if (!bytes) return unknown("memory_limit_bytes", "no control group that shows here says memory.max or memory.limit_in_bytes");
  return std::isfinite(*bytes) ? known_number("memory_limit_bytes", static_cast<long long>(*bytes)) : known("memory_limit_bytes", "none");
}

}  // namespace plumbline
