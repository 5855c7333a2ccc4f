#include "profile/geometry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/text/text_file.hpp"
#include "core/text/toml_depth.hpp"

namespace plumbline {
namespace {

constexpr std::array<const char*, 3> names{"l1", "l2", "l3"};

[[noreturn]] void refuse(const std::string& path, const toml::node* at, const std::string& why) {
  const int line = at == nullptr ? 0 : static_cast<int>(at->source().begin.line);
  throw user_error(fmt::format("{}{}: {}", path, line > 0 ? fmt::format(":{}", line) : "", in_one_line(why)));
}

// The first of the emulator's demands on a cache that a line in a file breaks, in words; empty where none is broken.
std::string fault(const CacheLevel& level) {
  const bool power = level.line_bytes != 0 && (level.line_bytes & (level.line_bytes - 1)) == 0;
  if (!power || level.line_bytes < 16 || level.line_bytes > 4096) return "line_bytes must be a power of two from 16 to 4096";
  if (level.bytes % (std::uint64_t{level.ways} * level.line_bytes) != 0) return "size_bytes must be a multiple of ways x line_bytes";
  constexpr std::uint64_t least_of_a_way = 32;  // else the emulator's tags, of 32 bits, end below a program's stack
  if (level.bytes / level.ways < least_of_a_way) return "a way (size_bytes / ways) must have at least 32 bytes";
  return level.bytes > std::uint64_t{1} << 34 ? "size_bytes must be at most 16 GiB" : "";
}

std::uint64_t positive(const std::string& path, const char* section, const toml::table& table, const char* key) {
  const auto* node = table.get(key);
  if (node == nullptr) refuse(path, &table, fmt::format("[{}] lacks {}", section, key));
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value <= 0) refuse(path, node, fmt::format("{} in [{}] must be a positive whole number", key, section));
  return static_cast<std::uint64_t>(*value);
}

void refuse_unknown(const std::string& path, const std::string& where, const toml::table& table, const std::vector<std::string>& known) {
  for (const auto& [key, value] : table)
    if (std::find(known.begin(), known.end(), std::string(key.str())) == known.end())
      refuse(path, &value, fmt::format("there is no key '{}'{}; known are {}", std::string(key.str()), where, fmt::join(known, ", ")));
}

CacheLevel read_level(const std::string& path, const char* section, const toml::table& table) {
  refuse_unknown(path, fmt::format(" in [{}]", section), table, {"size_bytes", "ways", "line_bytes"});
  CacheLevel level;
  level.name = fmt::format("L{}", section[1]);
  level.shared = level.name == "L3";
  level.bytes = positive(path, section, table, "size_bytes");
  const auto ways = positive(path, section, table, "ways"), line = positive(path, section, table, "line_bytes");
  if (ways > 1U << 20U) refuse(path, table.get("ways"), fmt::format("ways in [{}] must be at most {}", section, 1U << 20U));
  level.ways = static_cast<std::uint32_t>(ways);
  level.line_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(line, 1U << 20U));
  if (const auto why = fault(level); !why.empty()) refuse(path, &table, fmt::format("[{}]: {}", section, why));
  return level;
}

// The emulator always has three levels; one as large as the one before it adds no misses of its own.
void fill_up(CacheGeometry& geometry) {
  while (geometry.levels.size() < names.size()) {
    CacheLevel copy = geometry.levels.back();
    copy.name = fmt::format("L{}", geometry.levels.size() + 1);
    copy.shared = copy.name == "L3";
    geometry.notes.push_back(fmt::format("{} has no {}: a copy of its {} is simulated, which adds nothing", geometry.name, copy.name,
                                         geometry.levels.back().name));
    geometry.levels.push_back(copy);
  }
}

}  // namespace

