// Winograd's transformations on GPUs (conv2d_winograd_lines.hpp): one thread a filter's channel, a tile's channel or a tile's output, each
// by 32-bit indices of less than 2^31.
#pragma once
#include <cstddef>
#include <type_traits>

#include "cuda/arithmetic.cuh"
#include "proxies/networks/conv2d_winograd_lines.hpp"

namespace plumbline {

/// Each operation is an instruction of its own. (A sum of a negated number becomes two where the negated
/// one is kept, in fp64.)
struct ConvEach {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static Real plus(Real a, Real b) {
    return cuda::plus(a, b);
  }
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static Real minus(Real a, Real b) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<Real, double>) return __dsub_rn(a, b);
    if constexpr (std::is_same_v<Real, float>) return __fsub_rn(a, b);
#endif
    return a - b;
  }
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static Real times(Real a, Real b) {
    return cuda::times(a, b);
  }
};

/// Lines of numbers that at(row, column) gives.
template <class Real, class At>
PLUMBLINE_BOTH ConvFour<Real> conv_four(unsigned row, At at) {
  return {at(row, 0U), at(row, 1U), at(row, 2U), at(row, 3U)};
}
/// Stores a line in four matrices.
template <class Real>
PLUMBLINE_BOTH void conv_store_four(const ConvFour<Real>& x, Real* to, std::size_t apart) {
  to[0] = x.a, to[apart] = x.b, to[2 * apart] = x.c, to[3 * apart] = x.d;
}

/// The filters become 16 matrices, each with a column for each filter, stored column by column.
template <class Real>
struct ConvFilterTransform {
  unsigned channels, filters;
  const Real* from;
  Real* to;

  std::size_t size() const { return std::size_t{channels} * filters; }
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void element(const ConvFilterTransform& x, std::size_t i) {
    const auto thread = static_cast<unsigned>(i);
    const std::size_t matrix = std::size_t{x.channels} * x.filters;
    const Real* const first = x.from + std::size_t{thread % x.channels} * x.filters + thread / x.channels;
    const auto line = [&](unsigned row) {
      return ConvThree<Real>{first[3 * row * matrix], first[(3 * row + 1) * matrix], first[(3 * row + 2) * matrix]};
    };
    const Real half(0.5);
    const auto lines = conv_filter_line<ConvEach>(ConvThree<ConvThree<Real>>{line(0), line(1), line(2)}, half);
    Real* const to = x.to + i;
    conv_store_four(conv_filter_line<ConvEach>(lines.a, half), to, matrix);
    conv_store_four(conv_filter_line<ConvEach>(lines.b, half), to + 4 * matrix, matrix);
    conv_store_four(conv_filter_line<ConvEach>(lines.c, half), to + 8 * matrix, matrix);
    conv_store_four(conv_filter_line<ConvEach>(lines.d, half), to + 12 * matrix, matrix);
  }
};

/// An image's tiles of 4 x 4 points become 16 matrices, each with a row for each tile. In the place of points beyond the image, which are
/// zero, the first one is loaded.
template <class Real>
struct ConvImageTransform {
  unsigned width, channels, tiles;  // of a row
  const Real* from;
  Real* to;

  std::size_t size() const { return std::size_t{tiles} * tiles * channels; }
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void element(const ConvImageTransform& x, std::size_t i) {
    const auto thread = static_cast<unsigned>(i);
    const unsigned channel = thread % x.channels, tile = thread / x.channels, top = tile / x.tiles * 2, left = tile % x.tiles * 2;
    const Real zero(0);
    const auto at = [&](unsigned row, unsigned column) {
      const bool inside = top + row < x.width && left + column < x.width;
      const Real number = x.from[inside ? ((top + row) * x.width + left + column) * x.channels + channel : 0];
      return inside ? number : zero;
    };
    const auto lines = conv_image_line<ConvEach>(
        ConvFour<ConvFour<Real>>{conv_four<Real>(0, at), conv_four<Real>(1, at), conv_four<Real>(2, at), conv_four<Real>(3, at)});
    const std::size_t matrix = std::size_t{x.tiles} * x.tiles * x.channels;
    Real* const to = x.to + i;
    conv_store_four(conv_image_line<ConvEach>(lines.a), to, matrix);
    conv_store_four(conv_image_line<ConvEach>(lines.b), to + 4 * matrix, matrix);
    conv_store_four(conv_image_line<ConvEach>(lines.c), to + 8 * matrix, matrix);
    conv_store_four(conv_image_line<ConvEach>(lines.d), to + 12 * matrix, matrix);
  }
};

/// The products of 16 matrices, each with a row for each tile, become tiles of 2 x 2 outputs, of which those that there are are stored.
template <class Real>
struct ConvOutputTransform {
  unsigned side, filters, tiles;  // of a row
  const Real* from;
  Real* to;

  std::size_t size() const { return std::size_t{tiles} * tiles * filters; }
  /// Whether all of every tile is stored.
  bool is_whole() const { return side % 2 == 0; }
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void element(const ConvOutputTransform& x, std::size_t i) {
    const auto thread = static_cast<unsigned>(i);
    const unsigned filter = thread % x.filters, tile = thread / x.filters, top = tile / x.tiles * 2, left = tile % x.tiles * 2;
    const std::size_t matrix = std::size_t{x.tiles} * x.tiles * x.filters;
    const auto at = [&](unsigned row, unsigned column) { return x.from[i + (4 * row + column) * matrix]; };
    const auto lines = conv_output_line<ConvEach>(
        ConvFour<ConvFour<Real>>{conv_four<Real>(0, at), conv_four<Real>(1, at), conv_four<Real>(2, at), conv_four<Real>(3, at)});
    const auto upper = conv_output_line<ConvEach>(lines.a), lower = conv_output_line<ConvEach>(lines.b);
    const bool has_next = left + 1 < x.side, has_lower = top + 1 < x.side;
    Real* const to = x.to + (std::size_t{top} * x.side + left) * x.filters + filter;
    const std::size_t below = std::size_t{x.side} * x.filters;
    to[0] = upper.a;
    if (has_next) to[x.filters] = upper.b;
    if (has_lower) to[below] = lower.a;
    if (has_next && has_lower) to[below + x.filters] = lower.b;
  }
};

}  // namespace plumbline
