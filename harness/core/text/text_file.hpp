// A person wrote these files: campaigns, machines, tables of events, geometries.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace plumbline {

inline constexpr std::size_t longest_text_file = std::size_t{64} << 20;  // bytes, of what a person writes

/// The text of a file or of a pipe. nullopt with errno where it cannot be read; EFBIG: it has more than `longest` bytes, as from a device
/// that never ends.
std::optional<std::string> read_text_file(const std::filesystem::path& path, std::size_t longest = longest_text_file);

}  // namespace plumbline
