// ERT's parameterized vector (Lo et al. 2014) on GPUs does k FLOPs between a load and a store of each element, from bandwidth-bound to
// FLOP-bound. It is read from one array and stored to another, so that a result can be told from what stood there before.
#include <cmath>
#include <stdexcept>

#include "core/kernel_data.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/clock_span.cuh"
#include "cuda/register.cuh"
#include "cuda/tile.hpp"

namespace plumbline {
namespace {

using cuda::fused, cuda::plus;

template <class Real>
struct Vector {
  const Real* x;
  Real* y;
  std::uint64_t k, repeat;
  Real minus, low, high;  // -1, 1.5, 1.5 + 2^-20: two FMAs move an element by 2^-20
};

/// k = 1: a sum; 2: an FMA; else k/4 pairs of FMAs. All exact, in fp32 up to a rounding.
template <class Real>
PLUMBLINE_BOTH Real element_of(const Vector<Real>& v, Real x) {
  if (v.k == 1) return plus(x, v.low);
  if (v.k == 2) return fused(x, v.minus, v.low);
#pragma unroll 4
  for (std::uint64_t pair = v.k / 4; pair != 0; --pair) x = fused(fused(x, v.minus, v.low), v.minus, v.high);
  return x;
}

constexpr unsigned chains = 4;  // elements of a thread: independent chains
constexpr std::size_t block_elements = chains * cuda::block_threads;
constexpr int blocks_a_multiprocessor = 4;

constexpr std::uint64_t pairs_at_once = 4;

enum class Operation { sum, fma, pairs };
Operation operation_of(std::uint64_t k) { return k == 1 ? Operation::sum : k == 2 ? Operation::fma : Operation::pairs; }

template <class Real>
__device__ __forceinline__ void pair(Real (&x)[chains], const Vector<Real>& v) {
#pragma unroll
  for (unsigned c = 0; c < chains; ++c) x[c] = fused(x[c], v.minus, v.low);
#pragma unroll
  for (unsigned c = 0; c < chains; ++c) x[c] = fused(x[c], v.minus, v.high);
}

template <Operation operation, class Real>
__device__ __forceinline__ void compute(Real (&x)[chains], const Vector<Real>& v) {
  if constexpr (operation == Operation::pairs) {
#pragma unroll 1
    for (std::uint64_t n = v.k / 4 / pairs_at_once; n != 0; --n) {
#pragma unroll
      for (unsigned i = 0; i < pairs_at_once; ++i) pair(x, v);
    }
#pragma unroll 1
    for (std::uint64_t n = v.k / 4 % pairs_at_once; n != 0; --n) pair(x, v);
  } else {
#pragma unroll
    for (unsigned c = 0; c < chains; ++c) x[c] = operation == Operation::sum ? plus(x[c], v.low) : fused(x[c], v.minus, v.low);
  }
}

template <Operation operation, class Real>
__global__ void __launch_bounds__(cuda::block_threads) vector(const Vector<Real> v, std::size_t begin, std::size_t end, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
#pragma unroll 1
  for (std::uint64_t pass = 0; pass < v.repeat; ++pass)
#pragma unroll 1
    for (std::size_t first = begin + blockIdx.x * block_elements + threadIdx.x; first < end; first += gridDim.x * block_elements) {
      Real x[chains] = {};
#pragma unroll
      for (unsigned c = 0; c < chains; ++c)
        if (const std::size_t i = first + c * cuda::block_threads; i < end) x[c] = __ldcg(v.x + i);
      compute<operation>(x, v);
#pragma unroll
      for (unsigned c = 0; c < chains; ++c)
        if (const std::size_t i = first + c * cuda::block_threads; i < end) __stcg(v.y + i, x[c]);
    }
}

/// The FLOPs an element: 1, 2, or a multiple of 4.
std::uint64_t flops_an_element(const Parameters& p) {
  const std::uint64_t k = p.integer("k");
  if (k != 1 && k != 2 && k % 4 != 0)
    throw std::invalid_argument("ert/vector: k = " + std::to_string(k) + " is neither 1 nor 2 nor a multiple of 4");
  return k;
}

template <class Real>
class VectorCase final : public KernelData<Vector<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = elements_of(p), repeat = p.integer("repeat"), k = flops_an_element(p), real = sizeof(Real);
    plumbline::Stream x{
        .array = "x", .footprint_bytes = n * real, .read = true, .loads = repeat * n, .element_bytes = real, .past_L1 = true},
        y{.array = "y", .footprint_bytes = n * real, .written = true, .stores = repeat * n, .element_bytes = real, .past_L1 = true};
    if (repeat > 1) x.layers = y.layers = {{.reuse_bytes = 2 * n * real, .fetched_bytes = repeat * n * real}};
    Work work{.streams = {x, y, cuda::clock_stream()}, .paper = {{"paper.flops", repeat * n * k}, {"paper.bytes", 2 * repeat * n * real}}};
    if (k == 1)
      work.flops[flops<Real>("add")] = repeat * n;
    else
      work.flops[flops<Real>("fma")] = repeat * n * k / 2;
    return work;
  }

