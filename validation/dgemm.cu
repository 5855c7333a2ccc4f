// The matrix product of dgemm.cpp on GPUs: each block of threads computes a tile of C, one element a thread, from tiles of A and B in
// shared memory. What lies beyond the matrix is neither loaded nor computed with.
#include "cuda/register.cuh"
#include "validation/dgemm.hpp"

namespace plumbline {
namespace {

constexpr unsigned tile_edge = 16;

/// Computes the rows [begin, end) of C.
template <class Real>
__global__ void __launch_bounds__(tile_edge* tile_edge) multiply_tiles(const Dgemm<Real> x, std::size_t begin, std::size_t end) {
  __shared__ Real a[tile_edge][tile_edge], b[tile_edge][tile_edge];
  const unsigned down = threadIdx.y, across = threadIdx.x;
  const std::size_t n = x.n, i = begin + std::size_t{blockIdx.y} * tile_edge + down, j = std::size_t{blockIdx.x} * tile_edge + across;
  Real sum = 0;
  for (std::size_t first = 0; first < n; first += tile_edge) {
    if (i < end && first + across < n) a[down][across] = x.a[i * n + first + across];
    if (first + down < n && j < n) b[down][across] = x.b[(first + down) * n + j];
    __syncthreads();
    const unsigned depth = n - first < tile_edge ? static_cast<unsigned>(n - first) : tile_edge;
    if (i < end && j < n) {
      if (depth == tile_edge) {
#pragma unroll
        for (unsigned k = 0; k < tile_edge; ++k) sum = cuda::fused(a[down][k], b[k][across], sum);
      } else {  // one by one: unrolled, the compiler would load whole vectors of a row for its last elements too
#pragma unroll 1
        for (unsigned k = 0; k < depth; ++k) sum = cuda::fused(a[down][k], b[k][across], sum);
      }
    }
    __syncthreads();
  }
  if (i < end && j < n) x.c[i * n + j] = sum;
}

template <class Real>
class DgemmCase final : public DgemmData<Real, DeviceArray> {
 public:
  using DgemmData<Real, DeviceArray>::DgemmData;

  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), tiles = (n + tile_edge - 1) / tile_edge, real = sizeof(Real), matrix = n * n * real;
    // Every tile of a row of tiles reads the same rows of A, every tile of a column the same columns of B; how many of them run at once,
    // and so share what a cache fetched, is the GPU's choice.
    const auto again = [&](std::uint64_t reuse) {
      return std::vector<Stream::Layer>{{.reuse_bytes = reuse, .fetched_bytes = tiles * matrix, .upper_bound = true}};
    };
    const std::uint64_t edges = 2 * tiles * tiles * n;  // rows of tiles begin within sectors where n is odd
    const auto operand = [&](const char* name, std::uint64_t reuse) {
      return Stream{.array = name,
                    .footprint_bytes = matrix,
                    .read = true,
                    .loads = n * n * tiles,
                    .element_bytes = real,
                    .layers = again(reuse),
                    .straddles = edges};
    };
    return {
        .flops = flops<Real>({"fma"}, n * n * n),
        .streams = {
            operand("a", 2 * tile_edge * n * real),
            operand("b", matrix + tile_edge * n * real),
            {.array = "c", .footprint_bytes = matrix, .written = true, .stores = n * n, .element_bytes = real, .straddles = 2 * tiles * n},
            // Each block stores both operands, and loads two elements for each FMA.
            {.array = "tiles", .loads = 2 * n * n * n, .stores = 2 * n * n * tiles, .element_bytes = real, .scratchpad = true}}};
  }
  static void launch(const Dgemm<Real>& x, std::size_t begin, std::size_t end) {
    const dim3 grid(cuda::blocks_for(x.n, tile_edge), cuda::blocks_for(end - begin, tile_edge));
    // Whole tiles alone tell what each thread does: all, but for the loop over a part of one.
    if (x.n % tile_edge == 0 && (end - begin) % tile_edge == 0) cuda::next_launch((end - begin) * x.n, {x.n / tile_edge, 0}, true);
    multiply_tiles<<<grid, dim3(tile_edge, tile_edge), 0, cuda::stream()>>>(x, begin, end);
  }
  static void on_host(const Dgemm<Real>& x, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < x.n; ++j) {
        Real sum = 0;
        for (std::size_t k = 0; k < x.n; ++k) sum = cuda::fused(x.a[i * x.n + k], x.b[k * x.n + j], sum);
        x.c[i * x.n + j] = sum;
      }
  }
};

const cuda::Register<DgemmCase> dgemm_registered{dgemm_facts("Matrix product C = A B by tiles in shared memory, one element a thread")};

}  // namespace
}  // namespace plumbline
