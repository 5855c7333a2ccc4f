// Nonsymmetric sparse matrices of any size: an implicit step in time of convection and diffusion on a box.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/array.hpp"
#include "proxies/solvers/sparse_matrix.hpp"

namespace plumbline {

/// A place from which a point's row takes something: so many points, lines and planes away, of the direction x, y or z (0 to 2).
struct ConvectionEntry {
  int x, y, z, direction;
  double diffusion, convection;  // of the entry: multiples of the coefficients below
};

/// A box of `planes` planes of `lines` lines of `n` points. Nothing lies beside its lines and planes (zero there), while its planes close
/// to a ring: so ranks whose planes lie behind each other have rows alike. One line a plane makes it a problem in two dimensions.
struct ConvectionGrid {
  std::uint64_t n, lines, planes;

  static constexpr std::uint64_t planes_before = 2, planes_behind = 1;  // that a plane's rows reach

  std::uint64_t plane() const { return n * lines; }
  std::uint64_t points() const { return plane() * planes; }
  /// The points by whose number the entry's place lies behind the row's own, where nothing is at an edge.
  std::ptrdiff_t away(const ConvectionEntry& entry) const {
    return (entry.z * static_cast<std::ptrdiff_t>(lines) + entry.y) * static_cast<std::ptrdiff_t>(n) + entry.x;
  }
};

/// Diffusion by central differences; convection along growing x, y and z by second-order differences upwind, whose second point has no
/// counterpart behind: the matrix's pattern is nonsymmetric, too. In the order of columns where nothing is at an edge.
inline constexpr std::array<ConvectionEntry, 10> convection_entries{{{0, 0, -2, 2, 0, 0.5},
                                                                     {0, 0, -1, 2, -1, -2},
                                                                     {0, -2, 0, 1, 0, 0.5},
                                                                     {0, -1, 0, 1, -1, -2},
                                                                     {-2, 0, 0, 0, 0, 0.5},
                                                                     {-1, 0, 0, 0, -1, -2},
                                                                     {0, 0, 0, 0, 0, 0},  // the point's own, of all three
                                                                     {1, 0, 0, 0, -1, 0},
                                                                     {0, 1, 0, 1, -1, 0},
                                                                     {0, 0, 1, 2, -1, 0}}};
inline constexpr double convection_diffusion = 0.5;

/// Velocities at a point, by its number in the whole ring: from 0.5 to 1.5, each point's own.
inline double convection_velocity(std::size_t point, int direction) {
  return 2 * varied(static_cast<std::uint64_t>(direction), point) - 0.5;
}

/// Calls act(entry, value) for the entries of the row of the point (i, j) of any plane, whose number in the whole ring is `point`. The own
/// entry outweighs the others together: such a matrix has a solution, and an incomplete factorization.
template <class Act>
void for_convection_row(const ConvectionGrid& grid, std::size_t i, std::size_t j, std::size_t point, Act act) {
  const auto inside = [](std::size_t at, int away, std::uint64_t count) {
    const auto there = static_cast<std::int64_t>(at) + away;
    return there >= 0 && there < static_cast<std::int64_t>(count);
  };
  for (const ConvectionEntry& entry : convection_entries) {
    if (!inside(i, entry.x, grid.n) || !inside(j, entry.y, grid.lines)) continue;
    double value = entry.diffusion * convection_diffusion + entry.convection * convection_velocity(point, entry.direction);
    if (entry.diffusion == 0 && entry.convection == 0) {
      value = 0.5;  // a step's length in time
      for (int direction = 0; direction < 3; ++direction) value += 2 * convection_diffusion + 2.5 * convection_velocity(point, direction);
    }
    act(entry, value);
  }
}

/// The whole matrix of a grid whose planes close to a ring. Planes are at least 4, or two entries of a row would be one.
inline SparseMatrix convection_matrix(const ConvectionGrid& grid) {
  SparseMatrix matrix;
  matrix.width = grid.points();
  std::array<std::pair<std::int32_t, double>, convection_entries.size()> row;
  for (std::size_t point = 0; point < grid.points(); ++point) {
    const std::size_t i = point % grid.n, j = point / grid.n % grid.lines, ring = grid.points();
    std::size_t entries = 0;
    for_convection_row(grid, i, j, point, [&](const ConvectionEntry& entry, double value) {
      row[entries++] = {static_cast<std::int32_t>((point + ring + static_cast<std::size_t>(grid.away(entry))) % ring), value};
    });
    std::sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(entries));
    for (std::size_t entry = 0; entry < entries; ++entry) matrix.add(row[entry].first, row[entry].second);
    matrix.end_row();
  }
  return matrix;
}

}  // namespace plumbline
