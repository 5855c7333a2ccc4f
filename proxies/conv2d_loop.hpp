// This loop alone is a convolution as a matrix product. It is compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

template <class Real>
struct Conv2d {
  std::size_t width, channels, filters, kernel;  // image: width x width x channels; filters: kernel x kernel x channels x filters
  const Real *image, *weights;
  Real* columns;  // one row of kernel^2 channels for each output point
  Real* out;      // (width - kernel + 1)^2 x filters
};

/// Sweeps the rows [begin, end) of the output: each row's patches side by side (im2col), then the plain matrix product with the weights.
template <class Real>
static void sweep(const Conv2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t strip = x.kernel * x.channels, depth = x.kernel * strip, points = x.width - x.kernel + 1, filters = x.filters;
  const Real* __restrict weights = x.weights;
  for (std::size_t h = begin; h < end; ++h) {
    for (std::size_t w = 0; w < points; ++w)
      for (std::size_t k = 0; k < x.kernel; ++k) {
        const Real* __restrict from = x.image + ((h + k) * x.width + w) * x.channels;
        Real* __restrict to = x.columns + (h * points + w) * depth + k * strip;
        for (std::size_t i = 0; i < strip; ++i) to[i] = from[i];
      }
    for (std::size_t w = 0; w < points; ++w) {
      const Real* __restrict patch = x.columns + (h * points + w) * depth;
      Real* __restrict out = x.out + (h * points + w) * filters;
      for (std::size_t c = 0; c < filters; ++c) out[c] = Real(0);
      for (std::size_t q = 0; q < depth; ++q)
        for (std::size_t c = 0; c < filters; ++c) out[c] = out[c] + patch[q] * weights[q * filters + c];
    }
  }
}
