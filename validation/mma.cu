// Tensor cores are tried by mma.sync: each warp multiplies a small matrix A by a small matrix B and adds the product to C, again and again.
// The numbers have few bits, so that every type's result is exact, in whatever order a tensor core adds.
#include <cstdint>
#include <cstring>

#include "core/kernel_data.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/mma.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

/// The shape of C (m x n) += A (m x k) B (k x n), and the type of C.
template <class Real>
struct Shape {
  static constexpr unsigned m = 16, n = 8, k = 32 / sizeof(Real);
  using Sum = float;
};
template <>
struct Shape<std::int8_t> {
  static constexpr unsigned m = 16, n = 8, k = 32;
  using Sum = std::int32_t;
};
template <>
struct Shape<double> {
  static constexpr unsigned m = 8, n = 8, k = 4;
  using Sum = double;
};
template <>
struct Shape<Counted> : Shape<Fp16> {
  using Sum = Counted;
};

template <class Real>
struct Mma {
  const Real *a, *b;  // of each warp: A by rows, B by columns
  typename Shape<Real>::Sum* c;
  unsigned repeats;
};

/// The parts of the three matrices that a lane holds (PTX ISA, "Matrix Fragments for mma"): A and B in words of neighbours along k.
template <class Real>
struct Fragment {
  using S = Shape<Real>;
  using Word = std::conditional_t<std::is_same_v<Real, double>, double, std::uint32_t>;
  static constexpr unsigned in_word = sizeof(Word) / sizeof(Real);
  static constexpr unsigned words_of_a = S::m * S::k / cuda::warp_threads / in_word,
                            words_of_b = S::n * S::k / cuda::warp_threads / in_word, sums = S::m * S::n / cuda::warp_threads;
  Word a[words_of_a], b[words_of_b];
  typename S::Sum c[sums];
};

__device__ void multiply_add(Fragment<Fp16>& x) { cuda::multiply_add_fp16(x.c, x.a, x.b); }
__device__ void multiply_add(Fragment<Bf16>& x) { cuda::multiply_add_bf16(x.c, x.a, x.b); }
__device__ void multiply_add(Fragment<Tf32>& x) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(x.c[0]), "+f"(x.c[1]), "+f"(x.c[2]), "+f"(x.c[3])
               : "r"(x.a[0]), "r"(x.a[1]), "r"(x.a[2]), "r"(x.a[3]), "r"(x.b[0]), "r"(x.b[1]));
#endif
}
__device__ void multiply_add(Fragment<std::int8_t>& x) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(x.c[0]), "+r"(x.c[1]), "+r"(x.c[2]), "+r"(x.c[3])
               : "r"(x.a[0]), "r"(x.a[1]), "r"(x.a[2]), "r"(x.a[3]), "r"(x.b[0]), "r"(x.b[1]));
#endif
}
__device__ void multiply_add(Fragment<double>& x) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(x.c[0]), "+d"(x.c[1])
               : "d"(x.a[0]), "d"(x.b[0]));
#endif
}

template <class Real>
__global__ void __launch_bounds__(cuda::block_threads) multiply(const Mma<Real> x, std::size_t begin, std::size_t end) {
  using S = Shape<Real>;
  using F = Fragment<Real>;
  const std::size_t mine = begin + (std::size_t{blockIdx.x} * cuda::block_threads + threadIdx.x) / cuda::warp_threads;
  if (mine >= end) return;
  const unsigned lane = threadIdx.x % cuda::warp_threads, group = lane / 4, member = lane % 4;
  const Real *a = x.a + mine * (S::m * S::k), *b = x.b + mine * (S::n * S::k);
  typename S::Sum* c = x.c + mine * (S::m * S::n);
  F part;
  // Words of A: rows of the upper eight, then of the lower; then the other half of k. Likewise B by columns.
#pragma unroll
  for (unsigned i = 0; i < F::words_of_a; ++i)
    part.a[i] = *reinterpret_cast<const typename F::Word*>(a + (group + i % 2 * 8) * S::k + (member + i / 2 * 4) * F::in_word);
#pragma unroll
  for (unsigned i = 0; i < F::words_of_b; ++i)
    part.b[i] = *reinterpret_cast<const typename F::Word*>(b + group * S::k + (member + i * 4) * F::in_word);
#pragma unroll
  for (unsigned i = 0; i < F::sums; ++i) part.c[i] = 0;
#pragma unroll 1
  for (unsigned repeat = 0; repeat < x.repeats; ++repeat) multiply_add(part);
  struct alignas(2 * sizeof(typename S::Sum)) Pair {
    typename S::Sum left, right;
  };
#pragma unroll
  for (unsigned i = 0; i < F::sums; i += 2)
    *reinterpret_cast<Pair*>(c + (group + i / 2 * 8) * S::n + 2 * member) = {part.c[i], part.c[i + 1]};
}

