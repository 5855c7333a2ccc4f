// Tensor cores are measured by wgmma, Hopper's own instruction: four warps together, both operands in shared memory. m64n256 is the largest
// product that one instruction makes; the sums of a warp group fill half of a thread's registers.
#include "ert/tensor.cuh"

namespace plumbline {
namespace {

constexpr unsigned group_threads = 128;  // of a block: one warp group, one unit
constexpr int rows_a = 64, rows_b = 256;
constexpr int line_bytes = 128;                                  // along k of each row: four instructions of 32 bytes
[[maybe_unused]] constexpr int core_rows = 8, core_bytes = 128;  // a core matrix: 8 rows of 16 bytes, together
[[maybe_unused]] constexpr int sums = rows_a * rows_b / static_cast<int>(group_threads);

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Rows of 128 bytes become core matrices, the rows of one 16-byte column after the other, without swizzling.
__device__ __forceinline__ void arrange(unsigned char* to, const unsigned char* from, int rows) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < rows * line_bytes / 16; i += group_threads) {
    const int row = i / (line_bytes / 16), column = i % (line_bytes / 16);
    const int core = column * (rows / core_rows) + row / core_rows;
    reinterpret_cast<uint4*>(to)[core * core_rows + row % core_rows] = reinterpret_cast<const uint4*>(from)[i];
  }
}

/// PTX ISA, "Matrix descriptor": address, distance of core matrices along k, distance along the rows; each in 16 bytes.
__device__ __forceinline__ std::uint64_t descriptor(const unsigned char* at, int rows) {
  const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(at));
  const auto along_k = static_cast<std::uint64_t>(rows / core_rows * core_bytes);
  return (address & 0x3ffff) >> 4 | along_k >> 4 << 16 | std::uint64_t{core_bytes} >> 4 << 32;
}

#define PLUMBLINE_8(letter, i)                                                                                                    \
  "+" letter(d[i]), "+" letter(d[i + 1]), "+" letter(d[i + 2]), "+" letter(d[i + 3]), "+" letter(d[i + 4]), "+" letter(d[i + 5]), \
      "+" letter(d[i + 6]), "+" letter(d[i + 7])
#define PLUMBLINE_64(letter, i)                                                                                 \
  PLUMBLINE_8(letter, i), PLUMBLINE_8(letter, i + 8), PLUMBLINE_8(letter, i + 16), PLUMBLINE_8(letter, i + 24), \
      PLUMBLINE_8(letter, i + 32), PLUMBLINE_8(letter, i + 40), PLUMBLINE_8(letter, i + 48), PLUMBLINE_8(letter, i + 56)
