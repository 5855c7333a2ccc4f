// A GPU computes a convolution as products of matrices of which none is stored whole: here stands where their elements lie.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cuda/arithmetic.cuh"
#include "proxies/networks/conv2d_shape.hpp"

namespace plumbline {

/// A block of threads computes a square tile of a product's sums, step by step along the depth: 16 numbers, or 32 of 16 bits, which tensor
/// cores multiply. The numbers lie in memory as Real and are multiplied as Factor, which is another type where they are converted.
constexpr unsigned conv_tile = 64, conv_threads = 128;
template <class Factor>
constexpr bool conv_by_tensor_cores = sizeof(Factor) == 2;
template <class Factor>
constexpr unsigned conv_depth_step = conv_by_tensor_cores<Factor> ? 32 : 16;
/// The type of sums, and of results.
template <class Factor>
using ConvSum = std::conditional_t<conv_by_tensor_cores<Factor>, float, Factor>;

constexpr unsigned conv_parts(std::uint64_t whole, std::uint64_t part) { return static_cast<unsigned>((whole + part - 1) / part); }

/// Quotients of numbers below 2^31 by a divisor that does not change: a product and a shift (Granlund, Montgomery 1994, figure 4.1).
class ConvDivisor {
 public:
  explicit ConvDivisor(std::uint64_t divisor) : divisor_(static_cast<unsigned>(divisor)) {
    while (std::uint64_t{1} << shift_ < divisor) ++shift_;
    multiplier_ = static_cast<unsigned>((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift_) - divisor) / divisor + 1);
  }
  PLUMBLINE_BOTH unsigned quotient(unsigned n) const { return (static_cast<unsigned>(std::uint64_t{n} * multiplier_ >> 32) + n) >> shift_; }
  PLUMBLINE_BOTH unsigned rest(unsigned n) const { return n - quotient(n) * divisor_; }

 private:
  unsigned divisor_, multiplier_, shift_ = 0;
};

struct ConvPoint {
  unsigned image, row, column;
};
/// The points of images, of which each has so many rows and columns.
class ConvGrid {
 public:
  ConvGrid(std::uint64_t images, std::uint64_t rows, std::uint64_t columns)
      : size_(static_cast<unsigned>(images * rows * columns)), image_(rows * columns), columns_(columns) {}
  PLUMBLINE_BOTH unsigned size() const { return size_; }
  PLUMBLINE_BOTH ConvPoint point(unsigned i) const {
    const unsigned in_image = image_.rest(i);
    return {image_.quotient(i), columns_.quotient(in_image), columns_.rest(in_image)};
  }

 private:
  unsigned size_;
  ConvDivisor image_, columns_;
};

/// A row of a matrix that lies in lines of an image: a tap's numbers follow one another in a line, the next tap's in the line below. Of
/// what lies beyond the lines, or a line's ends, the numbers are zero.
struct ConvRow {
  std::size_t image;     // where its image begins
  int at, line, number;  // element 0 of tap 0: where in the image it is, or would be; its line, and which number of it
};
struct ConvLines {
  unsigned lines, numbers, strip;  // of an image; of a line; of a tap
  PLUMBLINE_BOTH bool has(const ConvRow& row, unsigned tap, unsigned e) const {
    return e < strip && static_cast<unsigned>(row.line) + tap < lines && static_cast<unsigned>(row.number) + e < numbers;
  }
  /// The place of an element in its image.
  PLUMBLINE_BOTH int at(const ConvRow& row, unsigned tap, unsigned e) const { return row.at + static_cast<int>(tap * numbers + e); }
  PLUMBLINE_BOTH ConvRow row(std::size_t image, int line, int number) const {
    return {image, line * static_cast<int>(numbers) + number, line, number};
  }
  /// A row that has nothing.
  PLUMBLINE_BOTH ConvRow none() const { return {0, 0, static_cast<int>(lines), 0}; }
};

