// These loops alone are a convolution of images and its two gradients as products of matrices: the image's patches are read where they lie
// (implicit), or side by side from a matrix of their own (im2col), or as tiles transformed so that fewer products do (Winograd). They are
// compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

#include "ert/bf16_instruction.hpp"

/// Arrays hold channels innermost (NHWC): an image is width x width x channels, its output side x side x filters; filters are kernel x
/// kernel x channels x filters. Panels are a matrix cut into columns as wide as the tiles of sums, each stored row by row, side by side in
/// memory.
enum class ConvLoop {
  pack,               // filters -> panels: kernel^2 channels rows, filters columns
  turn,               // filters -> panels of the turned matrix: kernel^2 filters rows, channels columns
  forward,            // image, panels -> output
  backward_data,      // gradient of the output, turned panels -> gradient of the image
  backward_weights,   // image, gradient of the output -> gradient of the filters
  columns,            // image -> patches side by side
  column_products,    // patches, panels -> output
  transform_filters,  // filters -> panels of 16 matrices: channels rows, filters columns
  transform_image,    // image -> 16 matrices: a row for each tile of 2 x 2 outputs, channels columns
  tile_products,      // these, panels -> 16 matrices: a row for each tile, filters columns
  transform_tiles     // these -> output
};

/// The type of sums of products: that of the numbers, but float for bf16, which flavored loops see as its bits.
template <class Real>
struct ConvSum {
  using type = Real;
};
template <>
struct ConvSum<unsigned short> {
  using type = float;
};

template <class Real>
struct Conv2d {
  ConvLoop loop;
  std::size_t images, width, channels, filters, kernel, stride, side;
  const Real *in, *right;  // `right`: the filters, or the gradient of the output that the image is multiplied with
  Real* panels;
  typename ConvSum<Real>::type* out;
  Real half;
};

