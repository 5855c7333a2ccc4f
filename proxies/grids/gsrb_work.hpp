// The smoother's work: operations of an update, and the cache lines that it and the copying of ghost cells touch.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "core/work.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_loop.hpp"

namespace plumbline {

/// An update of a cell reads (proxies/grids/fourth_order.hpp) of x the cell, two on each side in each direction, and those beside its
/// edges; of beta its six faces, and of each face those beside it.
inline constexpr RowRead reads_of_x[] = {{.of_k = -2, .of_j = 0},
                                         {.of_k = -1, .of_j = -1},
                                         {.of_k = -1, .of_j = 0, .before = 1, .after = 1},
                                         {.of_k = -1, .of_j = 1},
                                         {.of_k = 0, .of_j = -2},
                                         {.of_k = 0, .of_j = -1, .before = 1, .after = 1},
                                         {.of_k = 0, .of_j = 0, .before = 2, .after = 2},
                                         {.of_k = 0, .of_j = 1, .before = 1, .after = 1},
                                         {.of_k = 0, .of_j = 2},
                                         {.of_k = 1, .of_j = -1},
                                         {.of_k = 1, .of_j = 0, .before = 1, .after = 1},
                                         {.of_k = 1, .of_j = 1},
                                         {.of_k = 2, .of_j = 0}};
inline constexpr RowRead reads_of_beta_i[] = {{.of_k = -1, .of_j = 0, .after = 1},
                                              {.of_k = 0, .of_j = -1, .after = 1},
                                              {.of_k = 0, .of_j = 0, .after = 1},
                                              {.of_k = 0, .of_j = 1, .after = 1},
                                              {.of_k = 1, .of_j = 0, .after = 1}};
inline constexpr RowRead reads_of_beta_j[] = {{.of_k = -1, .of_j = 0},
                                              {.of_k = -1, .of_j = 1},
                                              {.of_k = 0, .of_j = 0, .before = 1, .after = 1},
                                              {.of_k = 0, .of_j = 1, .before = 1, .after = 1},
                                              {.of_k = 1, .of_j = 0},
                                              {.of_k = 1, .of_j = 1}};
inline constexpr RowRead reads_of_beta_k[] = {
    {.of_k = 0, .of_j = -1}, {.of_k = 0, .of_j = 0, .before = 1, .after = 1}, {.of_k = 0, .of_j = 1},
    {.of_k = 1, .of_j = -1}, {.of_k = 1, .of_j = 0, .before = 1, .after = 1}, {.of_k = 1, .of_j = 1}};
inline constexpr RowRead read_here[] = {{.of_k = 0, .of_j = 0}};
inline constexpr std::uint64_t loads_of_x = 25, loads_of_each_beta = 10;
/// The rows that pass while a row of cells is updated, and the planes while a plane is: of x, the betas, `out`, `rhs`, `diagonal`.
inline constexpr std::uint64_t rows_inside = 13 + 5 + 6 + 6 + 3, planes_inside = 5 + 3 + 3 + 2 + 3;
/// The rows that they weigh in a cache: rows of several planes and arrays begin in sets that nobody chooses, and where many meet they push
/// out, in each row, a mask or a variable of the loops as if they were twice as many.
inline constexpr std::uint64_t crowded_rows = 2 * rows_inside;

/// The parameter that says which of the three loops smooths.
inline ParameterSpec gsrb_variants() {
  return {.name = "variant",
          .preset = std::string("stride2"),
          .description = "every cell times a mask, a branch at each cell, or every other cell",
          .choices = {"fp", "branch", "stride2"}};
}
inline GsrbLoop gsrb_loop_of(const Parameters& p) {
  const std::string& word = p.word("variant");
  return word == "fp" ? GsrbLoop::fp : word == "branch" ? GsrbLoop::branch : GsrbLoop::stride2;
}

/// The boxes that the parameters boxes and n ask for. Throws std::invalid_argument where a rank could hardly hold them, nor this model
/// their lines.
inline BoxGrid box_grid_of(const Parameters& p) {
  const BoxGrid grid{.boxes = p.integer("boxes"), .n = p.integer("n")};
  if (grid.size() > std::uint64_t{1} << 31)
    throw std::invalid_argument("boxes = " + std::to_string(grid.boxes) + " of n = " + std::to_string(grid.n) + " cells a side are " +
                                std::to_string(grid.size()) +
                                " cells with their ghosts, and a rank may have 2147483648: take fewer or smaller boxes");
  return grid;
}

/// The cells that a loop updates where it does those of one color.
class GsrbCells {
 public:
  GsrbCells(const BoxGrid& grid, GsrbLoop loop, std::uint64_t color) : grid_(grid), color_(color), all_(loop == GsrbLoop::fp) {}

