// The sizes of a convolution.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "proxies/networks/conv2d_pairs.hpp"

namespace plumbline {

enum class ConvDirection { forward, backward_data, backward_weights };
/// Converted is implicit with factors that are converted before they are multiplied.
enum class ConvVariant { implicit, im2col, winograd, converted };

[[noreturn]] inline void refuse_convolution(const std::string& why) { throw std::invalid_argument("proxies/conv2d: " + why); }

/// Sizes of a convolution without padding (Yang, Kurth, Williams 2019, equation 5): images x width^2 x channels, filters x kernel^2 x
/// channels.
struct ConvShape {
  ConvDirection direction;
  ConvVariant variant;
  std::uint64_t images, width, channels, filters, kernel, stride;
  std::uint64_t numbers;  // that are one factor: two of bf16

  /// Throws std::invalid_argument where the parameters are no convolution together.
  ConvShape(const Parameters& p, std::uint64_t numbers_of_a_factor)
      : images(p.integer("images")),
        width(p.integer("width")),
        channels(p.integer("channels")),
        filters(p.integer("filters")),
        kernel(p.integer("kernel")),
        stride(p.integer("stride")),
        numbers(numbers_of_a_factor) {
    const std::string &direction_word = p.word("direction"), &variant_word = p.word("variant");
    direction = direction_word == "forward"         ? ConvDirection::forward
                : direction_word == "backward_data" ? ConvDirection::backward_data
                                                    : ConvDirection::backward_weights;
    variant = variant_word == "implicit"   ? ConvVariant::implicit
              : variant_word == "im2col"   ? ConvVariant::im2col
              : variant_word == "winograd" ? ConvVariant::winograd
                                           : ConvVariant::converted;
    if (!is_implicit() && direction != ConvDirection::forward)
      refuse_convolution("variant = " + variant_word + " goes forward alone, and direction = " + direction_word +
                         " is by variant=implicit");
    if (variant == ConvVariant::winograd && (kernel != 3 || stride != 1))
      refuse_convolution("kernel = " + std::to_string(kernel) + " and stride = " + std::to_string(stride) +
                         " are not those of variant=winograd, which needs kernel=3 and stride=1");
    if (kernel > width)
      refuse_convolution("kernel = " + std::to_string(kernel) + " is wider than the image, width = " + std::to_string(width));
    if (stride > kernel)
      refuse_convolution("stride = " + std::to_string(stride) +
                         " would leave out points of the image between filters of kernel = " + std::to_string(kernel));
  }

  /// Whether patches are read where they lie.
  bool is_implicit() const { return variant == ConvVariant::implicit || variant == ConvVariant::converted; }
  std::uint64_t side() const { return (width - kernel) / stride + 1; }  // of the output
  std::uint64_t output_rows() const { return images * side(); }
  std::uint64_t points() const { return output_rows() * side(); }
  std::uint64_t strip() const { return kernel * channels; }  // a row of a filter
  std::uint64_t depth() const { return kernel * strip(); }
  std::uint64_t weights() const { return depth() * filters; }
  std::uint64_t products() const { return points() * weights(); }
  std::uint64_t image() const { return width * width * channels; }
  std::uint64_t output() const { return side() * side() * filters; }
  std::uint64_t tiles() const { return (side() + 1) / 2; }                    // of 2 x 2 outputs, in a row
  std::uint64_t used_rows() const { return (side() - 1) * stride + kernel; }  // of an image, on which outputs depend
  /// Whether points are paired before they are multiplied: the sums of a filter's gradient go over points, which lie apart.
  bool is_paired() const { return numbers == 2 && direction == ConvDirection::backward_weights; }
  std::uint64_t paired_side() const { return 2 * conv_pairs(side()); }
  /// The elements of the panels, of what stands between two loops, and of what follows from that.
  std::uint64_t panels() const {
    if (direction == ConvDirection::backward_weights) return is_paired() ? output_rows() * paired_side() * filters : 1;
    return variant == ConvVariant::winograd ? 16 * channels * filters : weights();
  }
  std::uint64_t between() const {
    if (is_paired()) return images * width * strip() * paired_side();
    if (is_implicit()) return 1;
    return variant == ConvVariant::im2col ? side() * side() * depth() : 16 * tiles() * tiles() * channels;
  }
  std::uint64_t tile_products() const { return variant == ConvVariant::winograd ? 16 * tiles() * tiles() * filters : 1; }
  std::uint64_t results() const {
    return direction == ConvDirection::forward         ? images * output()
           : direction == ConvDirection::backward_data ? images * image()
                                                       : weights();
  }
  /// The most products that one result is a sum of.
  std::uint64_t terms() const {
    return direction == ConvDirection::forward ? depth() : direction == ConvDirection::backward_data ? kernel * kernel * filters : points();
  }
};

/// The error of a result by F(2x2, 3x3). Winograd's terms have either sign: in magnitude they add up to 64 products of largest values a
/// channel, where 9 products of values that are half as large at least are wanted; each passes 6 roundings of its filter, 2 of the image, a
/// product, a sum a channel and 4 of the output.
template <class Real>
double conv_winograd_tolerance(std::uint64_t channels) {
  return 64.0 / (9.0 / 4) * rounding_bound<Real>(static_cast<double>(channels) + 13);
}

/// Throws std::invalid_argument where sums in that type, one term after the other, would have no digit that is sure.
template <class Sum>
void refuse_unsure_sums(const ConvShape& s) {
  if (static_cast<double>(s.terms()) * unit_roundoff<Sum> <= 0.5) return;
  refuse_convolution(std::string(s.direction == ConvDirection::forward         ? "kernel and channels"
                                 : s.direction == ConvDirection::backward_data ? "kernel and filters"
                                                                               : "images and width") +
                     " make sums of " + std::to_string(s.terms()) + " terms, of which no digit would be sure");
}

}  // namespace plumbline
