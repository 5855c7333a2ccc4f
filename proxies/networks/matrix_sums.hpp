// Products of matrices are added to sums: what these are made of. For flavored loops everything is of internal linkage.
#pragma once
#include <cstddef>

#include "ert/lanes.hpp"

/// The type of sums of products: that of the numbers, but float for bf16, which flavored loops see as its bits.
template <class Real>
struct ProductSum {
  using type = Real;
};
template <>
struct ProductSum<unsigned short> {
  using type = float;
};

/// A factor is what is multiplied at once: a number, or a pair of bf16 numbers side by side, whose two products are added to one sum.
template <class Real>
struct ProductFactor {
  using type = Real;
  static constexpr std::size_t numbers = 1;
};
template <>
struct ProductFactor<unsigned short> {
  typedef unsigned type __attribute__((may_alias));
  static constexpr std::size_t numbers = 2;
};

namespace {

/// The lines that the next product will need are asked for with this one, so many with each tile.
struct ProductAhead {
  const char* line = nullptr;
  std::size_t lines = 0, lines_a_tile = 0;
};
PLUMBLINE_INLINE void prefetch_ahead(ProductAhead& ahead) {
  for (std::size_t i = 0; i < ahead.lines_a_tile && ahead.lines != 0; ++i, --ahead.lines, ahead.line += 64) __builtin_prefetch(ahead.line);
}

/// A product of matrices is added to sums: out += left right, of rows x depth and depth x columns factors. Element (i, d) of the left one
/// lies at left[i left_row + d left_step]. The right one is `right_depth` rows in panels, from row `first` on; or, where right_depth is 0,
/// rows that lie right_row apart.
template <class Real>
struct MatrixProduct {
  using Factor = typename ProductFactor<Real>::type;
  using Sum = typename ProductSum<Real>::type;
  const Factor* left;
  std::size_t left_row, left_step;
  const Factor* right;
  std::size_t right_depth, first, right_row;
  Sum* out;
  std::size_t out_row, rows, columns, depth;
  ProductAhead ahead = {};
};

}  // namespace
