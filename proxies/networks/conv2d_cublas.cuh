// A convolution's products of an image's columns by the filters may be cuBLASLt's.
#pragma once
#include <optional>
#include <string>
#include <type_traits>

#include "core/application.hpp"
#include "core/narrow.hpp"
#include "cuda/cublas.cuh"
#include "cuda/cublas_work.hpp"
#include "cuda/launches.cuh"
#include "proxies/networks/conv2d_shape.hpp"

namespace plumbline {

template <class Real>
constexpr bool conv_has_cublas = std::is_same_v<Real, float> || std::is_same_v<Real, Fp16> || std::is_same_v<Real, Bf16>;

/// Gives the products the work of the library, which takes filters as they are: so none are laid side by side. Throws std::invalid_argument
/// where there are no columns.
template <class Real>
void take_cublas(ApplicationWork& conv, const ConvShape& s) {
  if (s.variant != ConvVariant::im2col) refuse_convolution(std::string(cublas_flavor) + " is a flavor of variant=im2col");
  const bool is_fp32 = std::is_same_v<Real, float>;
  const std::string quantity = is_fp32 ? flops<float>("fma") : "flops.tensor." + std::string(precision_of<Real>());
  conv.phases.front().work = {};
  conv.phases.back().work =
      library_product_work(s.filters, s.side() * s.side(), s.depth(), {sizeof(Real), sizeof(float), quantity, "flops.fp32"});
  conv.data_bytes += cublas_workspace_bytes;
  conv.data_bytes -= s.panels() * sizeof(Real);
}

/// The library's product of each image. It is prepared when the first is wanted, in the way that is fastest with it.
template <class Real>
class ConvByCublas {
 public:
  ConvByCublas(const ConvShape& s, const Real* filters, DeviceMemory& memory)
      : shape_{s.filters, s.side() * s.side(), s.depth(), false}, filters_(filters), memory_(&memory) {}

  /// Queues the product of the columns by the filters: as they lie by rows here they lie by columns there, turned.
  template <class Sum>
  void queue(const Real* columns, Sum* out) {
    if (!cuda::library_is_to_launch("cuBLAS")) return;
    const CublasProduct::Matrices matrices{filters_, columns, out};
    if (!product_) product_.emplace(precision_of<Real>(), shape_, *memory_).keep_fastest(matrices);
    product_->queue(matrices);
  }

 private:
  CublasShape shape_;
  const Real* filters_;
  DeviceMemory* memory_;
  std::optional<CublasProduct> product_;
};

}  // namespace plumbline