/// The places of a convolution's elements where each result gathers what it needs: those of a forward one, and of those points of an
/// image's gradient that are alike. Stride by stride, points meet the same points of the filters, which stand in turn for a convolution of
/// the outputs' gradient without a stride.
struct ConvGather {
  ConvGrid points;                                        // of the results
  unsigned outer, inner;                                  // numbers of a point of the results, of one gathered from
  ConvLines patches;                                      // of what is gathered from
  unsigned step;                                          // its points from one result to the next
  int first_row, first_column;                            // its point where the first result's patch begins
  unsigned taps;                                          // lines of a patch
  std::size_t out_first, out_column, out_row, out_image;  // where results lie
  int tap_row, tap_column, tap_step;                      // which point of the filters a patch begins with, and the way to the next
  unsigned kernel, inner_apart, outer_apart;              // where the filters' numbers lie
  std::size_t panel;                                      // and where they are laid side by side, column by column

  PLUMBLINE_BOTH unsigned depth() const { return taps * patches.strip; }
  PLUMBLINE_BOTH ConvLines filter() const { return {taps, patches.strip, patches.strip}; }
  template <class Factor>
  PLUMBLINE_BOTH unsigned steps() const {
    return taps * ((patches.strip + conv_depth_step<Factor> - 1) / conv_depth_step<Factor>);
  }
  unsigned row_tiles() const { return conv_parts(points.size(), conv_tile); }
  unsigned column_tiles() const { return conv_parts(outer, conv_tile); }
  /// Whether all of every tile is stored.
  bool is_whole() const { return points.size() % conv_tile == 0 && outer % conv_tile == 0; }
  std::uint64_t panel_size() const { return std::uint64_t{outer} * depth(); }

  /// The patch of result i, and column n of the filters, each of which is a row of its matrix.
  PLUMBLINE_BOTH ConvRow patch(unsigned i) const {
    if (i >= points.size()) return patches.none();
    const ConvPoint p = points.point(i);
    return patches.row(std::size_t{p.image} * patches.lines * patches.numbers, static_cast<int>(p.row * step) + first_row,
                       (static_cast<int>(p.column * step) + first_column) * static_cast<int>(inner));
  }
  PLUMBLINE_BOTH ConvRow column(unsigned n) const { return n < outer ? ConvRow{0, static_cast<int>(n * depth()), 0, 0} : filter().none(); }
  PLUMBLINE_BOTH std::size_t out(unsigned i) const {
    const ConvPoint p = points.point(i);
    return out_first + p.image * out_image + p.row * out_row + p.column * out_column;
  }
  /// The filters' element that is number e of a tap of column n.
  PLUMBLINE_BOTH std::size_t filter_at(unsigned n, unsigned tap, unsigned e) const {
    const int row = tap_row + tap_step * static_cast<int>(tap), column = tap_column + tap_step * static_cast<int>(e / inner);
    const auto point = static_cast<std::size_t>(row) * kernel + static_cast<std::size_t>(column);
    return point * inner * outer + std::size_t{e % inner} * inner_apart + std::size_t{n} * outer_apart;
  }
};

constexpr unsigned conv_number(std::uint64_t number) { return static_cast<unsigned>(number); }

