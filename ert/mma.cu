// Tensor cores are measured by mma.sync: a warp's product of 32 x 32 from eight instructions of 16 x 8 that do not wait for one another.
#include "cuda/mma.cuh"
#include "ert/tensor.cuh"

namespace plumbline {
namespace {

constexpr int tiles_m = 2, tiles_n = 4;  // of 16 x 8
constexpr unsigned warps = 8;            // of a block: a unit each

/// The fragments that a thread holds: words of 4 bytes (8 for fp64) with elements that follow one another along k.
template <class Word, int a_words, int b_words>
struct Fragments {
  Word a[tiles_m][a_words], minus_a[tiles_m][a_words], b[tiles_n][b_words];
};

template <class Word, int words>
__device__ __forceinline__ void load(Word (&to)[words], const unsigned char* from, std::size_t row, std::size_t row_bytes, unsigned lane) {
#pragma unroll
  for (int i = 0; i < words; ++i) to[i] = reinterpret_cast<const Word*>(from + row * row_bytes)[lane % 4 + 4 * i];
}

struct Fp16Operands {
  using Word = unsigned;
  using Sum = float;
  static constexpr int a_words = 4, b_words = 2;
  static constexpr TensorShape shape{16 * tiles_m, 8 * tiles_n, 16};
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { cuda::multiply_add_fp16(d, a, b); }
};
struct Bf16Operands : Fp16Operands {
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { cuda::multiply_add_bf16(d, a, b); }
};
struct Tf32Operands : Fp16Operands {
  static constexpr TensorShape shape{16 * tiles_m, 8 * tiles_n, 8};
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    PLUMBLINE_MMA("m16n8k8", "f32.tf32.tf32.f32", d, a, b);
#endif
  }
};
struct Fp8Operands : Fp16Operands {
  static constexpr TensorShape shape{16 * tiles_m, 8 * tiles_n, 32};
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 890
    PLUMBLINE_MMA("m16n8k32", "f32.e4m3.e4m3.f32", d, a, b);
#endif
  }
};
struct Int8Operands {
  using Word = unsigned;
  using Sum = int;
  static constexpr int a_words = 4, b_words = 2;
  static constexpr TensorShape shape{16 * tiles_m, 8 * tiles_n, 32};
  __device__ static void multiply(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif __CUDA_ARCH__ >= 750
#pragma unroll
    for (int i = 0; i < 4; ++i)
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+r"(d[i % 2 * 2]), "+r"(d[i % 2 * 2 + 1])
                   : "r"(a[i]), "r"(b[i / 2]));
#endif
  }
};
struct Fp64Operands {
  using Word = double;
  using Sum = double;
  static constexpr int a_words = 8, b_words = 4;
  static constexpr TensorShape shape{16 * tiles_m, 8 * tiles_n, 16};
  __device__ static void multiply(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]),
          "d"(b[3]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
    for (int i = 0; i < 8; ++i)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(d[i % 2 * 2]), "+d"(d[i % 2 * 2 + 1])
                   : "d"(a[i]), "d"(b[i / 2]));
#endif
  }
};

/// Multiplies all eight tiles, with A or -A.
template <class Operands, class Sum, class Word, int a_words, int b_words>
__device__ __forceinline__ void multiply_all(Sum (&d)[tiles_m][tiles_n][4], const Word (&a)[tiles_m][a_words],
                                             const Word (&b)[tiles_n][b_words]) {
#pragma unroll
  for (int i = 0; i < tiles_m; ++i)
#pragma unroll
    for (int j = 0; j < tiles_n; ++j) Operands::multiply(d[i][j], a[i], b[j]);
}

/// Multiplies. The elements that a thread's words hold are those of PTX ISA, "Matrix Fragments for mma": rows of A: lane / 4, and 8 more in
/// every other word.
template <class Operands>
__global__ void __launch_bounds__(32 * warps) multiply(const TensorProduct x, std::size_t first_block, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
  using Word = typename Operands::Word;
  using Sum = typename Operands::Sum;
  constexpr TensorShape shape = Operands::shape;
  constexpr std::size_t row_bytes = 4 * Operands::b_words * sizeof(Word);
  const unsigned lane = threadIdx.x % 32, row = lane / 4;
  Fragments<Word, Operands::a_words, Operands::b_words> f;
#pragma unroll
  for (int i = 0; i < tiles_m; ++i) {
    Word upper[Operands::b_words], lower[Operands::b_words];
    const auto load_both = [&](Word(&to)[Operands::a_words], const unsigned char* from) {
      load(upper, from, 16 * i + row, row_bytes, lane);
      load(lower, from, 16 * i + 8 + row, row_bytes, lane);
#pragma unroll
      for (int k = 0; k < Operands::b_words; ++k) to[2 * k] = upper[k], to[2 * k + 1] = lower[k];
    };
    load_both(f.a[i], x.a);
    load_both(f.minus_a[i], x.minus_a);
  }
#pragma unroll
  for (int j = 0; j < tiles_n; ++j) load(f.b[j], x.b, 8 * j + row, row_bytes, lane);
  Sum d[tiles_m][tiles_n][4] = {};
#pragma unroll 1
  for (std::uint64_t n = x.iterations; n != 0; --n) {
    multiply_all<Operands>(d, f.a, f.b);
    multiply_all<Operands>(d, f.minus_a, f.b);
  }
  multiply_all<Operands>(d, f.a, f.b);
  const std::size_t unit = (first_block + blockIdx.x) * warps + threadIdx.x / 32;
  Sum* const out = reinterpret_cast<Sum*>(x.d) + unit * shape.m * shape.n;
  struct alignas(2 * sizeof(Sum)) Pair {  // stored at once: the four lanes of a row fill whole sectors
    Sum left, right;
  };
#pragma unroll
  for (int i = 0; i < tiles_m; ++i)
#pragma unroll
    for (int j = 0; j < tiles_n; ++j)
#pragma unroll
      for (int e = 0; e < 4; e += 2)
        *reinterpret_cast<Pair*>(out + (16 * i + row + 8 * (e / 2)) * shape.n + 8 * j + 2 * (lane % 4)) = {d[i][j][e], d[i][j][e + 1]};
}

template <class Operands>
void launch(const TensorProduct& x, std::size_t begin, std::size_t end) {
  cuda::next_launch((end - begin) * 32 * warps, {x.iterations});
  multiply<Operands><<<static_cast<unsigned>(end - begin), 32 * warps, 0, cuda::stream()>>>(x, begin, cuda::clock_span());
}

constexpr std::array types{
    TensorKernel{"fp16", Fp16Operands::shape, &launch<Fp16Operands>},
    TensorKernel{"bf16", Bf16Operands::shape, &launch<Bf16Operands>},
    TensorKernel{"tf32", Tf32Operands::shape, &launch<Tf32Operands>},
    TensorKernel{"fp64", Fp64Operands::shape, &launch<Fp64Operands>},
    TensorKernel{"int8", Int8Operands::shape, &launch<Int8Operands>},
    TensorKernel{"fp8",
                 Fp8Operands::shape,
                 &launch<Fp8Operands>,
                 {"sm_89", "sm_120"},
                 "this architecture's code has no mma.sync of it, but unpacks it to fp16 (only sm_89 and sm_120 have one)"}};

const RegisterTensor<types> mma_registered("ert/mma", "Tensor cores by mma.sync: eight independent products a warp (PTX ISA)", warps, 264);

}  // namespace
}  // namespace plumbline
