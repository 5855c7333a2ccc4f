// Products of matrices by tiles of sums that stay in registers: those of vectors, or those of matrix tiles where a flavor has them. For
// flavored loops everything is of internal linkage.
#pragma once
#include <cstddef>

#include "ert/bf16_instruction.hpp"
#include "proxies/networks/matrix_sums.hpp"

#if defined(__AMX_TILE__) || defined(__AMXTILE__)  // clang until 15
#include "proxies/networks/matrix_product_amx.hpp"
#define PLUMBLINE_PRODUCT_AMX
#endif

namespace {

/// A tile of sums has so many rows, each of so many vectors at most: what fits into the registers beside a row of the right matrix and one
/// element of the left.
constexpr std::size_t product_tile_rows = 6;
constexpr std::size_t product_vectors_with(std::size_t registers) { return registers == 32 ? 4 : 2; }
constexpr std::size_t product_tile_vectors = product_vectors_with(PLUMBLINE_VECTOR_REGISTERS);
/// The most rows of the right matrix that are passed at once: a panel of so many stays in L1.
constexpr std::size_t product_block_depth = 128;
/// Blocks are of whole steps, each of as many rows as one instruction takes.
#ifdef PLUMBLINE_PRODUCT_AMX
constexpr std::size_t product_depth_step = amx_side, product_rows_at_once = amx_side;
#else
constexpr std::size_t product_depth_step = 1, product_rows_at_once = product_tile_rows;
#endif

template <std::size_t vectors, class V>
struct ProductRow {
  V x;
  ProductRow<vectors - 1, V> others;
};
template <class V>
struct ProductRow<0, V> {};
template <std::size_t rows, std::size_t vectors, class V>
struct ProductTile {
  ProductRow<vectors, V> row;
  ProductTile<rows - 1, vectors, V> others;
};
template <std::size_t vectors, class V>
struct ProductTile<0, vectors, V> {};

/// Keeps a number, but no vector, apart from others: compilers would put a few of them into one vector, with lanes to spare.
template <class Real, class V>
PLUMBLINE_INLINE void keep_apart(V& x) {
  if constexpr (sizeof(V) == sizeof(Real)) keep(x);
}

template <std::size_t vectors, class V, class Number>
PLUMBLINE_INLINE void load_row(ProductRow<vectors, V>& row, const Number* from) {
  if constexpr (vectors != 0) {
    row.x = loaded<V>(from);
    keep_apart<Number>(row.x);
    load_row(row.others, from + sizeof(V) / sizeof(Number));
  }
}
template <std::size_t vectors, class V, class Real>
PLUMBLINE_INLINE void store_row(const ProductRow<vectors, V>& row, Real* to) {
  if constexpr (vectors != 0) {
    stored(to, row.x);
    store_row(row.others, to + sizeof(V) / sizeof(Real));
  }
}
template <class Real, std::size_t vectors, class V, class Left>
PLUMBLINE_INLINE void gain_row(ProductRow<vectors, V>& row, const Left& left, const ProductRow<vectors, V>& right) {
  if constexpr (vectors != 0) {
#ifdef PLUMBLINE_ADD_BF16_DOT
    if constexpr (ProductFactor<Real>::numbers == 2)
      PLUMBLINE_ADD_BF16_DOT(row.x, left, right.x);
    else
#endif
      row.x = row.x + left * right.x;
    keep_apart<Real>(row.x);
    gain_row<Real>(row.others, left, right.others);
  }
}
#ifdef PLUMBLINE_SVE
PLUMBLINE_SVE_VECTOR(unsigned, svuint32_t)  // of pairs of bf16 numbers
#endif
/// A vector of which every lane holds the same factor.
template <class V, class Real, class Factor>
PLUMBLINE_INLINE auto repeated_factor(const Factor& factor) {
  if constexpr (ProductFactor<Real>::numbers == 2)
    return repeated<Widest<Factor>>(static_cast<Factor>(factor));
  else
    return repeated<V>(factor);
}

template <std::size_t rows, std::size_t vectors, class V, class Sum>
PLUMBLINE_INLINE void load_tile(ProductTile<rows, vectors, V>& tile, const Sum* from, std::size_t apart) {
  if constexpr (rows != 0) {
    load_row(tile.row, from);
    load_tile(tile.others, from + apart, apart);
  }
}
template <std::size_t rows, std::size_t vectors, class V, class Sum>
PLUMBLINE_INLINE void store_tile(const ProductTile<rows, vectors, V>& tile, Sum* to, std::size_t apart) {
  if constexpr (rows != 0) {
    store_row(tile.row, to);
    store_tile(tile.others, to + apart, apart);
  }
}
/// Each row of sums gains its factor of the left matrix times the row of the right one.
template <class Real, std::size_t rows, std::size_t vectors, class V, class Factor>
PLUMBLINE_INLINE void gain_tile(ProductTile<rows, vectors, V>& tile, const Factor* left, std::size_t apart,
                                const ProductRow<vectors, V>& right) {
  if constexpr (rows != 0) {
    gain_row<Real>(tile.row, repeated_factor<V, Real>(*left), right);
    gain_tile<Real>(tile.others, left + apart, apart, right);
  }
}

/// Adds to the tile of sums at row i of the columns at `out`.
template <std::size_t rows, std::size_t vectors, class V, class Real>
PLUMBLINE_INLINE void add_tile(const MatrixProduct<Real>& x, const typename ProductFactor<Real>::type* right, std::size_t right_row,
                               typename ProductSum<Real>::type* out, std::size_t i) {
  ProductTile<rows, vectors, V> sums;
  load_tile(sums, out + i * x.out_row, x.out_row);
  const auto* left = x.left + i * x.left_row;
  for (std::size_t d = 0; d < x.depth; ++d) {
    ProductRow<vectors, V> row;
    load_row(row, right);
    gain_tile<Real>(sums, left, x.left_row, row);
    left += x.left_step;
    right += right_row;
  }
  store_tile(sums, out + i * x.out_row, x.out_row);
}
template <std::size_t most, std::size_t vectors, class V, class Real>
PLUMBLINE_INLINE void add_rows(const MatrixProduct<Real>& x, const typename ProductFactor<Real>::type* right, std::size_t right_row,
                               typename ProductSum<Real>::type* out, std::size_t i, std::size_t rows) {
  if constexpr (most != 0) {
    if (rows == most)
      add_tile<most, vectors, V>(x, right, right_row, out, i);
    else
      add_rows<most - 1, vectors, V>(x, right, right_row, out, i, rows);
  }
}

/// Adds to the columns of one panel, which begins at column j, by tiles of rows that differ by one at most.
template <std::size_t vectors, class V, class Real>
static void add_panel(MatrixProduct<Real>& x, std::size_t j) {
  constexpr std::size_t width = vectors * sizeof(V) / sizeof(typename ProductSum<Real>::type);
  const auto* right = x.right_depth != 0 ? x.right + j * x.right_depth + x.first * width : x.right + x.first * x.right_row + j;
  const std::size_t right_row = x.right_depth != 0 ? width : x.right_row;
#ifdef PLUMBLINE_PRODUCT_AMX
  add_amx_panel<vectors>(x, right, right_row, x.out + j);
#else
  const std::size_t tiles = (x.rows + product_tile_rows - 1) / product_tile_rows;
  for (std::size_t tile = 0, i = 0; tile < tiles; ++tile) {
    const std::size_t rows = x.rows / tiles + (tile < x.rows % tiles ? 1 : 0);
    prefetch_ahead(x.ahead);
    add_rows<product_tile_rows, vectors, V>(x, right, right_row, x.out + j, i, rows);
    i += rows;
  }
#endif
}

/// Adds to the columns from j on, by panels as wide as so many vectors, and what is left by narrower ones.
template <std::size_t vectors, class Real>
static void add_panels(MatrixProduct<Real>& x, std::size_t j) {
  using V = Widest<typename ProductSum<Real>::type>;
  constexpr std::size_t width = vectors * sizeof(V) / sizeof(typename ProductSum<Real>::type);
  for (; j + width <= x.columns; j += width) add_panel<vectors, V>(x, j);
  if constexpr (vectors > 1)
    add_panels<vectors / 2>(x, j);
  else if constexpr (ProductFactor<Real>::numbers == 1)  // pairs have whole vectors of columns
    for (; j < x.columns; ++j) add_panel<1, Real>(x, j);
}

/// Adds a product, block by block of its depth.
template <class Real>
static void add_product(MatrixProduct<Real> x) {
  const std::size_t steps = x.depth / product_depth_step, first = x.first,
                    blocks = (x.depth + product_block_depth - 1) / product_block_depth;
  const auto* left = x.left;
  if (x.ahead.lines != 0) {
    constexpr std::size_t columns =
        product_tile_vectors * sizeof(Widest<typename ProductSum<Real>::type>) / sizeof(typename ProductSum<Real>::type);
    const std::size_t tiles = (x.rows + product_rows_at_once - 1) / product_rows_at_once * ((x.columns + columns - 1) / columns) * blocks;
    x.ahead.lines_a_tile = x.ahead.lines / tiles + 1;
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = steps * block / blocks * product_depth_step;
    x.left = left + begin * x.left_step;
    x.first = first + begin;
    x.depth = steps * (block + 1) / blocks * product_depth_step - begin;
    add_panels<product_tile_vectors>(x, 0);
  }
}

/// The width of the panel that begins where so many columns are left.
template <class Real>
PLUMBLINE_INLINE std::size_t panel_width(std::size_t left) {
  using Sum = typename ProductSum<Real>::type;
  constexpr std::size_t lanes = sizeof(Widest<Sum>) / sizeof(Sum);
  for (std::size_t vectors = product_tile_vectors; vectors != 0; vectors /= 2)
    if (vectors * lanes <= left) return vectors * lanes;
  return 1;
}

template <class Real>
PLUMBLINE_INLINE void clear_numbers(Real* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = Real(0);
}
template <class Real>
PLUMBLINE_INLINE void copy_numbers(const Real* __restrict from, Real* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

/// The rows that are packed side by side: each panel lies in pages of its own.
constexpr std::size_t packed_rows = 16;
/// Packs the rows [begin, end) of a matrix of `depth` rows and so many columns, of rows that lie `apart`.
template <class Real>
static void pack_rows(const Real* matrix, std::size_t apart, Real* panels, std::size_t columns, std::size_t depth, std::size_t begin,
                      std::size_t end) {
  constexpr std::size_t numbers = ProductFactor<Real>::numbers;
  for (std::size_t first = begin; first < end; first += packed_rows) {
    const std::size_t last = end - first < packed_rows ? end : first + packed_rows;
    for (std::size_t j = 0, width = 0; j < columns; j += width) {
      width = panel_width<Real>(columns - j);
      for (std::size_t d = first; d < last; ++d) {
        const Real* from = matrix + d * apart + j;
        Real* to = panels + j * depth + d / numbers * numbers * width + d % numbers;
        if constexpr (numbers == 1)
          copy_numbers(from, to, width);
        else
          for (std::size_t k = 0; k < width; ++k) to[k * numbers] = from[k];
      }
    }
  }
}

}  // namespace
