// The schedule of products of matrix tiles, and what its loops are given: one list for machine code (ert/tiles.hpp) and for words
// (ert/tile_arithmetic.hpp).
#pragma once
#include <cstddef>

/// The products of an iteration: of which sum, by which tile of the left and of the right.
#define PLUMBLINE_TILE_PRODUCTS(PRODUCT) \
  PRODUCT(0, 4, 6) PRODUCT(1, 4, 7) PRODUCT(2, 5, 6) PRODUCT(3, 5, 7) PRODUCT(0, 5, 7) PRODUCT(1, 5, 6) PRODUCT(2, 4, 7) PRODUCT(3, 4, 6)

/// A tile has 16 rows of 64 bytes: 16 x 16 sums of 4 bytes; of the left the rows of a matrix; of the right, in a row, the elements of each
/// of 16 columns that share 4 bytes.
constexpr std::size_t tile_rows = 16, tile_row_bytes = 64, tile_bytes = tile_rows * tile_row_bytes;
/// The number of tiles that are summed up in, and the sums of a block.
constexpr std::size_t tile_sums = 4, tile_block_sums = tile_sums * tile_bytes / 4;

/// The type that products of Real are added up in.
template <class Real>
struct TileSum {
  using type = float;
};
template <>
struct TileSum<signed char> {
  using type = int;
};

template <class Real>  // bf16 as its bits (unsigned short), fp16, int8
struct TileProducts {
  using Sum = typename TileSum<Real>::type;
  std::size_t iterations;
  const Real *a, *minus_a, *b, *c;  // a tile each: the tiles 4 to 7
  Sum* result;
};
