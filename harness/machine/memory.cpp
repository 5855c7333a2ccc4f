#include "machine/memory.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "machine/system_file.hpp"

namespace plumbline {
namespace {

std::optional<std::uint64_t> number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failure != std::errc() || end == text->data()) return std::nullopt;  // "max"
  return value;
}

std::uint64_t kibibytes(std::string_view key) { return number(field_of("/proc/meminfo", key)).value_or(0) * 1024; }

constexpr auto no_memory_limit = std::numeric_limits<std::uint64_t>::max();

// The bytes that a control group and its parents leave, by their files for limit and use.
std::uint64_t left_in_groups(const std::filesystem::path& root, std::filesystem::path group, const char* limit, const char* used) {
  std::uint64_t left = no_memory_limit;
  for (;; group = group.parent_path()) {
    const auto folder = root / group.relative_path();
    const auto bytes = number(first_line(folder / limit)), taken = number(first_line(folder / used));
    if (bytes && taken) left = std::min(left, *bytes - std::min(*bytes, *taken));
    if (!group.has_relative_path()) return left;
  }
}

std::uint64_t left_in_control_group() {
  std::uint64_t left = no_memory_limit;
  std::ifstream groups("/proc/self/cgroup");  // "0::/path" (version 2), "4:memory:/path" (version 1)
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path path = line.substr(second + 1);
    if (controllers.empty()) left = std::min(left, left_in_groups("/sys/fs/cgroup", path, "memory.max", "memory.current"));
    if (controllers == "memory")
      left = std::min(left, left_in_groups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes"));
  }
  return left;
}

}  // namespace

std::uint64_t memory_available_bytes() { return std::min(kibibytes("MemAvailable"), left_in_control_group()); }

std::uint64_t memory_available_bytes(int numa_memory) {
  const std::string node = std::to_string(numa_memory), file = "/sys/devices/system/node/node" + node + "/meminfo";
  const auto bytes = [&](const char* key) { return number(field_of(file, "Node " + node + " " + key)).value_or(0) * 1024; };
  return std::min(memory_available_bytes(), bytes("MemFree") + (bytes("Active(file)") + bytes("Inactive(file)")) / 2);
}

std::uint64_t memory_total_bytes() { return kibibytes("MemTotal"); }

}  // namespace plumbline