CacheGeometry caches_of_machine(const Topology& topology) {
  CacheGeometry geometry{"this machine", {}, {}};
  for (CacheLevel level : cache_levels(topology)) {
    if (geometry.levels.size() == names.size()) break;
    if (level.ways == 0) {
      level.ways = 8;
      geometry.notes.push_back(fmt::format("this machine does not tell the ways of its {}: 8 are assumed", level.name));
    }
    if (level.line_bytes == 0) {
      level.line_bytes = 64;
      geometry.notes.push_back(fmt::format("this machine does not tell the lines of its {}: 64 bytes are assumed", level.name));
    }
    const std::uint64_t set_bytes = std::uint64_t{level.ways} * level.line_bytes;
    if (set_bytes != 0 && level.bytes % set_bytes != 0) {
      level.bytes -= level.bytes % set_bytes;
      geometry.notes.push_back(fmt::format("{} is no whole number of sets: {} bytes are simulated", level.name, level.bytes));
    }
    geometry.levels.push_back(level);
  }
  return geometry;
}

CacheGeometry geometry_of_machine(const Topology& topology) {
  CacheGeometry geometry = caches_of_machine(topology);
  if (geometry.levels.empty() || std::any_of(geometry.levels.begin(), geometry.levels.end(),
                                             [](const auto& level) { return level.bytes == 0 || !fault(level).empty(); }))
    throw io_error("this machine does not tell its caches: name a geometry with --caches=FILE, or count without them (--caches=no)");
  fill_up(geometry);
  return geometry;
}

CacheGeometry geometry_from_file(const std::string& path) {
  toml::table document;
  try {
    const auto text = read_text_file(path);
    if (!text)
      throw user_error(
          fmt::format("cannot read the cache geometry '{}': {}; --caches takes auto, no, or a TOML file", path, std::strerror(errno)));
    if (names_nest_deeply(*text)) throw user_error(fmt::format("{}: a name in it has more than {} dots", path, deepest_toml));
    document = toml::parse(*text, path);
  } catch (const toml::parse_error& error) {
    throw user_error(fmt::format("{}:{}: not valid TOML: {}", path, error.source().begin.line, toml_complaint(error.description())));
  }
  if (const auto schema = document["schema"].value<std::string>(); schema != "plumbline-geometry/1")
    refuse(path, document.get("schema"), R"(a cache geometry begins with schema = "plumbline-geometry/1")");
  refuse_unknown(path, "", document, {"schema", "name", "source", "l1", "l2", "l3"});
  CacheGeometry geometry{document["name"].value_or(path), {}, {}};
  for (const char* section : names) {
    const auto* table = document[section].as_table();
    if (table == nullptr && document.contains(section)) refuse(path, document.get(section), fmt::format("[{}] must be a table", section));
    if (table == nullptr) break;
    geometry.levels.push_back(read_level(path, section, *table));
    if (geometry.levels.back().line_bytes != geometry.levels.front().line_bytes)
      refuse(path, table, "all levels must have the same line_bytes");
  }
  if (geometry.levels.empty()) refuse(path, nullptr, "[l1] is missing");
  if (geometry.levels.size() == 1 && document.contains("l3")) refuse(path, document.get("l3"), "[l3] without [l2]");
  fill_up(geometry);
  return geometry;
}

std::vector<std::string> geometry_options(const CacheGeometry& geometry) {
  std::vector<std::string> options;
  for (std::size_t i = 0; i < geometry.levels.size(); ++i) {
    const auto& level = geometry.levels[i];
    options.push_back(fmt::format("--{}={},{},{}", names[i], level.bytes, level.ways, level.line_bytes));
  }
  return options;
}

int ranks_per_l3(const Topology& topology, int ranks) {
  const auto l3 = std::find_if(topology.caches.begin(), topology.caches.end(), [](const auto& cache) { return cache.level == 3; });
  if (l3 == topology.caches.end() || l3->shared_by_cpus <= 0) return 1;
  const int caches = std::max(1, topology.pus / l3->shared_by_cpus);
  return std::max(1, (ranks + caches - 1) / caches);
}

}  // namespace plumbline
