// These loops alone are a convolution of images and its two gradients as products of matrices: the image's patches are read where they lie
// (implicit), or side by side from a matrix of their own (im2col), or as tiles transformed so that fewer products do (Winograd). They are
// compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

#include "proxies/networks/conv2d_pairs.hpp"
#include "proxies/networks/conv2d_winograd.hpp"
#include "proxies/networks/matrix_product.hpp"

/// Arrays hold channels innermost (NHWC): an image is width x width x channels, its output side x side x filters; filters are kernel x
/// kernel x channels x filters. Panels are a matrix cut into columns as wide as the tiles of sums, each stored row by row, side by side in
/// memory.
enum class ConvLoop {
  pack,               // filters -> panels: kernel^2 channels rows, filters columns
  turn,               // filters -> panels of the turned matrix: kernel^2 filters rows, channels columns
  pair_image,         // image -> of each of its rows the patches, turned: kernel channels rows, a column for each output
  pair_gradient,      // gradient of the output -> of each of its rows a panel: a row for each point, filters columns
  forward,            // image, panels -> output
  backward_data,      // gradient of the output, turned panels -> gradient of the image
  backward_weights,   // image, gradient of the output -> gradient of the filters; of bf16 from what was paired of both
  columns,            // image -> patches side by side
  column_products,    // patches, panels -> output
  transform_filters,  // filters -> panels of 16 matrices: channels rows, filters columns
  transform_image,    // image -> 16 matrices: a row for each tile of 2 x 2 outputs, channels columns
  tile_products,      // these, panels -> 16 matrices: a row for each tile, filters columns
  transform_tiles     // these -> output
};

template <class Real>
struct Conv2d {
  ConvLoop loop;
  std::size_t images, width, channels, filters, kernel, stride, side;
  const Real *in, *right;  // `right`: the filters, or the gradient of the output that the image is multiplied with
  Real* panels;
  typename ProductSum<Real>::type* out;
  Real half;
};

