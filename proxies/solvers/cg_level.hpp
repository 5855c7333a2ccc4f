// A level of conjugate gradients' preconditioner: its matrix, entry by entry in an order of the space's, and its vectors.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/array.hpp"
#include "proxies/solvers/cg_grid.hpp"
#include "proxies/solvers/cg_loop.hpp"

namespace plumbline {

/// The operator: each point's own value 26 times, less those of the 26 around it, of which there are none outside the whole grid.
constexpr double own_entry = 26, other_entry = -1;

/// Entries of the matrix lie in the order of seven digits: the parities of a point's places, which are its color, their halves, and the
/// entry's place in the point's row.
enum CgDigit : std::size_t { parity_x, parity_y, parity_z, half_x, half_y, half_z, in_row };
using CgOrder = std::array<CgDigit, 7>;  // the fastest digit first
/// Row by row, in the order of lines, of each first the rows of even points: for loops that take a row at a time.
inline constexpr CgOrder row_by_row{in_row, half_x, parity_x, parity_y, half_y, parity_z, half_z};
/// Color by color, the same entry of all its rows side by side: for threads that take a row each.
inline constexpr CgOrder color_by_color{half_x, half_y, half_z, in_row, parity_x, parity_y, parity_z};

/// CPUs and GPUs have these apart.
struct CgSpace {
  CgOrder order = row_by_row;
  std::uint64_t line_bytes = 64;      // that a cache takes at once
  std::uint64_t sums_of_a_plane = 1;  // which are added up with those of the other planes
};

/// An entry in the row of a point, and which way its column's point lies from it.
struct CgEntry {
  std::size_t i, j, k;
  int di, dj, dk;

  CgEntry(std::size_t at_i, std::size_t at_j, std::size_t at_k, std::size_t entry)
      : i(at_i),
        j(at_j),
        k(at_k),
        di(static_cast<int>(entry % 3) - 1),
        dj(static_cast<int>(entry / 3 % 3) - 1),
        dk(static_cast<int>(entry / 9) - 1) {}
  bool is_own() const { return di == 0 && dj == 0 && dk == 0; }
  bool is_inside(const CgGrid& grid) const { return grid.has_neighbour(i, di, grid.n) && grid.has_neighbour(j, dj, grid.n); }
  /// The entry's value, of a rank that is the first or the last of all, or neither. An entry that there is not is a zero.
  double value(const CgGrid& grid, bool first, bool last) const {
    const bool there = grid.has_neighbour(k, dk, grid.planes) || (dk < 0 ? !first : !last);
    return !is_inside(grid) || !there ? 0 : is_own() ? own_entry : other_entry;
  }
  /// The place of the column's point in a vector without neighbours' planes, by that of the row's.
  std::ptrdiff_t column(const CgGrid& grid) const {
    const auto n = static_cast<std::ptrdiff_t>(grid.n), point = static_cast<std::ptrdiff_t>((k * grid.n + j) * grid.n + i);
    return point + (dk * n + dj) * n + di;
  }
};

/// The entries of a matrix in the order in which they lie in its arrays, from a place on.
class CgEntriesInOrder {
 public:
  CgEntriesInOrder(const CgGrid& grid, const CgOrder& order, std::size_t first)
      : order_(order), counts_{2, 2, 2, grid.n / 2, grid.n / 2, grid.planes / 2, cg_entries} {
    for (const CgDigit digit : order_) at_[digit] = first % counts_[digit], first /= counts_[digit];
  }
  CgEntry next() {
    const CgEntry entry(2 * at_[half_x] + at_[parity_x], 2 * at_[half_y] + at_[parity_y], 2 * at_[half_z] + at_[parity_z], at_[in_row]);
    for (const CgDigit digit : order_) {
      if (++at_[digit] < counts_[digit]) break;
      at_[digit] = 0;
    }
    return entry;
  }

 private:
  CgOrder order_;
  std::array<std::size_t, 7> counts_, at_{};  // by digit
};

/// A level has its matrix, a right-hand side, a solution and the matrix's product with it. The search's product is the finest level's, too:
/// neither outlives the other.
template <class Real, template <class> class ArrayOf>
struct CgLevel {
  CgGrid grid;
  ArrayOf<Real> values;
  ArrayOf<std::int32_t> columns;
  ArrayOf<Real> right, solution, product;

  CgLevel(const CgGrid& of, typename ArrayOf<Real>::Memory& memory)
      : grid(of),
        values(of.points() * cg_entries, memory),
        columns(of.points() * cg_entries, memory),
        right(of.points(), memory),
        solution(of.with_neighbours(), memory),
        product(of.points(), memory) {}

  /// The solution's own points, behind the plane of the neighbour before.
  Real* own_solution() { return solution.data() + grid.plane(); }

  /// Fills this share of the matrix, as many rows as these lines have, on the rank that is the first or the last of all, or neither. The
  /// column of an entry that there is not is the row's own, or, before and behind all ranks, where a neighbour's would lie.
  void fill_rows(const CgOrder& order, std::size_t begin, std::size_t end, bool first, bool last) {
    const std::size_t from = begin * grid.n * cg_entries, to = end * grid.n * cg_entries;
    values.fill(from, to, [&, entries = CgEntriesInOrder(grid, order, from)](std::size_t) mutable {
      return Real(entries.next().value(grid, first, last));
    });
    columns.fill(from, to, [&, entries = CgEntriesInOrder(grid, order, from)](std::size_t) mutable {
      CgEntry entry = entries.next();
      if (!entry.is_inside(grid)) entry.di = entry.dj = entry.dk = 0;
      return static_cast<std::int32_t>(static_cast<std::ptrdiff_t>(grid.plane()) + entry.column(grid));
    });
  }
};

}  // namespace plumbline
