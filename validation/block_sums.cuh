// A partial sum by each block of threads: each thread adds up every 256th term; then the upper half of the sums passes through shared
// memory to the lower half, again and again.
#pragma once
#include <algorithm>
#include <vector>

#include "cuda/register.cuh"
#include "validation/sum_block.hpp"

namespace plumbline {

/// launch() and on_host() of a reduction, whose Body has `static __host__ __device__ Real add(const Loop& x, std::size_t i, Real sum)`: sum
/// and the term of element i.
template <class Body, class Loop, class Real>
struct BlockSums {
  static __device__ void block(const Loop& x, std::size_t block) {
    __shared__ Real passed[cuda::block_threads / 2];
    const unsigned thread = threadIdx.x;
    Real sum = of_thread(x, block, thread);
    for (unsigned half = cuda::block_threads / 2; half != 0; half /= 2) {
      if (half <= thread && thread < 2 * half) passed[thread - half] = sum;
      __syncthreads();
      if (thread < half) sum = cuda::plus(sum, passed[thread]);
      __syncthreads();
    }
    if (thread == 0) x.partial[block] = sum;
  }
  static void launch(const Loop& x, std::size_t begin, std::size_t end) { cuda::launch_blocks<Body>(x, begin, end); }
  static void on_host(const Loop& x, std::size_t begin, std::size_t end) {
    std::vector<Real> sums(cuda::block_threads);
    for (std::size_t block = begin; block < end; ++block) {
      for (unsigned thread = 0; thread < cuda::block_threads; ++thread) sums[thread] = of_thread(x, block, thread);
      for (unsigned half = cuda::block_threads / 2; half != 0; half /= 2)
        for (unsigned thread = 0; thread < half; ++thread) sums[thread] = cuda::plus(sums[thread], sums[thread + half]);
      x.partial[block] = sums[0];
    }
  }

  /// The sums that pass in so many blocks, each an addition: threads without a term of their own pass on a 0.
  static void add_passed_sums(Work& work, std::uint64_t blocks) {
    const std::uint64_t passed = blocks * (cuda::block_threads - 1);
    work.flops[flops<Real>("add")] += passed;
    work.streams.back().straddles = blocks;  // one sum alone is written by a block: a sector each
    work.streams.push_back({.array = "passed", .loads = passed, .stores = passed, .element_bytes = sizeof(Real), .scratchpad = true});
  }

 private:
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static Real of_thread(const Loop& x, std::size_t block, unsigned thread) {
    const std::size_t first = block * sum_block, last = x.n - first < sum_block ? x.n : first + sum_block;
    Real sum = 0;
    for (std::size_t i = first + thread; i < last; i += cuda::block_threads) sum = Body::add(x, i, sum);
    return sum;
  }
};

}  // namespace plumbline