namespace {

/// The rows of a part of a strip of the filters' gradient: whole tiles, of bf16 those of vectors and those of matrices.
template <class Real>
constexpr std::size_t conv_part_rows = ProductFactor<Real>::numbers == 1 ? product_tile_rows : 48;
static_assert(conv_part_rows<unsigned short> % product_tile_rows == 0 && conv_part_rows<unsigned short> % 16 == 0);

/// Packs the rows [begin, end) of the filters.
template <class Real>
static void conv_pack(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  pack_rows(x.right, x.filters, x.panels, x.filters, x.kernel * x.kernel * x.channels, begin, end);
}
/// Packs the rows [begin, end) of the gradients of all outputs, so that neighbouring points are pairs.
template <class Real>
static void conv_pair_gradient(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t depth = 2 * conv_pairs(x.side);
  for (std::size_t r = begin; r < end; ++r)
    pack_rows(x.right + r * x.side * x.filters, x.filters, x.panels + r * depth * x.filters, x.filters, depth, 0, x.side);
}
/// Turns the patches of the rows [begin, end) of all images, so that what neighbouring outputs read are pairs.
template <class Real>
static void conv_pair_image(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t pairs = conv_pairs(x.side), used = (x.side - 1) * x.stride + x.kernel;
  for (std::size_t row = begin; row < end; ++row) {
    if (row % x.width >= used) continue;
    for (std::size_t k = 0; k < x.kernel; ++k)
      for (std::size_t pair = 0; 2 * pair < x.side; ++pair) {
        const Real *first = x.in + (row * x.width + 2 * pair * x.stride + k) * x.channels, *second = first + x.stride * x.channels;
        auto* to = reinterpret_cast<typename ProductFactor<Real>::type*>(x.panels) + (row * x.kernel + k) * x.channels * pairs + pair;
        if (2 * pair + 1 < x.side)
          for (std::size_t c = 0; c < x.channels; ++c) to[c * pairs] = first[c] | static_cast<unsigned>(second[c]) << 16;
        else
          for (std::size_t c = 0; c < x.channels; ++c) to[c * pairs] = first[c];
      }
  }
}

/// Packs the filters' points [begin, end), with filters and channels in each other's place.
template <class Real>
static void conv_turn(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t numbers = ProductFactor<Real>::numbers;
  const std::size_t depth = x.kernel * x.kernel * x.filters;
  for (std::size_t point = begin; point < end; ++point)
    for (std::size_t j = 0, width = 0; j < x.channels; j += width) {
      width = panel_width<Real>(x.channels - j);
      for (std::size_t c = 0; c < width; ++c) {
        const Real* from = x.right + (point * x.channels + j + c) * x.filters;
        Real* to = x.panels + j * depth + point * x.filters * width + c * numbers;
        for (std::size_t k = 0; k < x.filters; ++k) to[k / numbers * numbers * width + k % numbers] = from[k];
      }
    }
}

template <class Real>
PLUMBLINE_INLINE const typename ProductFactor<Real>::type* conv_factors(const Real* numbers) {
  return reinterpret_cast<const typename ProductFactor<Real>::type*>(numbers);
}

/// The patches of row r of all outputs begin here.
template <class Real>
PLUMBLINE_INLINE const Real* conv_patches(const Conv2d<Real>& x, std::size_t r) {
  return x.in + (r / x.side * x.width + r % x.side * x.stride) * x.width * x.channels;
}
/// The points of an image's row that outputs need, to be asked for where they lie behind those that were read before.
template <class Real>
PLUMBLINE_INLINE ProductAhead conv_row_ahead(const Conv2d<Real>& x, const Real* row, const Real* read_before) {
  const std::size_t bytes = ((x.side - 1) * x.stride + x.kernel) * x.channels * sizeof(Real);
  return {reinterpret_cast<const char*>(row), row > read_before ? bytes / 64 : 0};
}
/// Computes the rows [begin, end) of all outputs.
template <class Real>
static void conv_forward(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t numbers = ProductFactor<Real>::numbers;
  const std::size_t image_row = x.width * x.channels, strip = x.kernel * x.channels / numbers, row = x.side * x.filters;
  const Real* image = conv_patches(x, begin);
  for (std::size_t r = begin; r < end; ++r) {
    clear_numbers(x.out + r * row, row);
    const Real* const next = r + 1 < end ? conv_patches(x, r + 1) : image;
    for (std::size_t k = 0; k < x.kernel; ++k) {
      const ProductAhead ahead = conv_row_ahead(x, next + k * image_row, image + (x.kernel - 1) * image_row);
      add_product(MatrixProduct<Real>{conv_factors(image + k * image_row), x.stride * x.channels / numbers, 1, conv_factors(x.panels),
                                      x.kernel * strip, k * strip, 0, x.out + r * row, x.filters, x.side, x.filters, strip, ahead});
    }
    image = next;
  }
}

/// Computes the rows [begin, end) of the gradients of all images: each point of a filter adds a row of the outputs' gradients, at a stride.
template <class Real>
static void conv_backward_data(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t numbers = ProductFactor<Real>::numbers;
  const std::size_t image_row = x.width * x.channels, filters = x.filters / numbers;
  for (std::size_t r = begin; r < end; ++r) {
    const std::size_t image = r / x.width, y = r % x.width;
    clear_numbers(x.out + r * image_row, image_row);
    for (std::size_t k = 0; k < x.kernel && k <= y; ++k) {
      if ((y - k) % x.stride != 0 || (y - k) / x.stride >= x.side) continue;
      const auto* gradient = conv_factors(x.in + (image * x.side + (y - k) / x.stride) * x.side * x.filters);
      for (std::size_t s = 0; s < x.kernel; ++s)
        add_product(MatrixProduct<Real>{gradient, filters, 1, conv_factors(x.panels), x.kernel * x.kernel * filters,
                                        (k * x.kernel + s) * filters, 0, x.out + r * image_row + s * x.channels, x.stride * x.channels,
                                        x.side, x.channels, filters});
    }
  }
}

/// The product that adds what row r of the outputs gives to the rows [first, last) of strip k of the filters' gradient.
template <class Real>
PLUMBLINE_INLINE MatrixProduct<Real> conv_weights_product(const Conv2d<Real>& x, std::size_t r, std::size_t k, std::size_t first,
                                                          std::size_t last) {
  const std::size_t strip = x.kernel * x.channels, row = r / x.side * x.width + r % x.side * x.stride + k, pairs = conv_pairs(x.side);
  typename ProductSum<Real>::type* const out = x.out + (k * strip + first) * x.filters;
  if constexpr (ProductFactor<Real>::numbers == 1)
    return {.left = x.in + row * x.width * x.channels + first,
            .left_row = 1,
            .left_step = x.stride * x.channels,
            .right = x.right + r * x.side * x.filters,
            .right_depth = 0,
            .first = 0,
            .right_row = x.filters,
            .out = out,
            .out_row = x.filters,
            .rows = last - first,
            .columns = x.filters,
            .depth = x.side};
  else
    return {.left = conv_factors(x.in) + (row * strip + first) * pairs,
            .left_row = pairs,
            .left_step = 1,
            .right = conv_factors(x.right) + r * pairs * x.filters,
            .right_depth = pairs,
            .first = 0,
            .right_row = 0,
            .out = out,
            .out_row = x.filters,
            .rows = last - first,
            .columns = x.filters,
            .depth = ((x.side + 1) / 2 + product_depth_step - 1) / product_depth_step * product_depth_step};
}
/// Computes the parts [begin, end) of the filters' gradient: each row of the outputs adds its points. A part is so many rows of one strip.
template <class Real>
static void conv_backward_weights(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t rows = conv_part_rows<Real>;
  const std::size_t strip = x.kernel * x.channels, parts = (strip + rows - 1) / rows;  // of a strip
  for (std::size_t r = 0; r < x.images * x.side; ++r)
    for (std::size_t k = begin / parts; k * parts < end; ++k) {
      const std::size_t first = begin > k * parts ? (begin - k * parts) * rows : 0,
                        last = end < (k + 1) * parts ? (end - k * parts) * rows : strip;
      if (r == 0) clear_numbers(x.out + (k * strip + first) * x.filters, (last - first) * x.filters);
      add_product(conv_weights_product(x, r, k, first, last));
    }
}

/// Copies the patches of the rows [begin, end) of one output.
template <class Real>
static void conv_columns(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t image_row = x.width * x.channels, strip = x.kernel * x.channels;
  for (std::size_t r = begin; r < end; ++r)
    for (std::size_t w = 0; w < x.side; ++w)
      for (std::size_t k = 0; k < x.kernel; ++k)
        copy_numbers(x.in + (r * x.stride + k) * image_row + w * x.stride * x.channels, x.out + ((r * x.side + w) * x.kernel + k) * strip,
                     strip);
}
/// Computes the rows [begin, end) of one output from its patches.
template <class Real>
static void conv_column_products(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t depth = x.kernel * x.kernel * x.channels, row = x.side * x.filters;
  for (std::size_t r = begin; r < end; ++r) {
    clear_numbers(x.out + r * row, row);
    add_product(MatrixProduct<Real>{x.in + r * x.side * depth, depth, 1, x.panels, depth, 0, 0, x.out + r * row, x.filters, x.side,
                                    x.filters, depth});
  }
}

/// Transforms the filters of the channels [begin, end).
template <class Real>
static void conv_transform_filters(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  const std::size_t apart = x.channels * x.filters, depth = 16 * x.channels;
  for (std::size_t c = begin; c < end; ++c)
    for (std::size_t j = 0, width = 0; j < x.filters; j += width) {
      width = panel_width<Real>(x.filters - j);
      const Real* from = x.right + c * x.filters + j;
      Real* to = x.panels + j * depth + c * width;
      if (width < lanes)
        conv_transform_filter<Real>(from, apart, to, x.channels * width, x.half);
      else
        for (std::size_t k = 0; k < width; k += lanes)
          conv_transform_filter<V>(from + k, apart, to + k, x.channels * width, broadcast<V>(x.half));
    }
}

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
      clear_numbers(x.out + first * x.filters, tiles * x.filters);
      add_product(MatrixProduct<Real>{x.in + first * x.channels, x.channels, 1, x.panels, 16 * x.channels, matrix * x.channels, 0,
                                      x.out + first * x.filters, x.filters, tiles, x.filters, x.channels});
    }
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
    case ConvLoop::transform_tiles:
      return conv_transform_tiles(x, begin, end);
    default:  // is none of those
      return;
  }
}
/// Sweeps the range [begin, end) of a loop that pairs numbers.
template <class Real>
static void conv_sweep_pairs(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  if (x.loop == ConvLoop::pair_image) conv_pair_image(x, begin, end);
  if (x.loop == ConvLoop::pair_gradient) conv_pair_gradient(x, begin, end);
}

}  // namespace

/// Sweeps the range [begin, end) of one loop; what the range counts, each loop says.
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
    case ConvLoop::backward_weights:
      return conv_backward_weights(x, begin, end);
    default:  // is for numbers, or for pairs of them
      if constexpr (ProductFactor<Real>::numbers == 1)
        conv_sweep_numbers(x, begin, end);
      else
        conv_sweep_pairs(x, begin, end);
  }
}