#define PLUMBLINE_WGMMA(shape_and_types, letter, rest)                                                                             \
  asm volatile(                                                                                                                    \
      "wgmma.mma_async.sync.aligned." shape_and_types                                                                              \
      " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"   \
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,"   \
      "%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,"   \
      "%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117," \
      "%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1" rest ";"                                                 \
      : PLUMBLINE_64(letter, 0), PLUMBLINE_64(letter, 64)                                                                          \
      : "l"(a), "l"(b))

#endif

/// The instruction d += A B, of 32 bytes of each row.
struct Fp16Group {
  using Sum = float;
  static constexpr std::size_t k = 64;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __device__ __forceinline__ static void multiply(float (&d)[sums], std::uint64_t a, std::uint64_t b) {
    PLUMBLINE_WGMMA("m64n256k16.f32.f16.f16", "f", ", 1, 1, 0, 0");
  }
#endif
};
struct Bf16Group {
  using Sum = float;
  static constexpr std::size_t k = 64;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __device__ __forceinline__ static void multiply(float (&d)[sums], std::uint64_t a, std::uint64_t b) {
    PLUMBLINE_WGMMA("m64n256k16.f32.bf16.bf16", "f", ", 1, 1, 0, 0");
  }
#endif
};
struct Tf32Group {
  using Sum = float;
  static constexpr std::size_t k = 32;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __device__ __forceinline__ static void multiply(float (&d)[sums], std::uint64_t a, std::uint64_t b) {
    PLUMBLINE_WGMMA("m64n256k8.f32.tf32.tf32", "f", ", 1, 1");
  }
#endif
};
struct Fp8Group {
  using Sum = float;
  static constexpr std::size_t k = 128;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __device__ __forceinline__ static void multiply(float (&d)[sums], std::uint64_t a, std::uint64_t b) {
    PLUMBLINE_WGMMA("m64n256k32.f32.e4m3.e4m3", "f", ", 1, 1");
  }
#endif
};
struct Int8Group {
  using Sum = int;
  static constexpr std::size_t k = 128;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __device__ __forceinline__ static void multiply(int (&d)[sums], std::uint64_t a, std::uint64_t b) {
    PLUMBLINE_WGMMA("m64n256k32.s32.s8.s8", "r", "");
  }
#endif
};

template <class Group>
__global__ void __launch_bounds__(group_threads) multiply(const TensorProduct x, std::size_t first_block, ClockSpan* span) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const cuda::ClockedKernel clocked(span);
  __shared__ __align__(128) unsigned char a[rows_a * line_bytes], minus_a[rows_a * line_bytes], b[rows_b * line_bytes];
  arrange(a, x.a, rows_a);
  arrange(minus_a, x.minus_a, rows_a);
  arrange(b, x.b, rows_b);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const std::uint64_t plus_at = descriptor(a, rows_a), minus_at = descriptor(minus_a, rows_a), b_at = descriptor(b, rows_b);
  typename Group::Sum d[sums];
#pragma unroll
  for (int i = 0; i < sums; ++i) d[i] = 0;
  // A step lies two columns of 16 bytes further: the next 32 bytes of each row.
  const auto multiply_lines = [&](std::uint64_t a_at) {
#pragma unroll
    for (int k = 0; k < line_bytes / 32; ++k)
      Group::multiply(d, a_at + static_cast<std::uint64_t>(k * 2 * (rows_a / core_rows) * core_bytes / 16),
                      b_at + static_cast<std::uint64_t>(k * 2 * (rows_b / core_rows) * core_bytes / 16));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  };
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
  for (std::uint64_t n = x.iterations; n != 0; --n) {
    multiply_lines(plus_at);
    multiply_lines(minus_at);
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  multiply_lines(plus_at);
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  // PTX ISA, "Register fragments for wgmma": rows of 16 a warp, pairs of columns.
  const unsigned lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
  typename Group::Sum* const out = reinterpret_cast<typename Group::Sum*>(x.d) + (first_block + blockIdx.x) * rows_a * rows_b;
  struct alignas(2 * sizeof(typename Group::Sum)) Pair {  // stored at once: the four lanes of a row fill whole sectors
    typename Group::Sum left, right;
  };
#pragma unroll
  for (int i = 0; i < sums; i += 2)
    *reinterpret_cast<Pair*>(out + (row + static_cast<unsigned>(i / 2 % 2 * 8)) * rows_b + static_cast<unsigned>(i / 4 * 8) +
                             lane % 4 * 2) = {d[i], d[i + 1]};
#endif
}

template <class Group>
void launch(const TensorProduct& x, std::size_t begin, std::size_t end) {
  constexpr auto rows_at_once = group_threads / (line_bytes / 16);  // by which operands are arranged
  cuda::next_launch((end - begin) * group_threads, {rows_a / rows_at_once, rows_a / rows_at_once, rows_b / rows_at_once, x.iterations});
  multiply<Group><<<static_cast<unsigned>(end - begin), group_threads, 0, cuda::stream()>>>(x, begin, cuda::clock_span());
}

template <class Group>
constexpr TensorKernel of(std::string_view type) {
  // Read by the instructions themselves: A once, and B by each of the four warps at most.
  constexpr std::uint64_t a = rows_a * line_bytes, b = rows_b * line_bytes;
  return {
      .type = type, .shape = {rows_a, rows_b, Group::k}, .launch = &launch<Group>, .shared_bytes = 2 * a + b, .most_read_bytes = a + 4 * b};
}
constexpr std::array types{of<Fp16Group>("fp16"), of<Bf16Group>("bf16"), of<Tf32Group>("tf32"), of<Fp8Group>("fp8"), of<Int8Group>("int8")};

const RegisterTensor<types> wgmma_registered("ert/wgmma",
                                             "Tensor cores by wgmma m64n256, a warp group with both operands in shared memory (PTX ISA)", 1,
                                             264, 90, true);

}  // namespace
}  // namespace plumbline
