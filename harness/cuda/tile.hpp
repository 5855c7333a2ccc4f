// Large arrays of varied numbers are made in the time of a copy: the same tile again and again. (Numbers of the host fill a GPU's memory at
// a tenth of the link's rate.)
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/array.hpp"
#include "core/device_memory.hpp"

namespace plumbline::cuda {

inline constexpr std::size_t tile_size = std::size_t{1} << 20;

/// The element i of an array that fill_with_tiles() filled from `stream`.
template <class Real>
Real tiled(std::uint64_t stream, std::size_t i) {
  return Real(varied(stream, i % tile_size));
}

template <class Real>
std::vector<Real> tile_of(std::uint64_t stream, std::size_t most) {
  std::vector<Real> tile;
  for (std::size_t i = 0; i < std::min(most, tile_size); ++i) tile.push_back(tiled<Real>(stream, i));
  return tile;
}

/// Fills all of `array`, whatever part of it is asked for first.
template <class Real>
void fill_with_tiles(DeviceArray<Real>& array, DeviceMemory& memory, std::uint64_t stream) {
  const std::vector<Real> tile = tile_of<Real>(stream, array.size());
  for (std::size_t first = 0; first < array.size(); first += tile.size())
    memory.copy_in(array.data() + first, tile.data(), std::min(tile.size(), array.size() - first) * sizeof(Real));
}

/// Calls see(first, elements, count) for each tile of an array, in order.
template <class Real, class See>
void read_tiles(const DeviceArray<Real>& array, DeviceMemory& memory, See see) {
  std::vector<Real> elements(std::min(array.size(), tile_size));
  for (std::size_t first = 0; first < array.size(); first += elements.size()) {
    const std::size_t count = std::min(elements.size(), array.size() - first);
    memory.copy_out(elements.data(), array.data() + first, count * sizeof(Real));
    see(first, elements.data(), count);
  }
}

}  // namespace plumbline::cuda
