// The numbers of a block's threads are added up: the upper half of the sums passes through shared memory to the lower half, again and
// again.
#pragma once
#include <cstdint>
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

}  // namespace plumbline::cuda
