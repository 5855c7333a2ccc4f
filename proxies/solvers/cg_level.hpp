// A level of conjugate gradients' preconditioner: its matrix, stored row by row, and its vectors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "core/array.hpp"
#include "proxies/solvers/cg_grid.hpp"
#include "proxies/solvers/cg_loop.hpp"

namespace plumbline {

/// The operator: each point's own value 26 times, less those of the 26 around it, of which there are none outside the whole grid.
constexpr double own_entry = 26, other_entry = -1;

/// A level has its matrix, a right-hand side, a solution and the matrix's product with it. The search's product is the finest level's, too:
/// neither outlives the other.
template <class Real>
struct CgLevel {
  CgGrid grid;
  Array<Real> values;
  Array<std::int32_t> columns;
  Array<Real> right, solution, product;

  CgLevel(const CgGrid& of, std::pmr::memory_resource& memory)
      : grid(of),
        values(of.points() * cg_entries, memory),
        columns(of.points() * cg_entries, memory),
        right(of.points(), memory),
        solution(of.with_neighbours(), memory),
        product(of.points(), memory) {}

  /// The solution's own points, behind the plane of the neighbour before.
  Real* own_solution() { return solution.data() + grid.plane(); }

  /// Calls act(place in a vector without neighbours, i, j, k) for the points of these lines.
  template <class Act>
  void for_points(std::size_t begin, std::size_t end, Act act) const {
    for (std::size_t line = begin; line < end; ++line)
      for (std::size_t i = 0; i < grid.n; ++i) act(line * grid.n + i, i, line % grid.n, line / grid.n);
  }

  /// The rows of these lines, of the rank that is the first or the last of all, or neither. An entry that there is not is a zero; its
  /// column is the row's own, or, before and behind all ranks, where a neighbour's would lie.
  void fill_rows(std::size_t begin, std::size_t end, bool first, bool last) {
    for_points(begin, end, [&](std::size_t point, std::size_t i, std::size_t j, std::size_t k) {
      std::size_t entry = row_of(point) * cg_entries;
      for (int dk = -1; dk <= 1; ++dk)
        for (int dj = -1; dj <= 1; ++dj)
          for (int di = -1; di <= 1; ++di, ++entry) {
            const bool inside = grid.has_neighbour(i, di, grid.n) && grid.has_neighbour(j, dj, grid.n);
            const bool there = grid.has_neighbour(k, dk, grid.planes) || (dk < 0 ? !first : !last);
            const std::size_t own = grid.plane() + point;
            const auto away = (dk * static_cast<std::ptrdiff_t>(grid.n) + dj) * static_cast<std::ptrdiff_t>(grid.n) + di;
            const bool itself = di == 0 && dj == 0 && dk == 0;
            values[entry] = Real(!inside || !there ? 0 : itself ? own_entry : other_entry);
            columns[entry] = static_cast<std::int32_t>(inside ? static_cast<std::ptrdiff_t>(own) + away : static_cast<std::ptrdiff_t>(own));
          }
    });
  }

  /// Calls act(value, column) for the entries of a point's row that are no zeros.
  template <class Act>
  void for_entries(std::size_t point, Act act) const {
    for (std::size_t entry = row_of(point) * cg_entries, end = entry + cg_entries; entry < end; ++entry)
      if (static_cast<double>(values[entry]) != 0) act(values[entry], static_cast<std::size_t>(columns[entry]));
  }

 private:
  /// Rows of even points come first in each line.
  std::size_t row_of(std::size_t point) const {
    const std::size_t i = point % grid.n;
    return point - i + i % 2 * (grid.n / 2) + i / 2;
  }
};

}  // namespace plumbline
