// Tensor cores multiply 16-bit numbers by mma.sync: a warp's d += a b, of 16 x 16 by 16 x 8 numbers.
#pragma once

namespace plumbline::cuda {

#define PLUMBLINE_MMA(shape, types, d, a, b)                                                                        \
  asm volatile("mma.sync.aligned." shape ".row.col." types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/// The words of a and b that a lane holds are two numbers that follow one another along k (PTX ISA, "Matrix Fragments for mma"): a[0] of
/// row lane / 4 and k = 2 (lane % 4), a[1] 8 rows below, a[2] and a[3] the same with k + 8; b[0] of column lane / 4, b[1] with k + 8. d[0]
/// and d[1] are of row lane / 4, columns 2 (lane % 4) and the next, d[2] and d[3] 8 rows below. Turing's instruction takes half of k.
__device__ __forceinline__ void multiply_add_fp16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  PLUMBLINE_MMA("m16n8k16", "f32.f16.f16.f32", d, a, b);
#elif __CUDA_ARCH__ >= 750
#pragma unroll
  for (int half = 0; half < 2; ++half)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}
/// Numbers in bfloat16, which GPUs have from sm_80 on, lie and are multiplied as those in fp16.
__device__ __forceinline__ void multiply_add_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  PLUMBLINE_MMA("m16n8k16", "f32.bf16.bf16.f32", d, a, b);
#endif
}

}  // namespace plumbline::cuda
