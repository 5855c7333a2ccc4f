// The control groups of this process, and those around them, limit its CPUs and memory; they are of version 1 or 2, wherever they are
// mounted.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/fact.hpp"

namespace plumbline {

/// The folders of the groups that rule this process's `controller` ("cpu", "memory"), innermost first; empty where none shows. A group
/// beyond the mount of the container that this runs in does not show.
std::vector<std::filesystem::path> control_groups(const std::string& controller, const std::filesystem::path& root = "/");

/// The tightest quota of these groups in cores, infinite where they set none; nullopt where none of them says anything.
std::optional<double> cpu_quota(const std::vector<std::filesystem::path>& groups);

/// The fact "cpu_limit": "1.5 CPUs", "none".
Fact cpu_limit(const std::filesystem::path& root = "/");
/// The fact "memory_limit_bytes": a number, or "none".
Fact memory_limit(const std::filesystem::path& root = "/");

}  // namespace plumbline