/// Results, so many in a row and a column of an image, that gather patches of so many lines from images of so many, a forward
/// convolution's. What they come to lies image by image.
inline ConvGather conv_forward_gather(const ConvShape& s, std::uint64_t images, std::uint64_t side, std::uint64_t lines,
                                      std::uint64_t inner, std::uint64_t step, std::uint64_t taps) {
  return {.points = ConvGrid(images, side, side),
          .outer = conv_number(s.filters),
          .inner = conv_number(inner),
          .patches = {conv_number(lines), conv_number(lines * inner), conv_number(taps * inner)},
          .step = conv_number(step),
          .first_row = 0,
          .first_column = 0,
          .taps = conv_number(taps),
          .out_first = 0,
          .out_column = s.filters,
          .out_row = side * s.filters,
          .out_image = side * side * s.filters,
          .tap_row = 0,
          .tap_column = 0,
          .tap_step = 1,
          .kernel = conv_number(taps),
          .inner_apart = conv_number(s.filters),
          .outer_apart = 1,
          .panel = 0};
}
/// The patches of so many images where they lie, and those of one that lie side by side (im2col), with a filter of one point.
inline ConvGather conv_image_gather(const ConvShape& s, std::uint64_t images = 1) {
  return conv_forward_gather(s, images, s.side(), s.width, s.channels, s.stride, s.kernel);
}
inline ConvGather conv_column_gather(const ConvShape& s) { return conv_forward_gather(s, 1, s.side(), s.side(), s.depth(), 1, 1); }
/// Each of Winograd's 16 matrices is gathered so, with a row for each of an image's tiles.
inline ConvGather conv_tile_gather(const ConvShape& s) { return conv_forward_gather(s, 1, s.tiles(), s.tiles(), s.channels, 1, 1); }

/// The gathers of an image's gradient, one for each of the stride^2 places that a point may have between two patches: there it meets those
/// points of a filter that lie a stride apart, the last of them first.
inline std::vector<ConvGather> conv_backward_data_gathers(const ConvShape& s) {
  std::vector<ConvGather> gathers;
  std::size_t panel = 0;
  const auto stride = static_cast<int>(s.stride);
  for (std::uint64_t row = 0; row < s.stride; ++row)
    for (std::uint64_t column = 0; column < s.stride; ++column) {
      const unsigned down = conv_parts(s.kernel - row, s.stride), across = conv_parts(s.kernel - column, s.stride);
      const auto before = [](unsigned taps) { return 1 - static_cast<int>(taps); };
      gathers.push_back({.points = ConvGrid(s.images, conv_parts(s.width - row, s.stride), conv_parts(s.width - column, s.stride)),
                         .outer = conv_number(s.channels),
                         .inner = conv_number(s.filters),
                         .patches = {conv_number(s.side()), conv_number(s.side() * s.filters), conv_number(across * s.filters)},
                         .step = 1,
                         .first_row = before(down),
                         .first_column = before(across),
                         .taps = down,
                         .out_first = (row * s.width + column) * s.channels,
                         .out_column = s.stride * s.channels,
                         .out_row = s.stride * s.width * s.channels,
                         .out_image = s.image(),
                         .tap_row = static_cast<int>(row) - stride * before(down),
                         .tap_column = static_cast<int>(column) - stride * before(across),
                         .tap_step = -stride,
                         .kernel = conv_number(s.kernel),
                         .inner_apart = 1,
                         .outer_apart = conv_number(s.filters),
                         .panel = panel});
      panel += gathers.back().panel_size();
    }
  return gathers;
}

inline std::vector<ConvGather> conv_gathers(const ConvShape& s) {
  if (s.direction == ConvDirection::backward_weights) return {};
  if (s.direction == ConvDirection::backward_data) return conv_backward_data_gathers(s);
  return {s.variant == ConvVariant::im2col ? conv_column_gather(s) : conv_image_gather(s, s.images)};
}

/// The filters' gradient sums over the points of all outputs. So that more than a few blocks have work, the points are split into equal
/// parts, whose sums are added up last: as many as make some thousand blocks, of some 128 points at least.
struct ConvSplit {
  unsigned parts, points;  // of a part
};
template <class Factor>
ConvSplit conv_split(const ConvShape& s) {
  const std::uint64_t tiles = std::uint64_t{conv_parts(s.depth(), conv_tile)} * conv_parts(s.filters, conv_tile),
                      wanted = std::max<std::uint64_t>(1, 1024 / tiles),
                      parts = std::min<std::uint64_t>(wanted, conv_parts(s.points(), 256));
  const unsigned points = conv_parts(conv_parts(s.points(), parts), conv_depth_step<Factor>) * conv_depth_step<Factor>;
  return {conv_parts(s.points(), points), points};
}

}  // namespace plumbline
