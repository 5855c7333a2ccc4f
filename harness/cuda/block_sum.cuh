// The numbers of a block's threads are added up: the upper half of the sums passes through shared memory to the lower half, again and
// again.
#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/kernel.hpp"
#include "core/work.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/runtime.cuh"

namespace plumbline::cuda {

template <class Real>
struct BlockSum {
  /// The sum of what each thread of a block brings, in its first thread. All threads of the block call it.
  static __device__ Real of_threads(Real sum) {
    __shared__ Real passed[block_threads / 2];
    const unsigned thread = threadIdx.x;
    for (unsigned half = block_threads / 2; half != 0; half /= 2) {
      if (half <= thread && thread < 2 * half) passed[thread - half] = sum;
      __syncthreads();
      if (thread < half) sum = plus(sum, passed[thread]);
      __syncthreads();
    }
    return sum;
  }
  /// Adds up on the host in the same order what brought(t) says that thread t brings.
  template <class Brought>
  static Real on_host(Brought brought) {
    std::vector<Real> sums(block_threads);
    for (unsigned thread = 0; thread < block_threads; ++thread) sums[thread] = brought(thread);
    for (unsigned half = block_threads / 2; half != 0; half /= 2)
      for (unsigned thread = 0; thread < half; ++thread) sums[thread] = plus(sums[thread], sums[thread + half]);
    return sums[0];
  }
  /// Adds the sums that pass in so many blocks, each an addition: threads that bring nothing pass on a 0.
  static void add_to(Work& work, std::uint64_t blocks) {
    const std::uint64_t passed = blocks * (block_threads - 1);
    work.flops[flops<Real>("add")] += passed;
    work.streams.push_back({.array = "passed", .loads = passed, .stores = passed, .element_bytes = sizeof(Real), .scratchpad = true});
  }
};

/// The sum of a block's threads, of a Body with `static __host__ __device__ Real brought(const Arguments&, std::size_t i, unsigned
/// thread)`, what a thread brings to sum i, and `void keep(const Arguments&, std::size_t i, Real sum)`: for launch_blocks(), and on the
/// host.
template <class Body>
struct SumOfBlock {
  template <class Arguments>
  static __device__ void block(const Arguments& x, std::size_t i) {
    const auto brought = Body::brought(x, i, threadIdx.x);
    const auto sum = BlockSum<std::remove_const_t<decltype(brought)>>::of_threads(brought);
    if (threadIdx.x == 0) Body::keep(x, i, sum);
  }
  template <class Arguments>
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) {
    using Real = decltype(Body::brought(x, begin, 0U));
    for (std::size_t i = begin; i < end; ++i)
      Body::keep(x, i, BlockSum<Real>::on_host([&](unsigned thread) { return Body::brought(x, i, thread); }));
  }
};

}  // namespace plumbline::cuda
