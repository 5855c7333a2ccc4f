// What the 7-point stencils in three dimensions move: the same arrays and the same layers, however a point is computed.
#pragma once
#include "core/rimmed_cube.hpp"
#include "core/work.hpp"

namespace plumbline {

/// Streams of one sweep over the cube that loads `loads` elements of `in` a point and stores one of `out`; FLOPs are the caller's.
inline Work cube_stencil_traffic(const RimmedCube& cube, std::uint64_t element_bytes, std::uint64_t loads) {
  const std::uint64_t n = cube.n, row = cube.row() * element_bytes, plane = cube.plane() * element_bytes;
  Work work{.streams = {{.array = "in",
                         .footprint_bytes = cube.stencil_lines(element_bytes),
                         .read = true,
                         .loads = loads * cube.points(),
                         .element_bytes = element_bytes,
                         // From row to row five rows of `in` and one of `out` pass, from plane to plane three planes and one. Without
                         // the rows each of the five is fetched anew; without the planes the plane itself and its two neighbours.
                         .layers = {{.reuse_bytes = 6 * row, .fetched_bytes = 5 * n * n * row},
                                    {.reuse_bytes = 4 * plane, .fetched_bytes = n * (3 * n + 2) * row}}},
                        {.array = "out",
                         .footprint_bytes = cube.interior_lines(element_bytes),
                         .written = true,
                         .stores = cube.points(),
                         .element_bytes = element_bytes}}};
  work.add_outer_loop(n * n, 6 * row);
  return work;
}

}  // namespace plumbline
