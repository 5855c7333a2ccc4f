// Winograd's F(2x2, 3x3): a tile of 2 x 2 outputs comes from 4 x 4 points of the image by 16 products a channel, where 36 are usual (Lavin
// and Gray 2016). Here are the transformations on CPUs, of as many channels or filters as a vector holds. For flavored loops everything is
// of internal linkage.
#pragma once
#include <cstddef>

#include "ert/lanes.hpp"
#include "proxies/networks/conv2d_winograd_lines.hpp"

namespace {

/// No sum or product is joined with another one, whichever way it is compiled.
struct ConvApart {
  template <class V>
  static PLUMBLINE_INLINE V plus(const V& x, const V& y) {
    V z = x + y;
    keep(z);
    return z;
  }
  template <class V>
  static PLUMBLINE_INLINE V minus(const V& x, const V& y) {
    V z = x - y;
    keep(z);
    return z;
  }
  template <class V>
  static PLUMBLINE_INLINE V times(const V& x, const V& y) {
    V z = x * y;
    keep(z);
    return z;
  }
};

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
  const ConvFour<ConvThree<V>> rows = conv_filter_line<ConvApart>(points, half);
  conv_store_four(conv_filter_line<ConvApart>(rows.a, half), to, matrix_apart);
  conv_store_four(conv_filter_line<ConvApart>(rows.b, half), to + 4 * matrix_apart, matrix_apart);
  conv_store_four(conv_filter_line<ConvApart>(rows.c, half), to + 8 * matrix_apart, matrix_apart);
  conv_store_four(conv_filter_line<ConvApart>(rows.d, half), to + 12 * matrix_apart, matrix_apart);
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
  const ConvFour<ConvFour<V>> rows = conv_image_line<ConvApart>(points);
  conv_store_four(conv_image_line<ConvApart>(rows.a), to, matrix_apart);
  conv_store_four(conv_image_line<ConvApart>(rows.b), to + 4 * matrix_apart, matrix_apart);
  conv_store_four(conv_image_line<ConvApart>(rows.c), to + 8 * matrix_apart, matrix_apart);
  conv_store_four(conv_image_line<ConvApart>(rows.d), to + 12 * matrix_apart, matrix_apart);
}

PLUMBLINE_INLINE std::size_t conv_at_most(std::size_t x, std::size_t most) { return x < most ? x : most; }

/// Computes the outputs of one tile for the filters that a vector V holds, of which so many rows and points of a row exist.
template <class V, class Real>
PLUMBLINE_INLINE void conv_transform_tile(const Real* from, std::size_t matrix_apart, Real* to, std::size_t apart, std::size_t row_apart,
                                          bool has_second_row, bool has_second) {
  const ConvFour<ConvFour<V>> products{conv_load_four<V>(from, matrix_apart), conv_load_four<V>(from + 4 * matrix_apart, matrix_apart),
                                       conv_load_four<V>(from + 8 * matrix_apart, matrix_apart),
                                       conv_load_four<V>(from + 12 * matrix_apart, matrix_apart)};
  const ConvTwo<ConvFour<V>> rows = conv_output_line<ConvApart>(products);
  const ConvTwo<V> first = conv_output_line<ConvApart>(rows.a), second = conv_output_line<ConvApart>(rows.b);
  stored(to, first.a);
  if (has_second) stored(to + apart, first.b);
  if (has_second_row) stored(to + row_apart, second.a);
  if (has_second_row && has_second) stored(to + row_apart + apart, second.b);
}

}  // namespace
