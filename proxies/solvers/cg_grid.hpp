// The grids of conjugate gradients as HPCG has them: a box of points on each rank, of half the points a side at each coarser level.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.hpp"

namespace plumbline {

/// The points of one rank: planes of n lines, of n points each. The ranks' planes lie behind each other.
struct CgGrid {
  std::uint64_t n, planes;

  std::uint64_t plane() const { return n * n; }
  std::uint64_t points() const { return plane() * planes; }
  std::uint64_t lines() const { return n * planes; }
  /// The points of a vector that has a plane of the neighbour before and one of the neighbour behind.
  std::uint64_t with_neighbours() const { return plane() * (planes + 2); }
  /// A bound of the largest sum over a row of the matrix's inverse: A w >= 1 for w = (i + 1) (n - i) / 18 of the point i of a line.
  double inverse_norm() const {
    const double across = static_cast<double>(n) + 1;
    return across * across / 72;
  }
  /// Whether the point `at` of a side of so many has one `away` from it, by at most one, on the same rank.
  static bool has_neighbour(std::uint64_t at, int away, std::uint64_t count) { return away < 0 ? at > 0 : away == 0 || at + 1 < count; }
  CgGrid coarser() const { return {n / 2, planes / 2}; }
};

/// The grids from the finest to the coarsest. Points have one of eight colors, which halves every side once more: throws
/// std::invalid_argument where a side cannot be halved so often.
inline std::vector<CgGrid> cg_grids_of(const Parameters& p) {
  const std::uint64_t n = p.integer("n"), planes = p.integer("planes"), levels = p.integer("levels"), multiple = std::uint64_t{1} << levels;
  for (const auto& [side, points] : {std::pair("n", n), std::pair("planes", planes)}) {
    const std::uint64_t below = points / multiple * multiple;
    if (points % multiple != 0)
      throw std::invalid_argument(std::string(side) + " = " + std::to_string(points) + " is no multiple of " + std::to_string(multiple) +
                                  ", as " + std::to_string(levels) + " levels of eight colors need: take " + side + " = " +
                                  (below == 0 ? "" : std::to_string(below) + " or ") + std::to_string(below + multiple) +
                                  ", or fewer levels");
  }
  std::vector<CgGrid> grids{{n, planes == 0 ? n : planes}};
  while (grids.size() < levels) grids.push_back(grids.back().coarser());
  return grids;
}

}  // namespace plumbline
