// A convolution's products of patches by the filters, or a gradient's, may be cuDNN's.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "core/application.hpp"
#include "core/narrow.hpp"
#include "cuda/cublas_work.hpp"
#include "cuda/cudnn.cuh"
#include "cuda/halves.cuh"
#include "cuda/launches.cuh"
#include "proxies/networks/conv2d_products.cuh"

namespace plumbline {

template <class Real>
constexpr bool conv_has_cudnn = std::is_same_v<Real, float> || std::is_same_v<Real, Fp16> || std::is_same_v<Real, Bf16>;

/// Whether the library's results are brought into ours: from 16 bits, or where filters lie one after the other and ours side by side.
template <class Real>
bool conv_cudnn_brings(const ConvShape& s) {
  return conv_by_tensor_cores<Real> || s.direction == ConvDirection::backward_weights;
}

template <class Real>
CudnnShape cudnn_shape(const ConvShape& s) {
  const CudnnDirection direction = s.direction == ConvDirection::forward         ? CudnnDirection::forward
                                   : s.direction == ConvDirection::backward_data ? CudnnDirection::backward_data
                                                                                 : CudnnDirection::backward_weights;
  return {direction, precision_of<Real>(), s.images, s.width, s.channels, s.filters, s.kernel, s.stride, s.side()};
}

/// Throws std::invalid_argument where this is no convolution for the library.
template <class Real>
void refuse_by_cudnn(const ConvShape& s) {
  const std::string flavor(cudnn_flavor);
  if (s.variant != ConvVariant::implicit) refuse_convolution(flavor + " is a flavor of variant=implicit");
  constexpr std::uint64_t largest = 65504;
  if (std::is_same_v<Real, Fp16> && s.terms() > largest)
    refuse_convolution(flavor + " rounds its results to fp16, which has no number above 65504, and these may be as large as " +
                       std::to_string(s.terms()) + ": take bf16, or smaller images");
}

/// Gives the products the work of the library, which takes the filters one after the other. An operation that Winograd's or Fourier's
/// transformations would spare is not spared; tiles at the edge may be computed whole, of each image. A gradient by the images may be
/// multiplied as if it had no stride, with zeros between the points of the outputs. Throws std::invalid_argument where this is no
/// convolution for it.
template <class Real>
void take_cudnn(ApplicationWork& conv, const ConvShape& s) {
  refuse_by_cudnn<Real>(s);
  if (cudnn_absent().empty()) describe_to_cudnn(cudnn_shape<Real>(s));
  constexpr std::uint64_t real = sizeof(Real), weight = conv_by_tensor_cores<Real> ? 2 : 1;
  const std::string quantity = conv_by_tensor_cores<Real> ? "flops.tensor." + std::string(precision_of<Real>()) : "flops.fp32.fma";
  const LibraryProductTypes types{real, real, quantity, "flops.fp32"};
  const bool is_forward = s.direction == ConvDirection::forward, is_of_filters = s.direction == ConvDirection::backward_weights;
  const std::uint64_t rows = is_forward      ? s.filters
                             : is_of_filters ? s.depth()
                                             : s.channels,
                      columns = is_forward      ? s.points()
                                : is_of_filters ? s.filters
                                                : s.images * s.width * s.width,
                      depth = is_forward      ? s.depth()
                              : is_of_filters ? s.points()
                                              : s.kernel * s.kernel * s.filters,
                      images_in_depth = is_of_filters ? s.images : 1, images_in_columns = is_of_filters ? 1 : s.images;
  Work products = library_product_work(rows, columns, depth, types);
  for (auto& [name, amount] : library_product_work(rows, columns / images_in_columns, depth / images_in_depth, types).flops)
    products.flops[name] = s.images * amount;
  products.flops[quantity].lo = weight * s.products();
  products.paper = {{"paper.flops", 2 * s.products()}};
  const std::uint64_t image_bytes = s.images * s.used_rows() * s.used_rows() * s.channels * real,
                      gradient_bytes = s.points() * s.filters * real;
  Stream &a = products.streams[0], &b = products.streams[1];
  a.array = is_of_filters ? "image" : "panels";
  b.array = is_forward ? "image" : "gradient";
  if (is_of_filters) a.footprint_bytes = image_bytes;
  b.footprint_bytes = is_forward ? image_bytes : gradient_bytes;

  Phase& last = conv.phases.back();
  if (is_of_filters) {  // in place of parts and their sums
    conv.phases.front().work = std::move(products);
    last = {.name = "results"};
    conv.data_bytes -= conv_split<Real>(s).parts * s.weights() * sizeof(ConvSum<Real>);
  } else {
    last.work = std::move(products);
  }
  conv.data_bytes += cudnn_workspace_bytes;
  if (!conv_cudnn_brings<Real>(s)) return;
  conv.data_bytes += s.results() * real;
  Stream brought = loaded<Real>("the library's results", s.results());
  if (is_of_filters) brought.layers = {{.reuse_bytes = s.weights() * real, .fetched_bytes = s.weights() * 32, .upper_bound = true}};
  last.work.streams.push_back(std::move(brought));
  last.work.streams.push_back(stored<ConvSum<Real>>("results", s.results()));
  if constexpr (std::is_same_v<Real, Fp16>) last.work.flops["flops.fp16.add"] += Amount(0, s.results());
  if (!is_of_filters) last.work.note += "; results are rounded to 16 bits, and brought into 32 by a launch of ours";
}

/// A result of the library becomes one of ours: the filters' numbers lie column by column there, others as ours (with one column of one).
template <class Real>
struct ConvBrought {
  const Real* from;
  ConvSum<Real>* to;
  unsigned columns, depth;

