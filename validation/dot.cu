// The dot product of dot.cpp on GPUs has a block of threads for each partial sum. Each thread adds up every 256th product by FMAs; then the
// upper half of the sums passes through shared memory to the lower half, again and again.
#include "core/array.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"
#include "validation/dot_data.hpp"

namespace plumbline {
namespace {

using cuda::block_threads, cuda::fused, cuda::plus;

#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real products(const Dot<Real>& x, std::size_t block, unsigned thread) {
  const std::size_t first = block * dot_block, last = x.n - first < dot_block ? x.n : first + dot_block;
  Real sum = 0;
  for (std::size_t i = first + thread; i < last; i += block_threads) sum = fused(x.a[i], x.b[i], sum);
  return sum;
}

template <class Real>
struct DotBody {
  static __device__ void block(const Dot<Real>& x, std::size_t block) {
    __shared__ Real passed[block_threads / 2];
    const unsigned thread = threadIdx.x;
    Real sum = products(x, block, thread);
    for (unsigned half = block_threads / 2; half != 0; half /= 2) {
      if (half <= thread && thread < 2 * half) passed[thread - half] = sum;
      __syncthreads();
      if (thread < half) sum = plus(sum, passed[thread]);
      __syncthreads();
    }
    if (thread == 0) x.partial[block] = sum;
  }
};

template <class Real>
class DotCase final : public DotData<Real, DeviceArray> {
 public:
  using DotData<Real, DeviceArray>::DotData;
  using Arguments = Dot<Real>;

  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), blocks = DotCase::blocks_of(n), passed = blocks * (block_threads - 1);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = DotCase::traffic(p, {});
    work.flops = {{flops + ".fma", n}, {flops + ".add", passed}};  // threads without a product of their own pass on a 0
    work.streams.back().straddles = blocks;                        // one sum alone is written by a block: a sector each
    work.streams.push_back({.array = "passed", .loads = passed, .stores = passed, .element_bytes = sizeof(Real), .scratchpad = true});
    return work;
  }
  static void launch(const Arguments& x, std::size_t begin, std::size_t end) { cuda::launch_blocks<DotBody<Real>>(x, begin, end); }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) {
    std::vector<Real> sums(block_threads);
    for (std::size_t block = begin; block < end; ++block) {
      for (unsigned thread = 0; thread < block_threads; ++thread) sums[thread] = products(x, block, thread);
      for (unsigned half = block_threads / 2; half != 0; half /= 2)
        for (unsigned thread = 0; thread < half; ++thread) sums[thread] = plus(sums[thread], sums[thread + half]);
      x.partial[block] = sums[0];
    }
  }
};

const cuda::Register<DotCase> registered{"validation/dot", "Dot product a . b with a partial sum for each 1024 elements", dot_parameters()};

}  // namespace
}  // namespace plumbline
