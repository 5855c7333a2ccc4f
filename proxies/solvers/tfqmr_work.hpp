// The work of the transpose-free solver, part by part.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.hpp"
#include "core/kernel_data.hpp"
#include "core/work.hpp"
#include "proxies/solvers/tfqmr_grid.hpp"
#include "proxies/solvers/tfqmr_loop.hpp"
#include "proxies/solvers/tfqmr_schedule.hpp"
#include "proxies/solvers/vector_work.hpp"

namespace plumbline {

/// Rows by rows: so many entries in so many rows, each of which a sweep loads once.
template <class Real>
std::vector<Stream> sparse_rows(std::uint64_t rows, std::uint64_t entries) {
  return {loaded<Real>("values", entries), loaded<std::int32_t>("columns", entries), loaded<std::int32_t>("starts", rows + 1)};
}

/// The bytes of so many entries in so many rows.
template <class Real>
std::uint64_t sparse_bytes(std::uint64_t rows, std::uint64_t entries) {
  return entries * (sizeof(Real) + sizeof(std::int32_t)) + rows * sizeof(std::int32_t);
}

/// The layers of a vector that rows take their points from: so many lines and so many planes around a point's own have them. Each is
/// fetched anew where a line's, or a plane's, share of everything that is touched stays in no cache.
template <class Real>
std::vector<Stream::Layer> around_points(const SchwarzGrid& grid, std::uint64_t points, std::uint64_t entries, std::uint64_t lines,
                                         std::uint64_t planes) {
  constexpr std::uint64_t line_bytes = 64, real = sizeof(Real);
  const std::uint64_t planes_of_points = points / grid.plane(),
                      line = (grid.own.n * real + line_bytes - 1) / line_bytes * line_bytes + line_bytes;
  const std::uint64_t plane_bytes = sparse_bytes<Real>(points, entries) / planes_of_points;
  return {{.reuse_bytes = plane_bytes / grid.own.lines + (lines + 2) * line,
           .fetched_bytes = lines * grid.own.lines * planes_of_points * line,
           .upper_bound = true},
          {.reuse_bytes = plane_bytes + (planes + 2) * grid.plane() * real, .fetched_bytes = planes * points * real, .upper_bound = true}};
}

template <class Real>
Work tfqmr_product_work(const SchwarzGrid& grid) {
  const std::uint64_t points = grid.own.points(), entries = grid.entries();
  Work work{.flops = {{flops<Real>("add"), entries - points}, {flops<Real>("mul"), entries}},
            .streams = sparse_rows<Real>(points, entries)};
  Stream in = loaded<Real>("in", grid.with_neighbours());
  in.loads = entries, in.layers = around_points<Real>(grid, points, entries, 7, 4);
  work.streams.push_back(std::move(in));
  work.streams.push_back(stored<Real>("out", points));
  work.add_outer_loop(points, 0);
  return work;
}

/// The lower factors of all blocks. What blocks reach is taken by each of them.
template <class Real>
Work tfqmr_forward_work(const SchwarzGrid& grid) {
  const std::uint64_t rows = grid.all_rows(), entries = grid.blocks * grid.lower_entries(), real = sizeof(Real);
  Work work{.flops = flops<Real>({"add", "mul"}, entries), .streams = sparse_rows<Real>(rows, entries)};
  Stream in = loaded<Real>("in", grid.with_neighbours());
  in.loads = rows;
  in.layers = {{.reuse_bytes = SchwarzGrid::reach * (sparse_bytes<Real>(rows, entries) / (rows / grid.plane()) + 2 * grid.plane() * real),
                .fetched_bytes = rows * real,
                .upper_bound = true}};
  work.streams.push_back(std::move(in));
  work.streams.push_back(stored<Real>("out", rows));
  work.streams.push_back({.array = "solved before",
                          .read = true,
                          .loads = entries,
                          .element_bytes = real,
                          .layers = around_points<Real>(grid, rows, entries, 4, 2)});
  return work;
}

/// The upper factors of all blocks.
template <class Real>
Work tfqmr_backward_work(const SchwarzGrid& grid) {
  const std::uint64_t rows = grid.all_rows(), entries = grid.blocks * grid.upper_entries();
  Work work{.flops = {{flops<Real>("add"), entries}, {flops<Real>("mul"), entries + rows}}, .streams = sparse_rows<Real>(rows, entries)};
  Stream out = changed<Real>("out", rows);
  out.loads += entries, out.layers = around_points<Real>(grid, rows, entries, 3, 2);
  work.streams.push_back(loaded<Real>("inverse", rows));
  work.streams.push_back(std::move(out));
  return work;
}

/// The sum over all blocks. What the first and the last of them found for other ranks' points is not among it.
template <class Real>
Work tfqmr_gather_work(const SchwarzGrid& grid) {
  const std::uint64_t edges = SchwarzGrid::reach * grid.plane();
  return {.flops = {{flops<Real>("add"), grid.blocks * edges}},
          .streams = {loaded<Real>("in", grid.all_rows() - edges), loaded<Real>("edges", edges), stored<Real>("out", grid.own.points())}};
}

/// Loops over whole vectors: so many operations an element, of each kind, of vectors that are loaded, stored and changed.
template <class Real>
Work vectors_work(std::uint64_t n, std::uint64_t operations, const std::vector<std::string>& in, const std::vector<std::string>& out,
                  const std::vector<std::string>& in_place) {
  Work work;
  for (const std::string& array : in) work.streams.push_back(loaded<Real>(array, n));
  for (const std::string& array : out) work.streams.push_back(stored<Real>(array, n));
  for (const std::string& array : in_place) work.streams.push_back(changed<Real>(array, n));
  if (operations != 0) work.flops = flops<Real>({"add", "mul"}, operations * n);
  return work;
}

/// Operations on nothing but the iterations' own numbers.
template <class Real>
Work numbers_work(std::uint64_t adds, std::uint64_t muls, std::uint64_t divs, std::uint64_t sqrts) {
  return {.flops = {{flops<Real>("add"), adds}, {flops<Real>("mul"), muls}, {flops<Real>("div"), divs}, {flops<Real>("sqrt"), sqrts}},
          .streams = {changed<Real>("numbers", tfqmr_scalars)}};
}

/// The work of one entry of a part; nothing where ranks only exchange.
template <class Real>
Work tfqmr_work(TfqmrPart part, const SchwarzGrid& grid) {
  const std::uint64_t n = grid.own.points();
  switch (part) {
    case TfqmrPart::product:
      return tfqmr_product_work<Real>(grid);
    case TfqmrPart::forward:
      return tfqmr_forward_work<Real>(grid);
    case TfqmrPart::backward:
      return tfqmr_backward_work<Real>(grid);
    case TfqmrPart::gather:
      return tfqmr_gather_work<Real>(grid);
    case TfqmrPart::dot:
      return plane_sums_work<Real>(n, grid.own.planes, 2);
    case TfqmrPart::norm:
      return plane_sums_work<Real>(n, grid.own.planes, 1);
    case TfqmrPart::total:
      return total_work<Real>(grid.own.planes);
    case TfqmrPart::first:
      return numbers_work<Real>(0, 0, 0, 1);
    case TfqmrPart::ratio:
      return numbers_work<Real>(1, 0, 1, 0);
    case TfqmrPart::half:
      return numbers_work<Real>(3, 7, 3, 3);
    case TfqmrPart::whole:
      return numbers_work<Real>(3, 6, 3, 1);
    case TfqmrPart::copy:
      return vectors_work<Real>(n, 0, {"in"}, {"out"}, {});
    case TfqmrPart::begin:
      return vectors_work<Real>(n, 0, {"in"}, {"first", "half", "direction"}, {});
    case TfqmrPart::between: {
      Work work = vectors_work<Real>(n, 1, {"half", "gained"}, {"other_half", "pair"}, {});
      work.flops[flops<Real>("add")] += n;
      return work;
    }
    case TfqmrPart::shorten:
      return vectors_work<Real>(n, 1, {"lost"}, {}, {"residual"});
    case TfqmrPart::solution:
      return vectors_work<Real>(n, 2, {"half"}, {}, {"update", "solution"});
    case TfqmrPart::directions:
      return vectors_work<Real>(n, 3, {"residual", "other_half"}, {"half"}, {"direction"});
    case TfqmrPart::halo:
    case TfqmrPart::edges:
    case TfqmrPart::sum:
      break;
  }
  return {};
}

}  // namespace plumbline
