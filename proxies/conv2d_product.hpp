// Products of matrices by tiles of sums that stay in registers: those of vectors, or those of matrix tiles where a flavor has them. For
// flavored loops everything is of internal linkage.
#pragma once
#include <cstddef>

#include "ert/bf16_instruction.hpp"
#include "proxies/conv2d_sums.hpp"

#if defined(__AMX_TILE__) || defined(__AMXTILE__)  // clang until 15
#include "proxies/conv2d_amx.hpp"
#define PLUMBLINE_CONV_AMX
#endif

namespace {

/// A tile of sums has so many rows, each of so many vectors at most: what fits into the registers beside a row of the right matrix and one
/// element of the left.
constexpr std::size_t conv_tile_rows = 6;
constexpr std::size_t conv_vectors_with(std::size_t registers) { return registers == 32 ? 4 : 2; }
constexpr std::size_t conv_tile_vectors = conv_vectors_with(PLUMBLINE_VECTOR_REGISTERS);
/// The most rows of the right matrix that are passed at once: a panel of so many stays in L1.
constexpr std::size_t conv_block_depth = 128;
/// Blocks are of whole steps, each of as many rows as one instruction takes.
#ifdef PLUMBLINE_CONV_AMX
constexpr std::size_t conv_depth_step = conv_amx_side, conv_rows_at_once = conv_amx_side;
#else
constexpr std::size_t conv_depth_step = 1, conv_rows_at_once = conv_tile_rows;
#endif

template <std::size_t vectors, class V>
struct ConvSums {
  V x;
  ConvSums<vectors - 1, V> others;
};
template <class V>
struct ConvSums<0, V> {};
template <std::size_t rows, std::size_t vectors, class V>
struct ConvTile {
  ConvSums<vectors, V> row;
  ConvTile<rows - 1, vectors, V> others;
};
template <std::size_t vectors, class V>
struct ConvTile<0, vectors, V> {};

/// Keeps a number, but no vector, apart from others: compilers would put a few of them into one vector, with lanes to spare.
template <class Real, class V>
PLUMBLINE_INLINE void conv_keep_apart(V& x) {
  if constexpr (sizeof(V) == sizeof(Real)) keep(x);
}

template <std::size_t vectors, class V, class Number>
PLUMBLINE_INLINE void conv_load(ConvSums<vectors, V>& row, const Number* from) {
  if constexpr (vectors != 0) {
    row.x = loaded<V>(from);
    conv_keep_apart<Number>(row.x);
    conv_load(row.others, from + sizeof(V) / sizeof(Number));
  }
}
template <std::size_t vectors, class V, class Real>
PLUMBLINE_INLINE void conv_store(const ConvSums<vectors, V>& row, Real* to) {
  if constexpr (vectors != 0) {
    stored(to, row.x);
    conv_store(row.others, to + sizeof(V) / sizeof(Real));
  }
}
template <class Real, std::size_t vectors, class V, class Left>
PLUMBLINE_INLINE void conv_gain(ConvSums<vectors, V>& row, const Left& left, const ConvSums<vectors, V>& right) {
  if constexpr (vectors != 0) {
#ifdef PLUMBLINE_ADD_BF16_DOT
    if constexpr (ConvFactor<Real>::numbers == 2)
      PLUMBLINE_ADD_BF16_DOT(row.x, left, right.x);
    else
#endif
      row.x = row.x + left * right.x;
    conv_keep_apart<Real>(row.x);
    conv_gain<Real>(row.others, left, right.others);
  }
}
/// A vector of which every lane holds the same factor.
template <class V, class Real, class Factor>
PLUMBLINE_INLINE auto conv_repeated(const Factor& factor) {
  if constexpr (ConvFactor<Real>::numbers == 2)
    return repeated<Widest<unsigned>>(static_cast<unsigned>(factor));
  else
    return repeated<V>(factor);
}

template <std::size_t rows, std::size_t vectors, class V, class Sum>
PLUMBLINE_INLINE void conv_load_tile(ConvTile<rows, vectors, V>& tile, const Sum* from, std::size_t apart) {
  if constexpr (rows != 0) {
    conv_load(tile.row, from);
    conv_load_tile(tile.others, from + apart, apart);
  }
}
template <std::size_t rows, std::size_t vectors, class V, class Sum>
PLUMBLINE_INLINE void conv_store_tile(const ConvTile<rows, vectors, V>& tile, Sum* to, std::size_t apart) {
  if constexpr (rows != 0) {
    conv_store(tile.row, to);
    conv_store_tile(tile.others, to + apart, apart);
  }
}
/// Each row of sums gains its factor of the left matrix times the row of the right one.
template <class Real, std::size_t rows, std::size_t vectors, class V, class Factor>
PLUMBLINE_INLINE void conv_gain_tile(ConvTile<rows, vectors, V>& tile, const Factor* left, std::size_t apart,
                                     const ConvSums<vectors, V>& right) {
  if constexpr (rows != 0) {
    conv_gain<Real>(tile.row, conv_repeated<V, Real>(*left), right);
    conv_gain_tile<Real>(tile.others, left + apart, apart, right);
  }
}

/// Adds to the tile of sums at row i of the columns at `out`.
template <std::size_t rows, std::size_t vectors, class V, class Real>
PLUMBLINE_INLINE void conv_add_tile(const ConvProduct<Real>& x, const typename ConvFactor<Real>::type* right, std::size_t right_row,
                                    typename ConvSum<Real>::type* out, std::size_t i) {
  ConvTile<rows, vectors, V> sums;
  conv_load_tile(sums, out + i * x.out_row, x.out_row);
  const auto* left = x.left + i * x.left_row;
  for (std::size_t d = 0; d < x.depth; ++d) {
    ConvSums<vectors, V> row;
    conv_load(row, right);
    conv_gain_tile<Real>(sums, left, x.left_row, row);
    left += x.left_step;
    right += right_row;
  }
  conv_store_tile(sums, out + i * x.out_row, x.out_row);
}
template <std::size_t most, std::size_t vectors, class V, class Real>
PLUMBLINE_INLINE void conv_add_rows(const ConvProduct<Real>& x, const typename ConvFactor<Real>::type* right, std::size_t right_row,
                                    typename ConvSum<Real>::type* out, std::size_t i, std::size_t rows) {
  if constexpr (most != 0) {
    if (rows == most)
      conv_add_tile<most, vectors, V>(x, right, right_row, out, i);
    else
      conv_add_rows<most - 1, vectors, V>(x, right, right_row, out, i, rows);
  }
}

/// Adds to the columns of one panel, which begins at column j, by tiles of rows that differ by one at most.
template <std::size_t vectors, class V, class Real>
static void conv_add_panel(ConvProduct<Real>& x, std::size_t j) {
  constexpr std::size_t width = vectors * sizeof(V) / sizeof(typename ConvSum<Real>::type);
  const auto* right = x.right_depth != 0 ? x.right + j * x.right_depth + x.first * width : x.right + x.first * x.right_row + j;
  const std::size_t right_row = x.right_depth != 0 ? width : x.right_row;
#ifdef PLUMBLINE_CONV_AMX
  conv_add_amx_panel<vectors>(x, right, right_row, x.out + j);
#else
  const std::size_t tiles = (x.rows + conv_tile_rows - 1) / conv_tile_rows;
  for (std::size_t tile = 0, i = 0; tile < tiles; ++tile) {
    const std::size_t rows = x.rows / tiles + (tile < x.rows % tiles ? 1 : 0);
    conv_prefetch(x.ahead);
    conv_add_rows<conv_tile_rows, vectors, V>(x, right, right_row, x.out + j, i, rows);
    i += rows;
  }
#endif
}

/// Adds to the columns from j on, by panels as wide as so many vectors, and what is left by narrower ones.
template <std::size_t vectors, class Real>
static void conv_add_panels(ConvProduct<Real>& x, std::size_t j) {
  using V = Widest<typename ConvSum<Real>::type>;
  constexpr std::size_t width = vectors * sizeof(V) / sizeof(typename ConvSum<Real>::type);
  for (; j + width <= x.columns; j += width) conv_add_panel<vectors, V>(x, j);
  if constexpr (vectors > 1)
    conv_add_panels<vectors / 2>(x, j);
  else if constexpr (ConvFactor<Real>::numbers == 1)  // pairs have whole vectors of columns
    for (; j < x.columns; ++j) conv_add_panel<1, Real>(x, j);
}

/// Adds a product, block by block of its depth.
template <class Real>
static void conv_add(ConvProduct<Real> x) {
  const std::size_t steps = x.depth / conv_depth_step, first = x.first, blocks = (x.depth + conv_block_depth - 1) / conv_block_depth;
  const auto* left = x.left;
  if (x.ahead.lines != 0) {
    constexpr std::size_t columns = conv_tile_vectors * sizeof(Widest<typename ConvSum<Real>::type>) / sizeof(typename ConvSum<Real>::type);
    const std::size_t tiles = (x.rows + conv_rows_at_once - 1) / conv_rows_at_once * ((x.columns + columns - 1) / columns) * blocks;
    x.ahead.lines_a_tile = x.ahead.lines / tiles + 1;
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = steps * block / blocks * conv_depth_step;
    x.left = left + begin * x.left_step;
    x.first = first + begin;
    x.depth = steps * (block + 1) / blocks * conv_depth_step - begin;
    conv_add_panels<conv_tile_vectors>(x, 0);
  }
}

/// The width of the panel that begins where so many columns are left.
template <class Real>
PLUMBLINE_INLINE std::size_t conv_panel_width(std::size_t left) {
  using Sum = typename ConvSum<Real>::type;
  constexpr std::size_t lanes = sizeof(Widest<Sum>) / sizeof(Sum);
  for (std::size_t vectors = conv_tile_vectors; vectors != 0; vectors /= 2)
    if (vectors * lanes <= left) return vectors * lanes;
  return 1;
}

}  // namespace