  UpdatedCells operator()(std::uint64_t box, std::uint64_t k, std::uint64_t j) const {
    const std::uint64_t n = grid_.n, first = BoxGrid::ghosts;
    if (all_) return {first, first + n - 1, n};
    const std::uint64_t skipped = (grid_.place(box) * n + (j - first) + (k - first) + color_) % 2, count = (n - skipped + 1) / 2;
    return {first + skipped, first + skipped + 2 * (count - 1), count};
  }
  std::uint64_t count() const {
    std::uint64_t cells = 0;
    for_each_row_of_cells(grid_, [&](std::uint64_t box, std::uint64_t k, std::uint64_t j) { cells += (*this)(box, k, j).count; });
    return cells;
  }
  bool all() const { return all_; }

 private:
  BoxGrid grid_;
  std::uint64_t color_;
  bool all_;
};

/// All cells of a grid.
inline GsrbCells every_cell(const BoxGrid& grid) { return {grid, GsrbLoop::fp, 0}; }
/// The bytes of the cache lines that hold cells.
template <class Real>
std::uint64_t cell_lines(const BoxGrid& grid) {
  return lines_touched(grid, read_here, sizeof(Real), every_cell(grid)).once;
}

/// An array of which an update reads what these say.
template <class Real>
Stream stencil_stream(const char* array, const BoxGrid& grid, std::span<const RowRead> reads, const GsrbCells& cells, std::uint64_t loads) {
  const std::uint64_t row = grid.row() * sizeof(Real);
  const LinesTouched lines = lines_touched(grid, reads, sizeof(Real), cells);
  return {.array = array,
          .footprint_bytes = lines.once,
          .read = true,
          .loads = loads,
          .element_bytes = sizeof(Real),
          .layers = {{.reuse_bytes = rows_inside * row, .fetched_bytes = lines.by_rows},
                     {.reuse_bytes = std::max(planes_inside * grid.n, rows_inside + 1) * row, .fetched_bytes = lines.by_planes}}};
}

/// The arrays that the operator reads when it is applied to these cells; others load only x.
template <class Real>
std::vector<Stream> stencil_streams(const BoxGrid& grid, const GsrbCells& cells, std::uint64_t other_loads = 0) {
  const std::uint64_t applied = cells.count(), of_beta = loads_of_each_beta * applied;
  return {stencil_stream<Real>("x", grid, reads_of_x, cells, loads_of_x * applied + other_loads),
          stencil_stream<Real>("beta_i", grid, reads_of_beta_i, cells, of_beta),
          stencil_stream<Real>("beta_j", grid, reads_of_beta_j, cells, of_beta),
          stencil_stream<Real>("beta_k", grid, reads_of_beta_k, cells, of_beta)};
}

/// The work of updating the cells of one color. The paper counts the cells of boxes with their ghosts in seven arrays.
template <class Real>
Work update_work(const BoxGrid& grid, GsrbLoop loop, std::uint64_t color) {
  const GsrbCells cells(grid, loop, color);
  const std::uint64_t n = grid.n, real = sizeof(Real), row = grid.row() * real, done = cells.count();
  const LinesTouched here = lines_touched(grid, read_here, real, cells);
  // 110 of the operator, the residual, its weight, the new value; fp multiplies by the mask as well.
  Work work{.flops = {{flops<Real>("add"), 85 * done}, {flops<Real>("mul"), (cells.all() ? 29 : 28) * done}}};
  work.streams = stencil_streams<Real>(grid, cells, grid.cells() - done);
  for (const char* array : {"rhs", "diagonal"})
    work.streams.push_back({.array = array, .footprint_bytes = here.once, .read = true, .loads = done, .element_bytes = real});
  work.streams.push_back(
      {.array = "out", .footprint_bytes = cell_lines<Real>(grid), .written = true, .stores = grid.cells(), .element_bytes = real});
  if (cells.all())
    work.streams.push_back({.array = "mask",
                            .footprint_bytes = 2 * n * real,
                            .read = true,
                            .loads = done,
                            .element_bytes = real,
                            .layers = {{.reuse_bytes = crowded_rows * row,
                                        .fetched_bytes = grid.count() * n * n * (n * real + LineCover::line_bytes),
                                        .upper_bound = true}},
                            .shared = true});
  work.paper = {{"paper.flops", total_flops(work.flops)}, {"paper.bytes", 7 * grid.size() * real}};
  work.add_outer_loop(grid.count() * n * n, crowded_rows * row);
  return work;
}

/// The loads and stores of one line by the ghost loop.
struct LineTouches {
  std::uint8_t loads = 0, stores = 0;
};

/// The touches of each line of an array, and the cells that are copied.
struct GhostCopies {
  std::vector<LineTouches> lines;
  std::uint64_t cells = 0;

