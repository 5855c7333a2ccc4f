// A convolution's products of patches by the filters, or a gradient's, may be cuDNN's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

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

/// The library's products of all images, of matrices of so many rows, columns and terms. An operation that Winograd's or Fourier's
/// transformations would spare is not spared; tiles at the edge may be computed whole, of each image. A gradient by the images may be
/// multiplied as if it had no stride, with zeros between the points of the outputs.
template <class Real>
Work cudnn_products(const ConvShape& s) {
  constexpr std::uint64_t real = sizeof(Real), operations = conv_by_tensor_cores<Real> ? 2 : 1;
  const std::string quantity = conv_by_tensor_cores<Real> ? "flops.tensor." + std::string(precision_of<Real>()) : "flops.fp32.fma";
  const LibraryProductTypes types{real, real, quantity, "flops.fp32"};
  const std::uint64_t image = s.side() * s.side(), image_bytes = s.images * s.used_rows() * s.used_rows() * s.channels * real,
                      gradient_bytes = s.points() * s.filters * real;
  const auto products = [&](std::uint64_t rows, std::uint64_t columns, std::uint64_t depth, bool images_are_terms) {
    Work all =
        library_product_work(rows, images_are_terms ? columns : s.images * columns, images_are_terms ? s.images * depth : depth, types);
    for (auto& [name, amount] : library_product_work(rows, columns, depth, types).flops) all.flops[name] = s.images * amount;
    all.flops[quantity].lo = operations * s.products();
    all.paper = {{"paper.flops", 2 * s.products()}};
    return all;
  };
  const auto name = [](Stream& operand, const char* array, std::uint64_t bytes) { operand.array = array, operand.footprint_bytes = bytes; };
  Work work = s.direction == ConvDirection::forward ? products(s.filters, image, s.depth(), false)
              : s.direction == ConvDirection::backward_data
                  ? products(s.channels, s.width * s.width, s.kernel * s.kernel * s.filters, false)
                  : products(s.depth(), s.filters, image, true);
  const bool is_of_filters = s.direction == ConvDirection::backward_weights, is_forward = s.direction == ConvDirection::forward;
  name(work.streams[0], is_of_filters ? "image" : "panels", is_of_filters ? image_bytes : s.weights() * real);
  name(work.streams[1], is_forward ? "image" : "gradient", is_forward ? image_bytes : gradient_bytes);
  return work;
}

/// The launch that brings the library's results into ours.
template <class Real>
Work cudnn_bringing(const ConvShape& s) {
  Stream from = loaded<Real>("the library's results", s.results());
  if (s.direction == ConvDirection::backward_weights)
    from.layers = {{.reuse_bytes = s.weights() * sizeof(Real), .fetched_bytes = s.weights() * 32, .upper_bound = true}};
  Work work{.streams = {std::move(from), stored<ConvSum<Real>>("results", s.results())}};
  if constexpr (std::is_same_v<Real, Fp16>) work.flops["flops.fp16.add"] = Amount(0, s.results());
  return work;
}

/// Gives a convolution's phases the work of the library, which takes the filters one after the other. Throws std::invalid_argument where
/// this is no convolution for it.
template <class Real>
void take_cudnn(ApplicationWork& conv, const ConvShape& s) {
  refuse_by_cudnn<Real>(s);
  if (cudnn_absent().empty()) describe_to_cudnn(cudnn_shape<Real>(s));
  conv.data_bytes += cudnn_workspace_bytes + (conv_cudnn_brings<Real>(s) ? s.results() * sizeof(Real) : 0);
  if (s.direction == ConvDirection::backward_weights) {  // results in place of parts' sums
    conv.data_bytes -= conv_split<Real>(s).parts * s.weights() * sizeof(ConvSum<Real>);
    conv.phases = {{"products", cudnn_products<Real>(s)}, {"results", cudnn_bringing<Real>(s)}};
    return;
  }
  Work& products = conv.phases.back().work = cudnn_products<Real>(s);
  if (!conv_cudnn_brings<Real>(s)) return;
  const Work bringing = cudnn_bringing<Real>(s);
  products.streams.insert(products.streams.end(), bringing.streams.begin(), bringing.streams.end());
  products.flops.insert(bringing.flops.begin(), bringing.flops.end());
  products.note += "; results are rounded to 16 bits, and brought into 32 by a launch of ours";
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