namespace {

/// A tile of sums has so many rows, each of so many vectors at most: what fits into the registers beside a row of the right matrix and one
/// element of the left.
constexpr std::size_t conv_tile_rows = 6, conv_tile_vectors = PLUMBLINE_VECTOR_REGISTERS == 32 ? 4 : 2;
/// The most rows of the right matrix that are passed at once: a panel of so many stays in L1.
constexpr std::size_t conv_block_depth = 128;

/// What is multiplied at once: a number, or a pair of bf16 numbers side by side, whose two products are added to one sum.
template <class Real>
struct ConvFactor {
  using type = Real;
  static constexpr std::size_t numbers = 1;
};
template <>
struct ConvFactor<unsigned short> {
  typedef unsigned type __attribute__((may_alias));
  static constexpr std::size_t numbers = 2;
};

/// out += left right, for matrices of rows x depth and depth x columns. Element (i, d) of the left one lies at left[i left_row + d
/// left_step]. The right one is `right_depth` rows in panels, from row `first` on; or, where right_depth is 0, rows that lie right_row
/// apart.
/// Sizes are in factors.
template <class Real>
struct ConvProduct {
  using Factor = typename ConvFactor<Real>::type;
  using Sum = typename ConvSum<Real>::type;
  const Factor* left;
  std::size_t left_row, left_step;
  const Factor* right;
  std::size_t right_depth, first, right_row;
  Sum* out;
  std::size_t out_row, rows, columns, depth;
};

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
static void conv_add_panel(const ConvProduct<Real>& x, std::size_t j) {
  constexpr std::size_t width = vectors * sizeof(V) / sizeof(typename ConvSum<Real>::type);
  const auto* right = x.right_depth != 0 ? x.right + j * x.right_depth + x.first * width : x.right + x.first * x.right_row + j;
  const std::size_t right_row = x.right_depth != 0 ? width : x.right_row;
  const std::size_t tiles = (x.rows + conv_tile_rows - 1) / conv_tile_rows;
  for (std::size_t tile = 0, i = 0; tile < tiles; ++tile) {
    const std::size_t rows = x.rows / tiles + (tile < x.rows % tiles ? 1 : 0);
    conv_add_rows<conv_tile_rows, vectors, V>(x, right, right_row, x.out + j, i, rows);
    i += rows;
  }
}

/// Adds to the columns from j on, by panels as wide as so many vectors, and what is left by narrower ones.
template <std::size_t vectors, class Real>
static void conv_add_panels(const ConvProduct<Real>& x, std::size_t j) {
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
  const std::size_t depth = x.depth, first = x.first, blocks = (depth + conv_block_depth - 1) / conv_block_depth;
  const auto* left = x.left;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = depth * block / blocks;
    x.left = left + begin * x.left_step;
    x.first = first + begin;
    x.depth = depth * (block + 1) / blocks - begin;
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

template <class Real>
PLUMBLINE_INLINE void conv_clear(Real* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = Real(0);
}
template <class Real>
PLUMBLINE_INLINE void conv_copy(const Real* __restrict from, Real* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

/// Packs the rows [begin, end) of the filters.
template <class Real>
static void conv_pack(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t numbers = ConvFactor<Real>::numbers;
  const std::size_t depth = x.kernel * x.kernel * x.channels;
  for (std::size_t d = begin; d < end; ++d)
    for (std::size_t j = 0, width = 0; j < x.filters; j += width) {
      width = conv_panel_width<Real>(x.filters - j);
      const Real* from = x.right + d * x.filters + j;
      Real* to = x.panels + j * depth + d / numbers * numbers * width + d % numbers;
      if constexpr (numbers == 1)
        conv_copy(from, to, width);
      else
        for (std::size_t k = 0; k < width; ++k) to[k * numbers] = from[k];
    }
}

/// Packs the filters' points [begin, end), with filters and channels in each other's place.
template <class Real>
static void conv_turn(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t numbers = ConvFactor<Real>::numbers;
  const std::size_t depth = x.kernel * x.kernel * x.filters;
  for (std::size_t point = begin; point < end; ++point)
    for (std::size_t j = 0, width = 0; j < x.channels; j += width) {
      width = conv_panel_width<Real>(x.channels - j);
      for (std::size_t c = 0; c < width; ++c) {
        const Real* from = x.right + (point * x.channels + j + c) * x.filters;
        Real* to = x.panels + j * depth + point * x.filters * width + c * numbers;
        for (std::size_t k = 0; k < x.filters; ++k) to[k / numbers * numbers * width + k % numbers] = from[k];
      }
    }
}

template <class Real>
PLUMBLINE_INLINE const typename ConvFactor<Real>::type* conv_factors(const Real* numbers) {
  return reinterpret_cast<const typename ConvFactor<Real>::type*>(numbers);
}

/// Computes the rows [begin, end) of all outputs.
template <class Real>
static void conv_forward(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t numbers = ConvFactor<Real>::numbers;
  const std::size_t image_row = x.width * x.channels, strip = x.kernel * x.channels / numbers, row = x.side * x.filters;
  for (std::size_t r = begin; r < end; ++r) {
    conv_clear(x.out + r * row, row);
    const Real* image = x.in + (r / x.side * x.width + r % x.side * x.stride) * image_row;
    for (std::size_t k = 0; k < x.kernel; ++k)
      conv_add(ConvProduct<Real>{conv_factors(image + k * image_row), x.stride * x.channels / numbers, 1, conv_factors(x.panels),
                                 x.kernel * strip, k * strip, 0, x.out + r * row, x.filters, x.side, x.filters, strip});
  }
}

/// Computes the rows [begin, end) of the gradients of all images: each point of a filter adds a row of the outputs' gradients, at a stride.
template <class Real>
static void conv_backward_data(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t numbers = ConvFactor<Real>::numbers;
  const std::size_t image_row = x.width * x.channels, filters = x.filters / numbers;
  for (std::size_t r = begin; r < end; ++r) {
    const std::size_t image = r / x.width, y = r % x.width;
    conv_clear(x.out + r * image_row, image_row);
    for (std::size_t k = 0; k < x.kernel && k <= y; ++k) {
      if ((y - k) % x.stride != 0 || (y - k) / x.stride >= x.side) continue;
      const auto* gradient = conv_factors(x.in + (image * x.side + (y - k) / x.stride) * x.side * x.filters);
      for (std::size_t s = 0; s < x.kernel; ++s)
        conv_add(ConvProduct<Real>{gradient, filters, 1, conv_factors(x.panels), x.kernel * x.kernel * filters,
                                   (k * x.kernel + s) * filters, 0, x.out + r * image_row + s * x.channels, x.stride * x.channels, x.side,
                                   x.channels, filters});
    }
  }
}

/// Computes the rows [begin, end) of the filters' gradient: each row of the outputs adds its points.
template <class Real>
static void conv_backward_weights(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t image_row = x.width * x.channels, strip = x.kernel * x.channels, row = x.side * x.filters;
  conv_clear(x.out + begin * x.filters, (end - begin) * x.filters);
  for (std::size_t r = 0; r < x.images * x.side; ++r)
    for (std::size_t k = begin / strip; k * strip < end; ++k) {
      const std::size_t first = begin > k * strip ? begin : k * strip, last = end < (k + 1) * strip ? end : (k + 1) * strip;
      const Real* image = x.in + (r / x.side * x.width + r % x.side * x.stride + k) * image_row;
      conv_add(ConvProduct<Real>{image + first - k * strip, 1, x.stride * x.channels, x.right + r * row, 0, 0, x.filters,
                                 x.out + first * x.filters, x.filters, last - first, x.filters, x.side});
    }
}

/// Copies the patches of the rows [begin, end) of one output.
template <class Real>
static void conv_columns(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t image_row = x.width * x.channels, strip = x.kernel * x.channels;
  for (std::size_t r = begin; r < end; ++r)
    for (std::size_t w = 0; w < x.side; ++w)
      for (std::size_t k = 0; k < x.kernel; ++k)
        conv_copy(x.in + (r * x.stride + k) * image_row + w * x.stride * x.channels, x.out + ((r * x.side + w) * x.kernel + k) * strip,
                  strip);
}
/// Computes the rows [begin, end) of one output from its patches.
template <class Real>
static void conv_column_products(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t depth = x.kernel * x.kernel * x.channels, row = x.side * x.filters;
  for (std::size_t r = begin; r < end; ++r) {
    conv_clear(x.out + r * row, row);
    conv_add(ConvProduct<Real>{x.in + r * x.side * depth, depth, 1, x.panels, depth, 0, 0, x.out + r * row, x.filters, x.side, x.filters,
                               depth});
  }
}

// Winograd's F(2x2, 3x3): a tile of 2 x 2 outputs from 4 x 4 points of the image by 16 products a channel, where 36 are usual (Lavin and
// Gray 2016). A line is a few numbers, or a few lines of them.

template <class T>
struct ConvThree {
  T a, b, c;
};
template <class T>
struct ConvFour {
  T a, b, c, d;
};
template <class T>
struct ConvTwo {
  T a, b;
};

/// No sum or product is joined with another one, whichever way it is compiled.
template <class V>
PLUMBLINE_INLINE V conv_plus(const V& x, const V& y) {
  V z = x + y;
  keep(z);
  return z;
}
template <class V>
PLUMBLINE_INLINE V conv_minus(const V& x, const V& y) {
  V z = x - y;
  keep(z);
  return z;
}
template <class V>
PLUMBLINE_INLINE V conv_times(const V& x, const V& y) {
  V z = x * y;
  keep(z);
  return z;
}
template <class V>
PLUMBLINE_INLINE ConvThree<V> conv_plus(const ConvThree<V>& x, const ConvThree<V>& y) {
  return {conv_plus(x.a, y.a), conv_plus(x.b, y.b), conv_plus(x.c, y.c)};
}
template <class V>
PLUMBLINE_INLINE ConvThree<V> conv_minus(const ConvThree<V>& x, const ConvThree<V>& y) {
  return {conv_minus(x.a, y.a), conv_minus(x.b, y.b), conv_minus(x.c, y.c)};
}
template <class V>
PLUMBLINE_INLINE ConvThree<V> conv_times(const ConvThree<V>& x, const V& y) {
  return {conv_times(x.a, y), conv_times(x.b, y), conv_times(x.c, y)};
}
template <class V>
PLUMBLINE_INLINE ConvFour<V> conv_plus(const ConvFour<V>& x, const ConvFour<V>& y) {
  return {conv_plus(x.a, y.a), conv_plus(x.b, y.b), conv_plus(x.c, y.c), conv_plus(x.d, y.d)};
}
template <class V>
PLUMBLINE_INLINE ConvFour<V> conv_minus(const ConvFour<V>& x, const ConvFour<V>& y) {
  return {conv_minus(x.a, y.a), conv_minus(x.b, y.b), conv_minus(x.c, y.c), conv_minus(x.d, y.d)};
}

/// A copy, by elements: without optimization clang would call memcpy, and what that moves no code tells.
template <class V>
PLUMBLINE_INLINE V conv_same(const V& x) {
  return x;
}
template <class V>
PLUMBLINE_INLINE ConvThree<V> conv_same(const ConvThree<V>& x) {
  return {x.a, x.b, x.c};
}

template <class T, class V>
PLUMBLINE_INLINE ConvFour<T> conv_filter_line(const ConvThree<T>& x, const V& half) {
  const T outer = conv_plus(x.a, x.c);
  return {conv_same(x.a), conv_times(conv_plus(outer, x.b), half), conv_times(conv_minus(outer, x.b), half), conv_same(x.c)};
}
template <class T>
PLUMBLINE_INLINE ConvFour<T> conv_image_line(const ConvFour<T>& x) {
  return {conv_minus(x.a, x.c), conv_plus(x.b, x.c), conv_minus(x.c, x.b), conv_minus(x.b, x.d)};
}
template <class T>
PLUMBLINE_INLINE ConvTwo<T> conv_output_line(const ConvFour<T>& x) {
  return {conv_plus(conv_plus(x.a, x.b), x.c), conv_minus(conv_minus(x.b, x.c), x.d)};
}

template <class V, class Real>
PLUMBLINE_INLINE ConvThree<V> conv_load_three(const Real* from, std::size_t apart) {
  return {loaded<V>(from), loaded<V>(from + apart), loaded<V>(from + 2 * apart)};
}
template <class V, class Real>
PLUMBLINE_INLINE ConvFour<V> conv_load_four(const Real* from, std::size_t apart) {
  return {loaded<V>(from), loaded<V>(from + apart), loaded<V>(from + 2 * apart), loaded<V>(from + 3 * apart)};
}
template <class V, class Real>
PLUMBLINE_INLINE void conv_store_four(const ConvFour<V>& x, Real* to, std::size_t apart) {
  stored(to, x.a);
  stored(to + apart, x.b);
  stored(to + 2 * apart, x.c);
  stored(to + 3 * apart, x.d);
}

/// Transforms the filters of one channel that a vector V holds; those of the next point of a filter lie `apart` from these, the elements of
/// the next matrix matrix_apart.
template <class V, class Real>
PLUMBLINE_INLINE void conv_transform_filter(const Real* from, std::size_t apart, Real* to, std::size_t matrix_apart, const V& half) {
  const ConvThree<ConvThree<V>> points{conv_load_three<V>(from, apart), conv_load_three<V>(from + 3 * apart, apart),
                                       conv_load_three<V>(from + 6 * apart, apart)};
  const ConvFour<ConvThree<V>> rows = conv_filter_line(points, half);
  conv_store_four(conv_filter_line(rows.a, half), to, matrix_apart);
  conv_store_four(conv_filter_line(rows.b, half), to + 4 * matrix_apart, matrix_apart);
  conv_store_four(conv_filter_line(rows.c, half), to + 8 * matrix_apart, matrix_apart);
  conv_store_four(conv_filter_line(rows.d, half), to + 12 * matrix_apart, matrix_apart);
}

/// Transforms the filters of the channels [begin, end).
template <class Real>
static void conv_transform_filters(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  const std::size_t apart = x.channels * x.filters, depth = 16 * x.channels;
  for (std::size_t c = begin; c < end; ++c)
    for (std::size_t j = 0, width = 0; j < x.filters; j += width) {
      width = conv_panel_width<Real>(x.filters - j);
      const Real* from = x.right + c * x.filters + j;
      Real* to = x.panels + j * depth + c * width;
      if (width < lanes)
        conv_transform_filter<Real>(from, apart, to, x.channels * width, x.half);
      else
        for (std::size_t k = 0; k < width; k += lanes)
          conv_transform_filter<V>(from + k, apart, to + k, x.channels * width, broadcast<V>(x.half));
    }
}

/// Four points of an image's row, of which those beyond its end are zero.
template <class V, class Real>
PLUMBLINE_INLINE ConvFour<V> conv_load_points(const Real* from, std::size_t apart, std::size_t inside) {
  const V zero = broadcast<V>(Real(0));
  ConvFour<V> x{zero, zero, zero, zero};
  if (inside > 0) x.a = loaded<V>(from);
  if (inside > 1) x.b = loaded<V>(from + apart);
  if (inside > 2) x.c = loaded<V>(from + 2 * apart);
  if (inside > 3) x.d = loaded<V>(from + 3 * apart);
  keep(x.a), keep(x.b), keep(x.c), keep(x.d);
  return x;
}

/// Transforms the channels that a vector V holds of one tile, of which so many rows and points of a row lie inside the image.
template <class V, class Real>
PLUMBLINE_INLINE void conv_transform_patch(const Real* from, std::size_t apart, std::size_t row_apart, std::size_t inside_rows,
                                           std::size_t inside, Real* to, std::size_t matrix_apart) {
  const ConvFour<ConvFour<V>> points{conv_load_points<V>(from, apart, inside_rows > 0 ? inside : 0),
                                     conv_load_points<V>(from + row_apart, apart, inside_rows > 1 ? inside : 0),
                                     conv_load_points<V>(from + 2 * row_apart, apart, inside_rows > 2 ? inside : 0),
                                     conv_load_points<V>(from + 3 * row_apart, apart, inside_rows > 3 ? inside : 0)};
  const ConvFour<ConvFour<V>> rows = conv_image_line(points);
  conv_store_four(conv_image_line(rows.a), to, matrix_apart);
  conv_store_four(conv_image_line(rows.b), to + 4 * matrix_apart, matrix_apart);
  conv_store_four(conv_image_line(rows.c), to + 8 * matrix_apart, matrix_apart);
  conv_store_four(conv_image_line(rows.d), to + 12 * matrix_apart, matrix_apart);
}

PLUMBLINE_INLINE std::size_t conv_at_most(std::size_t x, std::size_t most) { return x < most ? x : most; }

/// Transforms the rows [begin, end) of one image's tiles.
template <class Real>
static void conv_transform_image(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  const std::size_t tiles = (x.side + 1) / 2, image_row = x.width * x.channels, matrix = tiles * tiles * x.channels;
  for (std::size_t ty = begin; ty < end; ++ty)
    for (std::size_t tx = 0; tx < tiles; ++tx) {
      const std::size_t inside_rows = conv_at_most(x.width - 2 * ty, 4), inside = conv_at_most(x.width - 2 * tx, 4);
      const Real* from = x.in + 2 * ty * image_row + 2 * tx * x.channels;
      Real* to = x.out + (ty * tiles + tx) * x.channels;
      std::size_t c = 0;
      for (; c + lanes <= x.channels; c += lanes)
        conv_transform_patch<V>(from + c, x.channels, image_row, inside_rows, inside, to + c, matrix);
      for (; c < x.channels; ++c) conv_transform_patch<Real>(from + c, x.channels, image_row, inside_rows, inside, to + c, matrix);
    }
}

/// Multiplies the rows [begin, end) of one image's tiles.
template <class Real>
static void conv_tile_products(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t tiles = (x.side + 1) / 2;
  for (std::size_t matrix = 0; matrix < 16; ++matrix)
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t first = (matrix * tiles + row) * tiles;
      conv_clear(x.out + first * x.filters, tiles * x.filters);
      conv_add(ConvProduct<Real>{x.in + first * x.channels, x.channels, 1, x.panels, 16 * x.channels, matrix * x.channels, 0,
                                 x.out + first * x.filters, x.filters, tiles, x.filters, x.channels});
    }
}

/// Computes the outputs of one tile for the filters that a vector V holds, of which so many rows and points of a row exist.
template <class V, class Real>
PLUMBLINE_INLINE void conv_transform_tile(const Real* from, std::size_t matrix_apart, Real* to, std::size_t apart, std::size_t row_apart,
                                          bool has_second_row, bool has_second) {
  const ConvFour<ConvFour<V>> products{conv_load_four<V>(from, matrix_apart), conv_load_four<V>(from + 4 * matrix_apart, matrix_apart),
                                       conv_load_four<V>(from + 8 * matrix_apart, matrix_apart),
                                       conv_load_four<V>(from + 12 * matrix_apart, matrix_apart)};
  const ConvTwo<ConvFour<V>> rows = conv_output_line(products);
  const ConvTwo<V> first = conv_output_line(rows.a), second = conv_output_line(rows.b);
  stored(to, first.a);
  if (has_second) stored(to + apart, first.b);
  if (has_second_row) stored(to + row_apart, second.a);
  if (has_second_row && has_second) stored(to + row_apart + apart, second.b);
}

/// Computes one output from the rows [begin, end) of its tiles.
template <class Real>
static void conv_transform_tiles(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  const std::size_t tiles = (x.side + 1) / 2, row = x.side * x.filters, matrix = tiles * tiles * x.filters;
  for (std::size_t ty = begin; ty < end; ++ty)
    for (std::size_t tx = 0; tx < tiles; ++tx) {
      const bool has_second_row = 2 * ty + 1 < x.side, has_second = 2 * tx + 1 < x.side;
      const Real* from = x.in + (ty * tiles + tx) * x.filters;
      Real* to = x.out + 2 * ty * row + 2 * tx * x.filters;
      std::size_t k = 0;
      for (; k + lanes <= x.filters; k += lanes)
        conv_transform_tile<V>(from + k, matrix, to + k, x.filters, row, has_second_row, has_second);
      for (; k < x.filters; ++k) conv_transform_tile<Real>(from + k, matrix, to + k, x.filters, row, has_second_row, has_second);
    }
}

/// Sweeps the range [begin, end) of a loop that takes numbers one by one.
template <class Real>
static void conv_sweep_numbers(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  switch (x.loop) {
    case ConvLoop::backward_weights:
      return conv_backward_weights(x, begin, end);
    case ConvLoop::columns:
      return conv_columns(x, begin, end);
    case ConvLoop::column_products:
      return conv_column_products(x, begin, end);
    case ConvLoop::transform_filters:
      return conv_transform_filters(x, begin, end);
    case ConvLoop::transform_image:
      return conv_transform_image(x, begin, end);
    case ConvLoop::tile_products:
      return conv_tile_products(x, begin, end);
    default:
      return conv_transform_tiles(x, begin, end);
  }
}

}  // namespace

/// Sweeps the range [begin, end) of one loop; what the range counts, each loop says. Of bf16 there are the products of factors that lie
/// side by side.
template <class Real>
static void sweep(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  switch (x.loop) {
    case ConvLoop::pack:
      return conv_pack(x, begin, end);
    case ConvLoop::turn:
      return conv_turn(x, begin, end);
    case ConvLoop::forward:
      return conv_forward(x, begin, end);
    case ConvLoop::backward_data:
      return conv_backward_data(x, begin, end);
    default:
      if constexpr (ConvFactor<Real>::numbers == 1) conv_sweep_numbers(x, begin, end);
  }
}
