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

/// Calls act(place in an array, whether it is no ghost, i, j, k) for each cell of the rows [begin, end) of all boxes, ghost cells among
/// them. i, j and k are its place on the rank, whose neighbours' cells lie outside.
template <class Act>
void for_cells(const BoxGrid& grid, std::size_t begin, std::size_t end, Act act) {
  const auto n = static_cast<std::int64_t>(grid.n), deep = static_cast<std::int64_t>(BoxGrid::ghosts);
  const auto is_inside = [n](std::int64_t at) { return at >= 0 && at < n; };
  const auto start = [n](std::size_t box) { return static_cast<std::int64_t>(box) * n; };
  for (std::size_t r = begin; r < end; ++r) {
    const BoxRow row = box_row(r, grid.boxes, grid.row());
    const auto j = static_cast<std::int64_t>(row.j) - deep, k = static_cast<std::int64_t>(row.k) - deep;
    for (std::int64_t i = -deep; i < n + deep; ++i)
      act(r * grid.row() + static_cast<std::size_t>(i + deep), is_inside(i) && is_inside(j) && is_inside(k), start(row.bi) + i,
          start(row.bj) + j, start(row.bk) + k);
  }
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
