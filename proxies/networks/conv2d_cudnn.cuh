// A convolution's products of patches by the filters may be cuDNN's.
#pragma once
#include <optional>
#include <string>
#include <type_traits>

#include "core/application.hpp"
#include "cuda/cublas_work.hpp"
#include "cuda/cudnn.cuh"
#include "cuda/launches.cuh"
#include "proxies/networks/conv2d_shape.hpp"

namespace plumbline {

template <class Real>
constexpr bool conv_has_cudnn = std::is_same_v<Real, float>;

inline CudnnShape cudnn_shape(const ConvShape& s) { return {s.images, s.width, s.channels, s.filters, s.kernel, s.stride, s.side()}; }

/// Gives the products the work of the library, which takes the filters side by side as ours do. An operation that Winograd's or Fourier's
/// transformations would spare is not spared; tiles at the edge may be computed whole, of each image. Throws std::invalid_argument where
/// this is no convolution for it.
inline void take_cudnn(ApplicationWork& conv, const ConvShape& s) {
  if (s.variant != ConvVariant::implicit || s.direction != ConvDirection::forward)
    refuse_convolution(std::string(cudnn_flavor) + " is a flavor of direction=forward with variant=implicit");
  if (cudnn_absent().empty()) describe_to_cudnn(cudnn_shape(s));
  constexpr std::uint64_t real = sizeof(float);
  const LibraryProductTypes types{real, real, "flops.fp32.fma", "flops.fp32"};
  Work products = library_product_work(s.filters, s.points(), s.depth(), types);
  for (auto& [quantity, amount] : library_product_work(s.filters, s.side() * s.side(), s.depth(), types).flops)
    products.flops[quantity] = s.images * amount;
  products.streams[0].array = "panels";
  products.streams[1].array = "image";
  products.streams[1].footprint_bytes = s.images * s.used_rows() * s.used_rows() * s.channels * real;
  conv.phases.back().work = std::move(products);
  conv.data_bytes += cudnn_workspace_bytes;
}

/// The library's convolution. It is prepared when it is first wanted, in the way that is faster with these arrays.
class ConvByCudnn {
 public:
  ConvByCudnn(const ConvShape& s, DeviceMemory& memory) : shape_(cudnn_shape(s)), memory_(&memory) {}

  void queue(const CudnnConvolution::Arrays& arrays) {
    if (!cuda::library_is_to_launch("cuDNN")) return;
    if (!convolution_) convolution_.emplace(shape_, *memory_).keep_fastest(arrays);
    convolution_->queue(arrays);
  }

 private:
  CudnnShape shape_;
  DeviceMemory* memory_;
  std::optional<CudnnConvolution> convolution_;
};

}  // namespace plumbline
