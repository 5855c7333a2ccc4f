#include "machine/memory_modules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

// SMBIOS 3.7, 7.18 Memory Device (type 17): offsets of little-endian fields.
constexpr std::size_t size_at = 0x0c, type_at = 0x12, extended_size_at = 0x1c, configured_speed_at = 0x20, shortest = 0x22;

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

std::string type_name(std::uint32_t type) {
  switch (type) {
    case 0x18:
      return "DDR3";
    case 0x1a:
      return "DDR4";
    case 0x1e:
      return "LPDDR4";
    case 0x20:
      return "HBM";
    case 0x21:
      return "HBM2";
    case 0x22:
      return "DDR5";
    case 0x23:
      return "LPDDR5";
    case 0x24:
      return "HBM3";
    default:
      return fmt::format("memory of type {}", type);
  }
}

/// The size of a module in MiB; 0: the slot is empty or its size unknown.
std::uint32_t mebibytes(const std::string& module) {
  const auto size = number_at(module, size_at, 2);
  if (size == 0x7fff) return number_at(module, extended_size_at, 4) & 0x7fffffffU;
  if (size == 0xffff) return 0;
  return (size & 0x8000U) != 0 ? (size & 0x7fffU) / 1024 : size;  // the top bit: in KiB
}

std::string described(const std::string& module) {
  const auto size = mebibytes(module), speed = number_at(module, configured_speed_at, 2);
  const std::string amount = size % 1024 == 0 ? fmt::format("{} GiB", size / 1024) : fmt::format("{} MiB", size);
  return fmt::format("{} {} {}", amount, type_name(number_at(module, type_at, 1)),
                     speed == 0 || speed == 0xffff ? "at a speed unknown" : fmt::format("at {} MT/s", speed));
}

}  // namespace

Fact memory_modules(const fs::path& root) {
  constexpr const char* name = "memory_modules";
  std::map<std::string, int> modules;
  int empty = 0;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(root / "sys/firmware/dmi/entries", missing)) {
    if (!entry.path().filename().string().starts_with("17-")) continue;
    std::ifstream file(entry.path() / "raw", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.size() < shortest) continue;
    if (mebibytes(bytes) == 0)
      ++empty;
    else
      ++modules[described(bytes)];
  }
  if (missing) return unknown(name, "/sys/firmware/dmi/entries: " + missing.message());
  if (modules.empty()) return unknown(name, "no /sys/firmware/dmi/entries/17-*/raw can be read: it takes root, or the firmware names none");
  std::vector<std::string> parts;
  for (const auto& [what, how_many] : modules) parts.push_back(fmt::format("{} x {}", how_many, what));
  if (empty > 0) parts.push_back(fmt::format("{} slots empty", empty));
  return known(name, fmt::format("{}", fmt::join(parts, ", ")));
}

}  // namespace plumbline