  GhostCopies(const BoxGrid& grid, std::uint64_t element_bytes) : lines(grid.size() * element_bytes / line_bytes + 1) {
    const std::uint64_t n = grid.n, deep = BoxGrid::ghosts;
    const auto copy = [&](std::uint64_t to, std::uint64_t from, std::uint64_t count) {
      for (std::uint64_t at = from * element_bytes / line_bytes; at * line_bytes < (from + count) * element_bytes; ++at) ++lines[at].loads;
      for (std::uint64_t at = to * element_bytes / line_bytes; at * line_bytes < (to + count) * element_bytes; ++at) ++lines[at].stores;
      cells += count;
    };
    for (std::uint64_t r = 0; r < grid.rows(); ++r) {
      const GhostRow row = ghost_row(r, grid.boxes, n);
      if (row.middle != row.to) copy(row.to + deep, row.middle + deep, n);
      copy(row.to, row.left + n, deep);
      copy(row.to + n + deep, row.right + deep, deep);
    }
  }

  static constexpr std::uint64_t line_bytes = LineCover::line_bytes;
};

/// The distinct bytes that smoothing touches: right-hand side and diagonal are read in cells alone.
template <class Real>
std::uint64_t gsrb_data_bytes(const BoxGrid& grid) {
  return 5 * grid.size() * sizeof(Real) + 2 * cell_lines<Real>(grid);
}

/// The work of copying ghost cells. A line at the end of a row holds cells that are read for one box and ghost cells written for another.
/// Where no line stays until it is touched again, each touch brings it in.
template <class Real>
Work ghost_work(const BoxGrid& grid) {
  const GhostCopies copies(grid, sizeof(Real));
  Stream loaded{.array = "x, loaded", .read = true, .loads = copies.cells, .element_bytes = sizeof(Real)};
  Stream stored{.array = "x, stored", .written = true, .stores = copies.cells, .element_bytes = sizeof(Real)};
  Stream both{.array = "x, loaded and stored", .read = true, .written = true, .element_bytes = sizeof(Real), .either_way = true};
  for (Stream* stream : {&loaded, &stored, &both}) stream->layers = {{.reuse_bytes = 0, .fetched_bytes = 0, .upper_bound = true}};
  for (const auto& [loads, stores] : copies.lines) {
    if (loads + stores == 0) continue;
    Stream& stream = stores == 0 ? loaded : loads == 0 ? stored : both;
    stream.footprint_bytes += GhostCopies::line_bytes;
    stream.layers[0].fetched_bytes += static_cast<std::uint64_t>(loads + stores) * GhostCopies::line_bytes;
  }
  const std::uint64_t all = loaded.footprint_bytes + stored.footprint_bytes + both.footprint_bytes;
  for (Stream* stream : {&loaded, &stored, &both}) stream->layers[0].reuse_bytes = all;
  Work work{.streams = {loaded, stored, both}};
  work.add_outer_loop(grid.rows(), 6 * GhostCopies::line_bytes);
  return work;
}

}  // namespace plumbline
