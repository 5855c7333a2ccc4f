// A GPU moves more of a stencil's arrays than their own bytes: rows begin anywhere, so that warps share sectors of 32 bytes.
#pragma once
#include "core/work.hpp"

namespace plumbline::cuda {

/// The stencil's streams: `in`, of which each warp reads so many rows, and `out`.
inline void add_warp_edges(Work& work, std::uint64_t rows, std::uint64_t points_a_row, std::uint64_t rows_read) {
  constexpr std::uint64_t warp = 32;
  const std::uint64_t warps = rows * ((points_a_row + warp - 1) / warp);
  work.streams[0].straddles = 2 * rows_read * warps;  // at either end of a warp's piece of a row
  work.streams[1].straddles = warps;
}

}  // namespace plumbline::cuda