  VectorCase(const Parameters& p, DeviceMemory& memory) : memory_(memory), x_(elements_of(p), memory), y_(elements_of(p), memory) {
    arguments_ = {x_.data(), y_.data(), flops_an_element(p), p.integer("repeat"), Real(-1), Real(1.5), Real(1.5 + 0x1p-20)};
  }

  std::size_t extent() const override { return x_.size(); }
  std::size_t grain() const override { return block_elements; }
  void initialise(std::size_t, std::size_t end) override {
    if (end != extent()) return;
    cuda::fill_with_tiles(x_, memory_, 1);
    cuda::fill_with_tiles(y_, memory_, 2);
  }

  static void launch(const Vector<Real>& v, std::size_t begin, std::size_t end) {
    const unsigned most = static_cast<unsigned>(blocks_a_multiprocessor * cuda::multiprocessors());
    const unsigned blocks = std::min(most, cuda::blocks_for(end - begin, block_elements));
    const std::uint64_t threads = std::uint64_t{blocks} * cuda::block_threads, fours = (end - begin) / chains * v.repeat;
    const auto run = [&]<Operation operation>() {
      vector<operation><<<blocks, cuda::block_threads, 0, cuda::stream()>>>(v, begin, end, cuda::clock_span());
    };
    if (operation_of(v.k) == Operation::pairs) {
      const std::uint64_t pairs = v.k / 4;
      cuda::next_launch_in_all(threads, {threads * v.repeat, fours, fours * (pairs / pairs_at_once), fours * (pairs % pairs_at_once)},
                               true);
      return run.template operator()<Operation::pairs>();
    }
    cuda::next_launch_in_all(threads, {threads * v.repeat, fours}, true);
    v.k == 1 ? run.template operator()<Operation::sum>() : run.template operator()<Operation::fma>();
  }
  static void on_host(const Vector<Real>& v, std::size_t begin, std::size_t end) {
    for (std::uint64_t pass = 0; pass < v.repeat; ++pass)
      for (std::size_t i = begin; i < end; ++i) v.y[i] = element_of(v, v.x[i]);
  }

  /// The part of the elements that differ in any bit from the same operations on the host.
  double error() const override {
    std::vector<Real> exact = cuda::tile_of<Real>(1, x_.size());
    for (Real& x : exact) x = element_of(arguments_, x);
    std::size_t wrong = 0;
    cuda::read_tiles(y_, memory_, [&](std::size_t, const Real* y, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) wrong += static_cast<double>(y[i]) != static_cast<double>(exact[i]);
    });
    return static_cast<double>(wrong) / static_cast<double>(x_.size());
  }
  double tolerance() const override { return 0; }

 private:
  /// The number of elements in whole blocks: each thread computes with four elements, whether they are there or not.
  static std::uint64_t elements_of(const Parameters& p) { return (p.integer("n") + block_elements - 1) / block_elements * block_elements; }

  DeviceMemory& memory_;
  DeviceArray<Real> x_, y_;
  using KernelData<Vector<Real>>::arguments_;
};

const cuda::Register<VectorCase> vector_registered{
    "ert/vector",
    "The parameterized vector of ERT: k FLOPs between a load and a store (Lo et al. 2014)",
    {{.name = "k",
      .preset = std::int64_t{8},
      .description = "FLOPs an element: 1 (an addition), 2 (an FMA), or a multiple of 4 (pairs of FMAs)",
      .max = 512},
     {.name = "n", .preset = std::int64_t{1} << 24, .description = "elements, rounded up to 1024"},
     {.name = "repeat", .preset = std::int64_t{1}, .description = "passes over the vector in one sweep"}}};

}  // namespace
}  // namespace plumbline
