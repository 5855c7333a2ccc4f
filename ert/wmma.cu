// Tensor cores are measured as the Empirical Roofline Toolkit's row has them: by CUDA's WMMA, fp16 with sums in fp32.
#include <mma.h>

#include "ert/tensor.cuh"

namespace plumbline {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int edge = 16, tiles = 2;  // of 16 x 16: four products of a warp that do not wait for one another
constexpr unsigned warps = 8;        // of a block: a unit each
constexpr TensorShape shape{edge * tiles, edge* tiles, edge};

__global__ void __launch_bounds__(32 * warps) multiply(const TensorProduct x, std::size_t first_block, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
  wmma::fragment<wmma::matrix_a, edge, edge, edge, __half, wmma::row_major> a[tiles], minus_a[tiles];
  wmma::fragment<wmma::matrix_b, edge, edge, edge, __half, wmma::col_major> b[tiles];
  wmma::fragment<wmma::accumulator, edge, edge, edge, float> d[tiles][tiles];
  for (int i = 0; i < tiles; ++i) {
    wmma::load_matrix_sync(a[i], reinterpret_cast<const __half*>(x.a) + i * edge * edge, edge);
    wmma::load_matrix_sync(minus_a[i], reinterpret_cast<const __half*>(x.minus_a) + i * edge * edge, edge);
    wmma::load_matrix_sync(b[i], reinterpret_cast<const __half*>(x.b) + i * edge * edge, edge);
    for (int j = 0; j < tiles; ++j) wmma::fill_fragment(d[i][j], 0.0F);
  }
  const auto multiply_all = [&](auto& left) {
#pragma unroll
    for (int i = 0; i < tiles; ++i)
#pragma unroll
      for (int j = 0; j < tiles; ++j) wmma::mma_sync(d[i][j], left[i], b[j], d[i][j]);
  };
#pragma unroll 1
  for (std::uint64_t n = x.iterations; n != 0; --n) {
    multiply_all(a);
    multiply_all(minus_a);
  }
  multiply_all(a);
  const std::size_t unit = (first_block + blockIdx.x) * warps + threadIdx.x / 32;
  float* const out = reinterpret_cast<float*>(x.d) + unit * shape.m * shape.n;
  for (int i = 0; i < tiles; ++i)
    for (int j = 0; j < tiles; ++j)
      wmma::store_matrix_sync(out + i * edge * static_cast<int>(shape.n) + j * edge, d[i][j], shape.n, wmma::mem_row_major);
}

void launch(const TensorProduct& x, std::size_t begin, std::size_t end) {
  cuda::next_launch((end - begin) * 32 * warps, {x.iterations});
  multiply<<<static_cast<unsigned>(end - begin), 32 * warps, 0, cuda::stream()>>>(x, begin, cuda::clock_span());
}

constexpr std::array types{TensorKernel{"fp16", shape, &launch}};

const RegisterTensor<types> wmma_registered("ert/wmma",
                                            "Tensor cores by WMMA 16 x 16 x 16, as ERT's row (Lo et al. 2014; Yang et al. 2020)", warps,
                                            264);

}  // namespace
}  // namespace plumbline
