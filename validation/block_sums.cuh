// Each block of threads leaves a partial sum: each thread adds up every 256th term, and then the block its threads' sums.
#pragma once
#include "cuda/block_sum.cuh"
#include "cuda/register.cuh"
#include "validation/sum_block.hpp"

namespace plumbline {

/// launch() and on_host() of a reduction, whose Body has `static __host__ __device__ Real add(const Loop& x, std::size_t i, Real sum)`: sum
/// and the term of element i.
template <class Body, class Loop, class Real>
struct BlockSums {
  static __device__ void block(const Loop& x, std::size_t block) {
    const Real sum = cuda::BlockSum<Real>::of_threads(of_thread(x, block, threadIdx.x));
    if (threadIdx.x == 0) x.partial[block] = sum;
  }
  static void launch(const Loop& x, std::size_t begin, std::size_t end) { cuda::launch_blocks<Body>(x, begin, end); }
  static void on_host(const Loop& x, std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block)
      x.partial[block] = cuda::BlockSum<Real>::on_host([&](unsigned thread) { return of_thread(x, block, thread); });
  }

  static void add_passed_sums(Work& work, std::uint64_t blocks) {
    work.streams.back().straddles = blocks;  // one sum alone is written by a block: a sector each
    cuda::BlockSum<Real>::add_to(work, blocks);
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
