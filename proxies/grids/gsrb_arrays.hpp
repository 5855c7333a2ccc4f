// The arrays that the smoother goes through, box by box.
#pragma once
#include <array>
#include <cstddef>
#include <memory_resource>

#include "core/array.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_loop.hpp"

namespace plumbline {

/// x and the array that it alternates with, the right-hand side, the inverse diagonal, and beta in each direction.
template <class Real, template <class> class ArrayOf = Array>
struct GsrbArrays {
  using Memory = typename ArrayOf<Real>::Memory;
  enum Which : std::size_t { x, other, rhs, diagonal, beta };
  static constexpr std::size_t count = 7;

  BoxGrid grid;
  std::array<ArrayOf<Real>, count> arrays;
  ArrayOf<Real> mask;  // a row for each place of the first cell that has the color

  GsrbArrays(const BoxGrid& of, Memory& memory)
      : GsrbArrays(
            of, [&] { return ArrayOf<Real>(of.size(), memory); }, memory) {}

  ArrayOf<Real>& operator[](std::size_t which) { return arrays[which]; }
  const ArrayOf<Real>& operator[](std::size_t which) const { return arrays[which]; }

  void fill_mask() {
    mask.fill(0, 2 * grid.n, [n = grid.n](std::size_t i) { return Real(i % n % 2 == i / n ? 1 : 0); });
  }
  /// The arguments of a loop. The red update (color 0) and what precedes it read x and write the other array, those of black the reverse.
  Gsrb<Real> loop(GsrbLoop loop, std::size_t color, double b_over_h2) {
    return {.loop = loop,
            .boxes = grid.boxes,
            .n = grid.n,
            .color = color,
            .x = arrays[color == 0 ? x : other].data(),
            .out = arrays[color == 0 ? other : x].data(),
            .rhs = arrays[rhs].data(),
            .diagonal = arrays[diagonal].data(),
            .beta = {arrays[beta].data(), arrays[beta + 1].data(), arrays[beta + 2].data()},
            .mask = mask.data(),
            .constants = {.fifteen = Real(15), .twelfth = Real(1.0 / 12), .forty_eighth = Real(1.0 / 48), .minus_b = Real(-b_over_h2)}};
  }

 private:
  template <class Cells>
  GsrbArrays(const BoxGrid& of, Cells cells, Memory& memory)
      : grid(of), arrays{cells(), cells(), cells(), cells(), cells(), cells(), cells()}, mask(2 * of.n, memory) {}
};

}  // namespace plumbline
