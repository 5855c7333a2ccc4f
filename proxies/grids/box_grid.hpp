// A rank's share of a grid in boxes, and the cache lines of it that loops touch.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rimmed_cube.hpp"

namespace plumbline {

/// A cube of boxes^3 boxes, each of n^3 cells within ghost cells two deep. An array holds box after box, plane after plane. Ranks are
/// stacked in the last direction, and the whole grid is periodic.
struct BoxGrid {
  std::uint64_t boxes, n;
  static constexpr std::uint64_t ghosts = 2;

  std::uint64_t row() const { return n + 2 * ghosts; }
  std::uint64_t plane() const { return row() * row(); }
  std::uint64_t volume() const { return row() * plane(); }
  std::uint64_t count() const { return boxes * boxes * boxes; }
  std::uint64_t size() const { return count() * volume(); }
  /// Rows of all boxes, those of ghost cells among them.
  std::uint64_t rows() const { return count() * row() * row(); }
  std::uint64_t cells() const { return count() * n * n * n; }
  std::uint64_t side() const { return boxes * n; }

  /// The place of a cell in an array; j and k count from the first ghost cell of the box.
  std::uint64_t at(std::uint64_t box, std::uint64_t k, std::uint64_t j, std::uint64_t i) const {
    return box * volume() + k * plane() + j * row() + i;
  }
  /// The place of a cell in an array, by its place on the rank.
  std::uint64_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto of = [](std::int64_t place) { return static_cast<std::uint64_t>(place); };
    const std::uint64_t box = (of(k) / n * boxes + of(j) / n) * boxes + of(i) / n;
    return at(box, of(k) % n + ghosts, of(j) % n + ghosts, of(i) % n + ghosts);
  }
  /// The sum of a box's places in the three directions.
  std::uint64_t place(std::uint64_t box) const { return box % boxes + box / boxes % boxes + box / (boxes * boxes); }
};

/// The cells of a row, first to last, of which a loop updates all or every other.
struct UpdatedCells {
  std::uint64_t first, last, count;
};

/// The update of a row's cells reads of an array, in row (j + of_j, k + of_k), from so many cells before the first to so many after the
/// last.
struct RowRead {
  int of_k, of_j;
  std::uint64_t before = 0, after = 0;
};

/// Bytes in whole cache lines: each line once, once for each plane of updated cells, and once for each row of them.
struct LinesTouched {
  std::uint64_t once = 0, by_planes = 0, by_rows = 0;
};

/// The rows of a plane of which pieces are touched.
class TouchedRows {
 public:
  explicit TouchedRows(std::uint64_t rows) : first_(rows, none), end_(rows, 0) {}
  void widen(std::uint64_t row, std::uint64_t first, std::uint64_t end) {
    first_[row] = std::min(first_[row], first), end_[row] = std::max(end_[row], end);
  }
  /// Adds the lines of every piece to `cover`, forgets the pieces, and gives the bytes that it covers then. Row 0 begins at this byte.
  std::uint64_t take_lines(std::uint64_t byte, std::uint64_t row_length, std::uint64_t element_bytes, LineCover& cover) {
    for (std::uint64_t row = 0; row < first_.size(); ++row)
      if (end_[row] != 0) cover.add(byte + (row * row_length + first_[row]) * element_bytes, (end_[row] - first_[row]) * element_bytes);
    std::fill(first_.begin(), first_.end(), none), std::fill(end_.begin(), end_.end(), 0);
    return cover.bytes();
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<std::uint64_t> first_, end_;
};

/// Calls act(box, k, j) for each row of cells, k and j counted from the first ghost cell.
template <class Act>
void for_each_row_of_cells(const BoxGrid& grid, Act act) {
  const std::uint64_t first = BoxGrid::ghosts, end = first + grid.n;
  for (std::uint64_t box = 0; box < grid.count(); ++box)
    for (std::uint64_t k = first; k < end; ++k)
      for (std::uint64_t j = first; j < end; ++j) act(box, k, j);
}

/// Finds the lines that the updates of a grid touch of one array. updated(box, k, j) gives the cells of a row, counted with the ghost
/// cells.
template <class Updated>
LinesTouched lines_touched(const BoxGrid& grid, std::span<const RowRead> reads, std::uint64_t element_bytes, Updated updated) {
  const std::uint64_t rows = grid.row(), last = BoxGrid::ghosts + grid.n - 1;
  LinesTouched lines;
  LineCover once;
  TouchedRows of_box(rows * rows), of_plane((2 * BoxGrid::ghosts + 1) * rows);  // with the planes on either side
  for_each_row_of_cells(grid, [&](std::uint64_t box, std::uint64_t k, std::uint64_t j) {
    const UpdatedCells cells = updated(box, k, j);
    const std::uint64_t start = grid.at(box, 0, 0, 0) * element_bytes, first_row = (k - BoxGrid::ghosts) * rows;
    for (const RowRead& read : reads) {
      if (cells.count == 0) break;
      const auto row =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(k * rows + j) + read.of_k * static_cast<std::int64_t>(rows) + read.of_j);
      const std::uint64_t from = cells.first - read.before, to = cells.last + read.after + 1;
      of_box.widen(row, from, to), of_plane.widen(row - first_row, from, to);
      LineCover piece;
      piece.add(start + (row * rows + from) * element_bytes, (to - from) * element_bytes);
      lines.by_rows += piece.bytes();
    }
    LineCover plane;
    if (j == last) lines.by_planes += of_plane.take_lines(start + first_row * rows * element_bytes, rows, element_bytes, plane);
    if (j == last && k == last) lines.once = of_box.take_lines(start, rows, element_bytes, once);
  });
  return lines;
}

}  // namespace plumbline
