// A convolution's results are checked against equation 5 of Yang, Kurth, Williams 2019 itself, one by one, in long double.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/array.hpp"
#include "core/rounding.hpp"
#include "proxies/networks/conv2d_shape.hpp"

namespace plumbline {

/// The results of a convolution of arrays that hold varied numbers, rounded to Real: images of stream 1, filters of stream 2, the outputs'
/// gradient of stream 3.
template <class Real>
class ConvReference {
 public:
  static constexpr std::uint64_t images = 1, filters = 2, outputs = 3;

  explicit ConvReference(const ConvShape& shape) : s_(shape) {}

  /// The largest error of as many results as 2^24 products allow, among them the last of as many rows. `results` is indexed as the array.
  template <class Results>
  double error(const Results& results) const {
    LargestError largest;
    const std::uint64_t row = s_.direction == ConvDirection::backward_weights ? s_.filters
                              : s_.direction == ConvDirection::backward_data  ? s_.width * s_.channels
                                                                              : s_.side() * s_.filters;
    const auto step = [&](std::uint64_t count) { return std::max<std::uint64_t>(1, count * s_.terms() >> 24); };
    for (std::uint64_t i = 0; i < results.size(); i += step(results.size())) largest.compare(results[i], exact(i));
    for (std::uint64_t i = results.size(); i >= row; i -= std::min<std::uint64_t>(i, row * step(results.size() / row)))
      largest.compare(results[i - 1], exact(i - 1));
    return largest.value();
  }

 private:
  static long double value(std::uint64_t stream, std::uint64_t i) {
    return static_cast<long double>(static_cast<double>(Real(varied(stream, i))));
  }
  /// Element i of the results from equation 5 itself, or of what it gives when it is derived by the image or by the filters.
  long double exact(std::uint64_t i) const {
    switch (s_.direction) {
      case ConvDirection::forward:
        return exact_output(i);
      case ConvDirection::backward_data:
        return exact_image(i);
      default:
        return exact_filter(i);
    }
  }
  std::uint64_t point(std::uint64_t n, std::uint64_t y, std::uint64_t x) const { return ((n * s_.width + y) * s_.width + x) * s_.channels; }
  std::uint64_t output_point(std::uint64_t n, std::uint64_t h, std::uint64_t w) const {
    return ((n * s_.side() + h) * s_.side() + w) * s_.filters;
  }
  long double exact_output(std::uint64_t i) const {
    const std::uint64_t k = i % s_.filters, w = i / s_.filters % s_.side(), h = i / s_.filters / s_.side() % s_.side(), n = i / s_.output();
    long double sum = 0;
    for (std::uint64_t d = 0; d < s_.depth(); ++d) {
      const std::uint64_t y = h * s_.stride + d / s_.strip(), x = w * s_.stride + d / s_.channels % s_.kernel;
      sum += value(images, point(n, y, x) + d % s_.channels) * value(filters, d * s_.filters + k);
    }
    return sum;
  }
  long double exact_image(std::uint64_t i) const {
    const std::uint64_t c = i % s_.channels, x = i / s_.channels % s_.width, y = i / s_.channels / s_.width % s_.width, n = i / s_.image();
    long double sum = 0;
    for (std::uint64_t tap = 0; tap < s_.kernel * s_.kernel; ++tap) {
      const std::uint64_t ky = tap / s_.kernel, kx = tap % s_.kernel;
      if (ky > y || kx > x || (y - ky) % s_.stride != 0 || (x - kx) % s_.stride != 0) continue;
      const std::uint64_t h = (y - ky) / s_.stride, w = (x - kx) / s_.stride;
      if (h >= s_.side() || w >= s_.side()) continue;
      for (std::uint64_t k = 0; k < s_.filters; ++k)
        sum += value(outputs, output_point(n, h, w) + k) * value(filters, (tap * s_.channels + c) * s_.filters + k);
    }
    return sum;
  }
  long double exact_filter(std::uint64_t i) const {
    const std::uint64_t k = i % s_.filters, d = i / s_.filters, c = d % s_.channels, kx = d / s_.channels % s_.kernel, ky = d / s_.strip();
    long double sum = 0;
    for (std::uint64_t n = 0; n < s_.images; ++n)
      for (std::uint64_t h = 0; h < s_.side(); ++h)
        for (std::uint64_t w = 0; w < s_.side(); ++w)
          sum += value(images, point(n, h * s_.stride + ky, w * s_.stride + kx) + c) * value(outputs, output_point(n, h, w) + k);
    return sum;
  }

  ConvShape s_;
};

}  // namespace plumbline
