// The cells of a rank's boxes by their place in the whole grid, and what ranks exchange of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_loop.hpp"

namespace plumbline {

/// The place of a cell on the rank, whose neighbours' cells lie outside, and whether it is no ghost of its box.
struct BoxCell {
  bool is_cell;
  std::int64_t i, j, k;
};

/// The cells of all boxes, ghost cells among them, in the order in which they lie in an array, from the beginning of a row on.
class CellsInOrder {
 public:
  CellsInOrder(const BoxGrid& grid, std::size_t first_row) : grid_(grid), row_(box_row(first_row, grid.boxes, grid.row())) {}

  BoxCell next() {
    if (i_ == grid_.row()) i_ = 0, go_on(row_, grid_.boxes, grid_.row());
    const std::size_t i = i_++;
    return {is_inside(i) && is_inside(row_.j) && is_inside(row_.k), place(row_.bi, i), place(row_.bj, row_.j), place(row_.bk, row_.k)};
  }

 private:
  bool is_inside(std::size_t at) const { return at >= BoxGrid::ghosts && at < grid_.n + BoxGrid::ghosts; }
  std::int64_t place(std::size_t box, std::size_t at) const {
    return static_cast<std::int64_t>(box * grid_.n + at) - static_cast<std::int64_t>(BoxGrid::ghosts);
  }

  BoxGrid grid_;
  BoxRow row_;
  std::size_t i_ = 0;
};

/// Calls act(place in an array, whether it is no ghost, i, j, k) for each cell of the rows [begin, end) of all boxes, ghost cells among
/// them.
template <class Act>
void for_cells(const BoxGrid& grid, std::size_t begin, std::size_t end, Act act) {
  CellsInOrder cells(grid, begin);
  for (std::size_t at = begin * grid.row(); at < end * grid.row(); ++at) {
    const BoxCell cell = cells.next();
    act(at, cell.is_cell, cell.i, cell.j, cell.k);
  }
}

/// Sets the cells of the rows [begin, end) of all boxes, ghost cells among them, to value(cell), in an array of a CPU or a device.
template <class Cells, class Value>
void fill_cells(Cells& array, const BoxGrid& grid, std::size_t begin, std::size_t end, Value value) {
  array.fill(begin * grid.row(), end * grid.row(),
             [&, cells = CellsInOrder(grid, begin)](std::size_t) mutable { return value(cells.next()); });
}

/// The phase in which ranks exchange planes, so often in a sweep.
template <class Real>
Phase exchange_phase(std::string name, const BoxGrid& grid, std::uint64_t entries) {
  const std::uint64_t messages = 2 * grid.boxes * grid.boxes;
  return {.name = std::move(name),
          .entries = entries,
          .messages = messages,
          .message_bytes = messages * BoxGrid::ghosts * grid.plane() * sizeof(Real)};
}

/// Sends the two outermost planes of cells to the ranks below and above, a message for each column of boxes.
template <class Real>
void exchange_planes(const BoxGrid& grid, Real* cells, Peers& peers) {
  const std::uint64_t columns = grid.boxes * grid.boxes, n = grid.n, deep = BoxGrid::ghosts, top = grid.count() - columns;
  const int below = (peers.rank() + peers.ranks() - 1) % peers.ranks(), above = (peers.rank() + 1) % peers.ranks();
  const std::size_t bytes = deep * grid.plane() * sizeof(Real);
  std::vector<Peers::Message> messages;
  const auto plane = [&](std::uint64_t box, std::uint64_t k) { return cells + grid.at(box, k, 0, 0); };
  for (std::uint64_t column = 0; column < columns; ++column) {
    messages.push_back(
        {.sent = plane(column, deep), .to = below, .received = plane(top + column, n + deep), .from = above, .bytes = bytes});
    messages.push_back({.sent = plane(top + column, n), .to = above, .received = plane(column, 0), .from = below, .bytes = bytes});
  }
  peers.exchange(messages);
}

}  // namespace plumbline
