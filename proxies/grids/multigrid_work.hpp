// The exact work of multigrid's parts at each level, and the grids that they lie on.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "core/work.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_work.hpp"
#include "proxies/grids/multigrid_cycle.hpp"

namespace plumbline {

/// The grids from the finest to the coarsest. Throws std::invalid_argument where a box cannot be halved so often, or holds no wave.
inline std::vector<BoxGrid> multigrid_grids_of(const Parameters& p) {
  const auto [boxes, n] = box_grid_of(p);
  const std::uint64_t levels = p.integer("levels"), halvings = levels - 1;
  if (halvings >= 63 || n % (std::uint64_t{1} << halvings) != 0 || (n >> halvings) < 2)
    throw std::invalid_argument("n = " + std::to_string(n) + " cannot be halved " + std::to_string(halvings) +
                                " times to 2 cells or more (levels = " + std::to_string(levels) + "): take n = " +
                                std::to_string(std::uint64_t{2} << std::min<std::uint64_t>(halvings, 9)) + ", or fewer levels");
  if (n * boxes < 8)
    throw std::invalid_argument("boxes = " + std::to_string(boxes) + " of n = " + std::to_string(n) +
                                " cells a side are fewer than the 8 cells that a wave needs: take a larger n");
  std::vector<BoxGrid> grids;
  for (std::uint64_t level = 0; level < levels; ++level) grids.push_back({.boxes = boxes, .n = n >> level});
  return grids;
}

/// The work of the residual at every cell: the operator, and its difference to the right-hand side.
template <class Real>
Work residual_work(const BoxGrid& grid) {
  const std::uint64_t lines = cell_lines<Real>(grid), count = grid.cells();
  Work work{.flops = {{flops<Real>("add"), 84 * count}, {flops<Real>("mul"), 27 * count}}};
  work.streams = stencil_streams<Real>(grid, every_cell(grid));
  work.streams.push_back({.array = "rhs", .footprint_bytes = lines, .read = true, .loads = count, .element_bytes = sizeof(Real)});
  work.streams.push_back({.array = "out", .footprint_bytes = lines, .written = true, .stores = count, .element_bytes = sizeof(Real)});
  work.add_outer_loop(grid.count() * grid.n * grid.n, crowded_rows * grid.row() * sizeof(Real));
  return work;
}

/// The work of averaging eight cells to one of the coarser level.
template <class Real>
Work restriction_work(const BoxGrid& fine, const BoxGrid& coarse) {
  const std::uint64_t cells = coarse.cells(), real = sizeof(Real), rows = coarse.count() * coarse.n * coarse.n;
  const std::uint64_t averaged = cell_lines<Real>(fine), written = cell_lines<Real>(coarse);
  Work work{.flops = {{flops<Real>("add"), 7 * cells}, {flops<Real>("mul"), cells}}};
  work.streams = {{.array = "fine", .footprint_bytes = averaged, .read = true, .loads = 8 * cells, .element_bytes = real},
                  {.array = "rhs", .footprint_bytes = written, .written = true, .stores = cells, .element_bytes = real},
                  {.array = "x", .footprint_bytes = written, .written = true, .stores = cells, .element_bytes = real}};
  work.add_outer_loop(rows, (4 * fine.row() + 2 * coarse.row()) * real);
  return work;
}

inline constexpr RowRead rows_around[] = {
    {.of_k = -1, .of_j = -1, .before = 1, .after = 1}, {.of_k = -1, .of_j = 0, .before = 1, .after = 1},
    {.of_k = -1, .of_j = 1, .before = 1, .after = 1},  {.of_k = 0, .of_j = -1, .before = 1, .after = 1},
    {.of_k = 0, .of_j = 0, .before = 1, .after = 1},   {.of_k = 0, .of_j = 1, .before = 1, .after = 1},
    {.of_k = 1, .of_j = -1, .before = 1, .after = 1},  {.of_k = 1, .of_j = 0, .before = 1, .after = 1},
    {.of_k = 1, .of_j = 1, .before = 1, .after = 1}};

/// The work of interpolating: for each coarse cell 9 rows, 6 of halves and 4 of quarters are halved (three sums, one product), and eight
/// cells gain.
template <class Real>
Work interpolation_work(const BoxGrid& fine, const BoxGrid& coarse) {
  const std::uint64_t cells = coarse.cells(), real = sizeof(Real);
  const std::uint64_t rows = (9 * coarse.row() + 4 * fine.row()) * real, planes = (3 * coarse.row() + 4 * fine.row()) * coarse.n * real;
  const LinesTouched lines = lines_touched(coarse, rows_around, real, every_cell(coarse));
  Stream around{.array = "coarse", .footprint_bytes = lines.once, .read = true, .loads = 27 * cells, .element_bytes = real};
  around.layers = {{.reuse_bytes = rows, .fetched_bytes = lines.by_rows}, {.reuse_bytes = planes, .fetched_bytes = lines.by_planes}};
  Stream gaining{.array = "x", .footprint_bytes = cell_lines<Real>(fine), .read = true, .written = true};
  gaining.loads = gaining.stores = 8 * cells, gaining.element_bytes = real;
  Work work{.flops = {{flops<Real>("add"), (3 * 19 + 8) * cells}, {flops<Real>("mul"), 19 * cells}}, .streams = {around, gaining}};
  work.add_outer_loop(coarse.count() * coarse.n * coarse.n, rows);
  return work;
}

/// The work of a part at a level of these grids, of which an exchange has none, as a CPU moves it.
template <class Real>
Work multigrid_work(MultigridPart part, const std::vector<BoxGrid>& grids, std::size_t level, GsrbLoop smoother) {
  const BoxGrid& grid = grids[level];
  switch (part) {
    case MultigridPart::halo:
      break;
    case MultigridPart::ghosts:
      return ghost_work<Real>(grid);
    case MultigridPart::red:
      return update_work<Real>(grid, smoother, 0);
    case MultigridPart::black:
      return update_work<Real>(grid, smoother, 1);
    case MultigridPart::residual:
      return residual_work<Real>(grid);
    case MultigridPart::restriction:
      return restriction_work<Real>(grid, grids[level + 1]);
    case MultigridPart::interpolation:
      return interpolation_work<Real>(grid, grids[level + 1]);
  }
  return {};
}

}  // namespace plumbline
