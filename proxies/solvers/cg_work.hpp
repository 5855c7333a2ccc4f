// The work of conjugate gradients, phase by phase. HPCG's own formula (its ReportResults.cpp; tests/peers/hpcg.py has it) differs: of a row
// of the matrix it knows only the entries that are no zeros, while a row here always has 27; a division, and what takes a point's own part
// back in, it does not count. So it is no "paper.flops", which counters are held against.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/kernel.hpp"
#include "core/work.hpp"
#include "proxies/solvers/cg_grid.hpp"
#include "proxies/solvers/cg_level.hpp"
#include "proxies/solvers/cg_loop.hpp"
#include "proxies/solvers/cg_schedule.hpp"
#include "proxies/solvers/vector_work.hpp"

namespace plumbline {

/// The bytes of the cache lines that so many runs of elements touch, each of which begins or ends with a line.
inline std::uint64_t cg_lines(std::uint64_t runs, std::uint64_t run_bytes, std::uint64_t line_bytes = CgSpace{}.line_bytes) {
  return runs * ((run_bytes + line_bytes - 1) / line_bytes * line_bytes);
}

/// The bytes of so many rows of the matrix.
template <class Real>
std::uint64_t cg_row_bytes(std::uint64_t rows) {
  return rows * cg_entries * (sizeof(Real) + sizeof(std::int32_t));
}

/// Values and columns of so many rows, which lie in runs. Of `diagonals` the value is loaded once more.
template <class Real>
std::vector<Stream> cg_matrix_streams(std::uint64_t runs, std::uint64_t rows, std::uint64_t diagonals) {
  const auto stream = [&](const char* array, std::uint64_t element, std::uint64_t loads) {
    return Stream{.array = array,
                  .footprint_bytes = cg_lines(runs, rows / runs * cg_entries * element),
                  .read = true,
                  .loads = loads,
                  .element_bytes = element};
  };
  return {stream("values", sizeof(Real), rows * cg_entries + diagonals), stream("columns", sizeof(std::int32_t), rows * cg_entries)};
}

/// The lines of every other line of points in every other plane.
template <class Real>
std::uint64_t cg_quarter(const CgGrid& grid, std::uint64_t line_bytes) {
  return cg_lines(grid.lines() / 4, grid.n * sizeof(Real), line_bytes);
}

/// The matrix times a vector.
template <class Real>
Work cg_product_work(const CgGrid& grid) {
  const std::uint64_t n = grid.points(), real = sizeof(Real), lines = grid.lines(), line = grid.n * real, around = 9;
  const std::uint64_t of_line = cg_row_bytes<Real>(grid.n) + (around + 1) * line;
  const std::uint64_t of_plane = cg_row_bytes<Real>(grid.plane()) + 4 * grid.plane() * real;
  Work work{.flops = {{flops<Real>("add"), (cg_entries - 1) * n}, {flops<Real>("mul"), cg_entries * n}},
            .streams = cg_matrix_streams<Real>(1, n, 0)};
  work.streams.push_back({.array = "in",
                          .footprint_bytes = grid.with_neighbours() * real,
                          .read = true,
                          .loads = cg_entries * n,
                          .element_bytes = real,
                          .layers = {{.reuse_bytes = of_line, .fetched_bytes = cg_lines(around * lines, line)},
                                     {.reuse_bytes = of_plane, .fetched_bytes = 3 * n * real}}});
  work.streams.push_back({.array = "out", .footprint_bytes = n * real, .written = true, .stores = n, .element_bytes = real});
  work.add_outer_loop(lines, of_line);
  return work;
}

/// Gauss-Seidel at the points of one color. Of the nine lines around a point's own, eight are of other colors or belong to a neighbour.
template <class Real>
Work cg_smooth_work(const CgGrid& grid, std::uint64_t line_bytes) {
  const std::uint64_t n = grid.points() / 8, real = sizeof(Real), lines = grid.lines() / 4, line = grid.n * real, around = 8;
  const std::uint64_t own = cg_quarter<Real>(grid, line_bytes), planes = (grid.planes + 1) * grid.plane() * real;
  const std::uint64_t of_line = cg_row_bytes<Real>(grid.n / 2) + (around + 2) * line;
  const std::uint64_t of_plane = cg_row_bytes<Real>(grid.plane() / 4) + 4 * grid.plane() * real;
  Work work{.flops = {{flops<Real>("add"), (cg_entries + 1) * n}, {flops<Real>("mul"), (cg_entries + 1) * n}, {flops<Real>("div"), n}},
            .streams = cg_matrix_streams<Real>(lines, n, n)};
  work.streams.push_back({.array = "right", .footprint_bytes = own, .read = true, .loads = n, .element_bytes = real});
  work.streams.push_back({.array = "others",
                          .footprint_bytes = planes - std::min(own, planes),
                          .read = true,
                          .loads = (cg_entries - 1) * n,
                          .element_bytes = real,
                          .layers = {{.reuse_bytes = of_line, .fetched_bytes = cg_lines(around * lines, line)},
                                     {.reuse_bytes = of_plane, .fetched_bytes = 5 * grid.points() * real / 4}}});
  work.streams.push_back(
      {.array = "own", .footprint_bytes = own, .read = true, .written = true, .loads = 2 * n, .stores = n, .element_bytes = real});
  work.add_outer_loop(lines, of_line);
  return work;
}

/// The residual at the points of the coarser grid.
template <class Real>
Work cg_restriction_work(const CgGrid& grid, std::uint64_t line_bytes) {
  const std::uint64_t n = grid.points() / 8;
  Stream in = loaded<Real>("in", n), other = loaded<Real>("other", n);
  in.footprint_bytes = other.footprint_bytes = cg_quarter<Real>(grid, line_bytes);
  Work work{.flops = {{flops<Real>("add"), n}}, .streams = {in, other, stored<Real>("out", n), stored<Real>("cleared", n)}};
  work.add_outer_loop(grid.lines() / 4, 3 * grid.n * sizeof(Real));
  return work;
}

template <class Real>
Work cg_prolongation_work(const CgGrid& grid, std::uint64_t line_bytes) {
  const std::uint64_t n = grid.points() / 8;
  Stream out = changed<Real>("out", n);
  out.footprint_bytes = cg_quarter<Real>(grid, line_bytes);
  Work work{.flops = {{flops<Real>("add"), n}}, .streams = {loaded<Real>("in", n), out}};
  work.add_outer_loop(grid.lines() / 4, 2 * grid.n * sizeof(Real));
  return work;
}

template <class Real>
Work cg_ratio_work() {
  return {.flops = flops<Real>({"add", "div"}, 1), .streams = {loaded<double>("sums", 2), stored<Real>("out", 1)}};
}

/// A vector becomes another, plus itself times a factor.
template <class Real>
Work cg_scaled_sum_work(const CgGrid& grid) {
  const std::uint64_t n = grid.points();
  return {.flops = flops<Real>({"add", "mul"}, n), .streams = {loaded<Real>("in", n), changed<Real>("out", n)}};
}

/// Solution and residual of an iteration. The preconditioner's vector is cleared for the next.
template <class Real>
Work cg_update_work(const CgGrid& grid) {
  const std::uint64_t n = grid.points();
  return {.flops = flops<Real>({"add", "mul"}, 2 * n),
          .streams = {loaded<Real>("in", n), loaded<Real>("other", n), changed<Real>("out", n), changed<Real>("residual", n),
                      stored<Real>("cleared", n)}};
}

/// The work of a part; steps in which ranks only exchange have none.
template <class Real>
Work cg_work(CgPart part, const CgGrid& grid, const CgSpace& space) {
  const std::uint64_t sums = grid.planes * space.sums_of_a_plane;
  switch (part) {
    case CgPart::smooth:
      return cg_smooth_work<Real>(grid, space.line_bytes);
    case CgPart::product:
      return cg_product_work<Real>(grid);
    case CgPart::restriction:
      return cg_restriction_work<Real>(grid, space.line_bytes);
    case CgPart::prolongation:
      return cg_prolongation_work<Real>(grid, space.line_bytes);
    case CgPart::dot:
      return plane_sums_work<Real>(grid.points(), sums, 2);
    case CgPart::norm:
      return plane_sums_work<Real>(grid.points(), sums, 1);
    case CgPart::total:
      return total_work<Real, double>(sums);
    case CgPart::ratio:
      return cg_ratio_work<Real>();
    case CgPart::scaled_sum:
      return cg_scaled_sum_work<Real>(grid);
    case CgPart::update:
      return cg_update_work<Real>(grid);
    case CgPart::halo:
    case CgPart::sum:
      break;
  }
  return {};
}

}  // namespace plumbline
