// A convolution by libraries of others, as flavors of its own: what of the schedule they do, and their work.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/application.hpp"
#include "libraries/onednn.hpp"
#include "libraries/openblas.hpp"
#include "proxies/networks/conv2d_loop.hpp"
#include "proxies/networks/conv2d_work.hpp"

namespace plumbline {

inline constexpr std::string_view onednn_flavor = "lib-onednn";

/// Takes the phase of packing out of the work: libraries take filters as they are.
inline void leave_out_packing(ApplicationWork& conv, const ConvShape& s, std::uint64_t element_bytes) {
  conv.phases.front().work = {};
  conv.data_bytes -= s.panels() * element_bytes;
}

/// Gives phases the work of OpenBLAS, which multiplies patches by filters as they are. Throws std::invalid_argument where there are no
/// patches.
inline void take_openblas(ApplicationWork& conv, const ConvShape& s, std::uint64_t element_bytes) {
  if (s.variant != ConvVariant::im2col) refuse_convolution("lib-openblas is a flavor of variant=im2col");
  leave_out_packing(conv, s, element_bytes);
  conv.phases.back().work = openblas_work(s.side() * s.side(), s.filters, s.depth(), element_bytes, s.side());
}

/// Patches come by the loop that is compiled here, products by OpenBLAS.
template <class Real>
void sweep_openblas(const void* arguments, std::size_t begin, std::size_t end) {
  const auto& x = *static_cast<const Conv2d<Real>*>(arguments);
  const std::size_t depth = x.kernel * x.kernel * x.channels;
  if (x.loop == ConvLoop::columns) sweep(x, begin, end);
  if (x.loop == ConvLoop::column_products)
    openblas_product((end - begin) * x.side, x.filters, depth, x.in + begin * x.side * depth, x.right, x.out + begin * x.side * x.filters);
}

/// Gives phases the work of oneDNN: the products, in which it also arranges the filters as it wants them. It pads channels and filters to
/// 8, and clears or adds up what it computes; how often it goes through its operands is not known, so all that is said is the most: each
/// product loads both its factors and its sum, and stores that. Throws std::invalid_argument where it is not for this variant.
inline void take_onednn(ApplicationWork& conv, const ConvShape& s) {
  if (s.variant != ConvVariant::implicit) refuse_convolution("lib-onednn is a flavor of variant=implicit");
  const auto padded = [](std::uint64_t n) { return (n + 7) / 8 * 8; };
  const std::uint64_t real = sizeof(float), channels = padded(s.channels), filters = padded(s.filters), own = 64 << 10,
                      images = s.images * s.width * s.width * channels, outputs = s.points() * filters,
                      weights = s.kernel * s.kernel * channels * filters, products = s.points() * weights,
                      everything = (images + outputs + weights) * real, passes = s.kernel * s.kernel * (channels + filters) / 8;
  Work work;
  work.flops = {{"flops.fp32.add", Amount(2 * s.products(), 2 * products + images + outputs + 4 * weights)},
                {"flops.fp64.add", Amount(0, 64 * s.output_rows())}};  // where it divides its work
  work.note =
      "oneDNN, kernels for AVX2: channels and filters padded to 8, at most one addition more for each number of the images and outputs";
  const auto stream = [&](const char* array, std::uint64_t elements, bool written) {
    return Stream{.array = array,
                  .footprint_bytes = elements * real,
                  .read = !written,
                  .written = written,
                  .loads = products,
                  .stores = written ? products : 0,
                  .element_bytes = real,
                  .layers = {{.reuse_bytes = everything / 2, .fetched_bytes = passes * everything, .upper_bound = true}},
                  .at_most = true};
  };
  work.streams = {stream("image", s.images * s.image(), s.direction == ConvDirection::backward_data),
                  stream("filters", s.weights(), s.direction == ConvDirection::backward_weights),
                  stream("output", s.images * s.output(), s.direction == ConvDirection::forward)};
  work.streams.push_back({.array = "arranged",
                          .written = true,
                          .layers = {{.reuse_bytes = everything / 2, .fetched_bytes = 2 * everything, .upper_bound = true}}});
  work.streams.push_back({.array = "arranged, read",
                          .read = true,
                          .layers = {{.reuse_bytes = everything / 2, .fetched_bytes = 2 * everything, .upper_bound = true}}});
  work.streams.push_back({.array = "the library's own",
                          .read = true,
                          .written = true,
                          .layers = {{.reuse_bytes = own, .fetched_bytes = own, .upper_bound = true}}});
  if (conv.phases.size() > 1) leave_out_packing(conv, s, real);
  conv.phases.back().work = work;
}

/// Computes the rows [begin, end) of the outputs: whole images by one call, and what a team has cut off from one as a lower image.
inline void onednn_forward(const Conv2d<float>& x, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end;) {
    const std::size_t image = row / x.side, h = row % x.side, images = h == 0 ? (end - row) / x.side : 0,
                      rows = images != 0 ? x.side : std::min(end - row, x.side - h);
    const ConvolutionShape shape{std::max<std::size_t>(images, 1),
                                 images != 0 ? x.width : (rows - 1) * x.stride + x.kernel,
                                 x.width,
                                 x.channels,
                                 x.filters,
                                 x.kernel,
                                 x.stride};
    onednn().forward(shape, x.in + (image * x.width + h * x.stride) * x.width * x.channels, x.right, x.out + row * x.side * x.filters);
    row += std::max<std::size_t>(images, 1) * rows;
  }
}

/// The gradient of an image is that thread's that has its first row, and the filters' that of the first thread.
inline void sweep_onednn(const void* arguments, std::size_t begin, std::size_t end) {
  const auto& x = *static_cast<const Conv2d<float>*>(arguments);
  const auto shape_of = [&](std::size_t images) {
    return ConvolutionShape{images, x.width, x.width, x.channels, x.filters, x.kernel, x.stride};
  };
  if (x.loop == ConvLoop::forward) onednn_forward(x, begin, end);
  if (x.loop == ConvLoop::backward_data) {
    const std::size_t first = (begin + x.width - 1) / x.width, images = (end + x.width - 1) / x.width - first;
    if (begin < end && images != 0)
      onednn().backward_data(shape_of(images), x.in + first * x.side * x.side * x.filters, x.right,
                             x.out + first * x.width * x.width * x.channels);
  }
  if (x.loop == ConvLoop::backward_weights && begin == 0 && end != 0) onednn().backward_weights(shape_of(x.images), x.in, x.right, x.out);
}

}  // namespace plumbline
