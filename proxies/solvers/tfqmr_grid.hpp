// The grid of the transpose-free solver: a rank's planes, divided into blocks that overlap (additive Schwarz).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/parameters.hpp"
#include "proxies/solvers/convection.hpp"

namespace plumbline {

/// The planes of a rank, in blocks of as many planes. A block is solved together with what its rows reach: two planes before it, and one
/// behind. The ranks' planes close to a ring.
struct SchwarzGrid {
  ConvectionGrid own;
  std::uint64_t blocks;

  static constexpr std::uint64_t reach = ConvectionGrid::planes_before + ConvectionGrid::planes_behind;

  std::uint64_t plane() const { return own.plane(); }
  std::uint64_t block_planes() const { return own.planes / blocks; }
  std::uint64_t extended_planes() const { return block_planes() + reach; }
  /// The rows of a block with what it reaches, and of all blocks.
  std::uint64_t extended_rows() const { return plane() * extended_planes(); }
  std::uint64_t all_rows() const { return blocks * extended_rows(); }
  /// The points of a vector that has the neighbours' planes before and behind.
  std::uint64_t with_neighbours() const { return plane() * (own.planes + reach); }

  /// The entries of the rank's rows.
  std::uint64_t entries() const {
    std::uint64_t sum = 0;
    for (const ConvectionEntry& entry : convection_entries) sum += entries_of(entry, own.planes);
    return sum;
  }
  /// The entries of a block's factors: below the diagonal, and as many above it.
  std::uint64_t lower_entries() const { return block_entries(true); }
  std::uint64_t upper_entries() const { return block_entries(false); }

  static bool is_lower(const ConvectionEntry& entry) { return entry.z < 0 || entry.y < 0 || entry.x < 0; }
  static bool is_own(const ConvectionEntry& entry) { return entry.z == 0 && entry.y == 0 && entry.x == 0; }

 private:
  std::uint64_t entries_of(const ConvectionEntry& entry, std::uint64_t in_planes) const {
    const auto that_have_it = [](std::uint64_t count, int away) {
      const auto distance = static_cast<std::uint64_t>(std::abs(away));
      return count > distance ? count - distance : 0;
    };
    return that_have_it(own.n, entry.x) * that_have_it(own.lines, entry.y) * in_planes;
  }
  std::uint64_t block_entries(bool lower) const {
    std::uint64_t sum = 0;
    for (const ConvectionEntry& entry : convection_entries)
      if (!is_own(entry) && is_lower(entry) == lower)
        sum += entries_of(entry, extended_planes() - static_cast<std::uint64_t>(std::abs(entry.z)));
    return sum;
  }
};

/// Throws std::invalid_argument where planes are no whole blocks of two or more, where they are no multiple of four points, or where there
/// are more entries than 32 bits can number.
inline SchwarzGrid schwarz_grid_of(const Parameters& p) {
  const std::uint64_t n = p.integer("n"), lines = p.integer("lines"), planes = p.integer("planes"), blocks = p.integer("blocks");
  const SchwarzGrid grid{{n, lines == 0 ? n : lines, planes == 0 ? n : planes}, blocks};
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  if (grid.plane() % 4 != 0)
    refuse("planes of n = " + std::to_string(n) + " times lines = " + std::to_string(grid.own.lines) +
           " points cannot be summed up by four: take n or lines = " + std::to_string((n + 3) / 4 * 4));
  if (grid.own.planes % blocks != 0 || grid.block_planes() < ConvectionGrid::planes_before)
    refuse("planes = " + std::to_string(grid.own.planes) + " are not " + std::to_string(blocks) + " blocks of two or more: take planes = " +
           std::to_string(std::max(2 * blocks, (grid.own.planes + blocks - 1) / blocks * blocks)) + ", or fewer blocks");
  if (std::max(grid.entries(), blocks * std::max(grid.lower_entries(), grid.upper_entries())) > std::numeric_limits<std::int32_t>::max())
    refuse("a rank's " + std::to_string(grid.own.points()) +
           " rows have more entries than numbers of 32 bits can tell apart (2147483647): take fewer points, or more ranks");
  return grid;
}

}  // namespace plumbline
