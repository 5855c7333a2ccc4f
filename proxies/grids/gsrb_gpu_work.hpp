// The bytes that the smoother and its like move on GPUs, whose warps take cells side by side.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/work.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_work.hpp"

namespace plumbline {

inline constexpr std::uint64_t gpu_sector_bytes = 32;

/// Lets the streams of a loop over all cells of a grid lie between nothing being loaded twice and nothing being kept. Threads side by side
/// take elements so many apart; `data_bytes` are all that the loop touches.
template <class Real>
void move_by_warps(Work& work, const BoxGrid& grid, std::uint64_t data_bytes, std::uint64_t apart) {
  const std::uint64_t warps_a_row = (grid.n + 31) / 32, rows = grid.count() * grid.n * grid.n;
  std::erase_if(work.streams, [](const Stream& stream) { return stream.footprint_bytes == 0; });  // a CPU's own variables
  for (Stream& stream : work.streams) {
    const std::uint64_t accesses = std::max(stream.loads, stream.stores);
    stream.layers = {{.reuse_bytes = data_bytes, .fetched_bytes = apart * accesses * sizeof(Real), .upper_bound = true}};
    stream.straddles = 2 * warps_a_row * rows * std::max<std::uint64_t>(1, accesses / grid.cells());
    stream.straddles += (apart - 1) * stream.stores * sizeof(Real) / gpu_sector_bytes;  // stored in part
  }
}

/// An update as a GPU moves it.
template <class Real>
Work update_work_of_gpu(const BoxGrid& grid, GsrbLoop loop, std::uint64_t color) {
  Work work = update_work<Real>(grid, loop, color);
  move_by_warps<Real>(work, grid, gsrb_data_bytes<Real>(grid), loop == GsrbLoop::fp ? 1 : 2);
  return work;
}

/// The copying of ghost cells as a GPU moves it: two cells at the end of a row are a part of a sector, and so each time that a line is
/// touched its sectors may move in part.
template <class Real>
Work ghost_work_of_gpu(const BoxGrid& grid) {
  Work work = ghost_work<Real>(grid);
  std::erase_if(work.streams, [](const Stream& stream) { return stream.footprint_bytes == 0; });  // a CPU's own variables
  for (Stream& stream : work.streams) stream.straddles = stream.layers.front().fetched_bytes / gpu_sector_bytes;
  return work;
}

}  // namespace plumbline
