// A person wrote these files: campaigns, machines, tables of events, geometries.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace plumbline {

inline constexpr std::size_t longest_text_file = std::size_t{64} << 20;  // bytes

/// The text of a file or of a pipe. nullopt with errno where it cannot be read; EFBIG: it is longer than `longest_text_file`, as from a
/// device that never ends.
std::optional<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace plumbline
