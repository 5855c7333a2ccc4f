// Files of /proc and /sys often have one line, which is read here.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// The first line of a file without trailing blanks; nullopt when it cannot be read.
std::optional<std::string> first_line(const std::string& path);
/// The value of the first "KEY : value" line of a file such as /proc/cpuinfo or /proc/meminfo.
std::optional<std::string> field_of(const std::string& path, std::string_view key);
/// The word in brackets: "always [madvise] never" gives "madvise".
std::optional<std::string> bracketed(const std::optional<std::string>& line);

}  // namespace plumbline
