// Threads load and store 16 bytes at the cache that they are to meet: nothing of it is left to the compiler, or taken out by it.
#pragma once
#include <cuda_runtime.h>

namespace plumbline::cuda {

constexpr std::size_t wide_bytes = 16;

/// Loads past L1: from L2 or beyond.
__device__ __forceinline__ uint4 load_l2(const uint4* from) {
  uint4 x;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(from) : "memory");
  return x;
}
/// Loads through L1, where the line is kept: as compiled code loads (ld.global.ca is another instruction, LDG.STRONG.SM).
__device__ __forceinline__ uint4 load_l1(const uint4* from) {
  uint4 x;
  asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(from));
  return x;
}
/// Loads from shared memory, volatile, or the assembler makes one load of several from one address.
__device__ __forceinline__ uint4 load_shared(unsigned address) {
  uint4 x;
  asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(address));
  return x;
}
__device__ __forceinline__ void store_l2(uint4* to, uint4 x) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
}

/// Adds up 32-bit words, without a FLOP: the sum proves that every one was read.
__device__ __forceinline__ void add_words(uint4& sum, uint4 x) { sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w; }
__device__ __forceinline__ unsigned words_of(uint4 sum) { return sum.x + sum.y + sum.z + sum.w; }

}  // namespace plumbline::cuda