  PLUMBLINE_BOTH static void element(const ConvBrought& x, std::size_t i) {
    const auto at = static_cast<unsigned>(i);
    x.to[i] = cuda::widened(x.from[std::size_t{at % x.columns} * x.depth + at / x.columns]);
  }
};

/// The library's convolution. It is prepared when it is first wanted, in the way that is fastest with these arrays.
template <class Real>
class ConvByCudnn {
 public:
  struct Arrays {
    const Real *images, *filters;  // one after the other
    const Real* outputs;
    ConvSum<Real>* results;
  };
  ConvByCudnn(const ConvShape& s, const Arrays& arrays, DeviceMemory& memory) : s_(s), arrays_(arrays), memory_(&memory) {}

  const ConvShape& shape() const { return s_; }

  void queue() {
    if (conv_cudnn_brings<Real>(s_) && !rounded_) rounded_.emplace(s_.results(), *memory_);
    if (!cuda::library_is_to_launch("cuDNN")) return;
    const bool is_forward = s_.direction == ConvDirection::forward;
    const void* const first = s_.direction == ConvDirection::backward_data ? arrays_.filters : arrays_.images;
    const CudnnConvolution::Arrays arrays{first, is_forward ? arrays_.filters : arrays_.outputs,
                                          rounded_ ? static_cast<void*>(rounded_->data()) : arrays_.results};
    if (!convolution_) convolution_.emplace(cudnn_shape<Real>(s_), *memory_).keep_fastest(arrays);
    convolution_->queue(arrays);
  }
  /// The launch that brings its results into ours; none where they are ours.
  std::optional<ConvBrought<Real>> brought() const {
    if (!rounded_) return {};
    const bool is_of_filters = s_.direction == ConvDirection::backward_weights;
    return ConvBrought<Real>{rounded_->data(), arrays_.results, is_of_filters ? conv_number(s_.filters) : 1,
                             is_of_filters ? conv_number(s_.depth()) : 1};
  }
  /// The relative error that a result has more than a sum, being rounded to Real.
  double rounding() const { return !rounded_ || !conv_by_tensor_cores<Real> ? 0 : std::is_same_v<Real, Bf16> ? 0x1p-8 : 0x1p-11; }

 private:
  ConvShape s_;
  Arrays arrays_;
  DeviceMemory* memory_;
  std::optional<DeviceArray<Real>> rounded_;
  std::optional<CudnnConvolution> convolution_;
};

}  // namespace plumbline