template <class Real>
class MmaCase final : public KernelData<Mma<Real>> {
  using S = Shape<Real>;
  using Sum = typename S::Sum;

 public:
  static constexpr int from_architecture() { return std::is_same_v<Real, Fp16> ? 75 : 80; }

  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t warps = p.integer("warps"), a = warps * S::m * S::k, b = warps * S::n * S::k, c = warps * S::m * S::n;
    // A row of A or B may be fetched anew for each word that a lane takes of it.
    const auto operand = [](const char* name, std::uint64_t elements) {
      return Stream{.array = name,
                    .footprint_bytes = elements * sizeof(Real),
                    .read = true,
                    .loads = elements,
                    .element_bytes = sizeof(Real),
                    .straddles = elements * sizeof(Real) / 32};
    };
    return {.flops = {{"flops.tensor." + std::string(precision_of<Real>()), 2 * p.integer("repeats") * warps * S::m * S::n * S::k}},
            .streams = {operand("a", a),
                        operand("b", b),
                        {.array = "c", .footprint_bytes = c * sizeof(Sum), .written = true, .stores = c, .element_bytes = sizeof(Sum)}}};
  }

  MmaCase(const Parameters& p, DeviceMemory& memory)
      : a_(p.integer("warps") * S::m * S::k, memory),
        b_(p.integer("warps") * S::n * S::k, memory),
        c_(p.integer("warps") * S::m * S::n, memory) {
    arguments_ = {a_.data(), b_.data(), c_.data(), static_cast<unsigned>(p.integer("repeats"))};
  }

  std::size_t extent() const override { return c_.size() / (S::m * S::n); }
  void initialise(std::size_t begin, std::size_t end) override {
    a_.fill(begin * S::m * S::k, end * S::m * S::k, [](std::size_t i) { return original(1, i); });
    b_.fill(begin * S::n * S::k, end * S::n * S::k, [](std::size_t i) { return original(2, i); });
    c_.fill(begin * S::m * S::n, end * S::m * S::n, [](std::size_t) { return Sum(-1); });
  }

  static void launch(const Mma<Real>& x, std::size_t begin, std::size_t end) {
    cuda::next_launch((end - begin) * cuda::warp_threads, {std::uint64_t{x.repeats}});
    multiply<<<cuda::blocks_for((end - begin) * cuda::warp_threads), cuda::block_threads, 0, cuda::stream()>>>(x, begin, end);
  }
  static void on_host(const Mma<Real>& x, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * S::m * S::n; i < end * S::m * S::n; ++i) {
      const Real *a = x.a + i / S::n * S::k, *b = x.b + (i / (S::m * S::n) * S::n + i % S::n) * S::k;
      Sum sum = 0;
      for (unsigned repeat = 0; repeat < x.repeats; ++repeat)
        for (unsigned k = 0; k < S::k; ++k) sum = sum + Sum(double(a[k])) * Sum(double(b[k]));
      x.c[i] = sum;
    }
  }

  /// The error of whole numbers, in units of the smallest bit.
  double error() const override {
    double largest = 0;
    c_.read(0, c_.size(), [&](std::size_t i, Sum computed) {
      const std::size_t a = i / S::n * S::k, b = (i / (S::m * S::n) * S::n + i % S::n) * S::k;
      double exact = 0;
      for (unsigned k = 0; k < S::k; ++k) exact += double(original(1, a + k)) * double(original(2, b + k));
      const double difference = std::fabs(double(computed) - arguments_.repeats * exact);
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
    });
    return largest;
  }
  double tolerance() const override { return 0; }

 private:
  /// The element i of an array: 8/16 ... 15/16, for int8 8 ... 15. Products have 8 bits, and sums of 1024 x 16 of them 22.
  static Real original(std::uint64_t stream, std::size_t i) {
    const double sixteenths = std::floor(16 * varied(stream, i));
    return Real(std::is_same_v<Real, std::int8_t> ? sixteenths : sixteenths / 16);
  }

  DeviceArray<Real> a_, b_;
  DeviceArray<Sum> c_;
  using KernelData<Mma<Real>>::arguments_;
};

const cuda::Register<MmaCase, Fp16, Bf16, Tf32, double, std::int8_t> mma_registered{
    "validation/mma",
    "Matrix products of tensor cores by mma.sync: m16n8k16 (fp16, bf16), k8 (tf32), k32 (int8), m8n8k4 (fp64)",
    {{.name = "warps", .preset = std::int64_t{4096}, .description = "warps, each with matrices of its own", .max = std::int64_t{1} << 24},
     {.name = "repeats", .preset = std::int64_t{256}, .description = "products that each adds up", .max = 1024}}};

}  // namespace
}  // namespace plumbline
