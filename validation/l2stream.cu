// This stream stays inside L2: each thread reads another element each round past L1 (ld.global.cg) and writes what they come to so far
// (st.global.cg). So every reference crosses from L1 to L2, and none goes on to memory where both arrays fit.
#include "core/kernel_data.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

template <class Real>
struct L2Stream {
  const Real* in;
  Real* out;
  std::size_t n, step;  // step < n: from one round's element to the next one's
  std::size_t rounds;
};

PLUMBLINE_BOTH double load_past_L1(const double* x) {
#ifdef __CUDA_ARCH__
  double value;
  asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(value) : "l"(x) : "memory");
  return value;
#else
  return *x;
#endif
}
PLUMBLINE_BOTH float load_past_L1(const float* x) {
#ifdef __CUDA_ARCH__
  float value;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(x) : "memory");
  return value;
#else
  return *x;
#endif
}
Counted load_past_L1(const Counted* x) { return *x; }

PLUMBLINE_BOTH void store_past_L1(double* x, double value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.cg.f64 [%0], %1;" : : "l"(x), "d"(value) : "memory");
#else
  *x = value;
#endif
}
PLUMBLINE_BOTH void store_past_L1(float* x, float value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.cg.f32 [%0], %1;" : : "l"(x), "f"(value) : "memory");
#else
  *x = value;
#endif
}
void store_past_L1(Counted* x, Counted value) { *x = value; }

template <class Real>
struct L2StreamBody {
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void element(const L2Stream<Real>& x, std::size_t i) {
    Real sum = 0;
    std::size_t from = i;
#pragma unroll 1
    for (std::size_t round = 0; round < x.rounds; ++round) {
      sum = cuda::plus(sum, load_past_L1(x.in + from));
      store_past_L1(x.out + i, sum);
      from += x.step;
      if (from >= x.n) from -= x.n;
    }
  }
};

template <class Real>
class L2StreamCase final : public KernelData<L2Stream<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), rounds = p.integer("rounds"), real = sizeof(Real);
    // A thread's later rounds, beyond L2, may find what its neighbours fetched.
    const std::vector<Stream::Layer> again{{.reuse_bytes = 2 * n * real, .fetched_bytes = rounds * n * real, .upper_bound = true}};
    const bool whole_sectors = n * real % 32 == 0;
    const std::uint64_t warps = (n + 31) / 32, straddles = whole_sectors ? 0 : 2 * rounds * warps;
    return {.flops = {{flops<Real>("add"), rounds * n}},
            .streams = {{.array = "in",
                         .footprint_bytes = n * real,
                         .read = true,
                         .loads = rounds * n,
                         .element_bytes = real,
                         .layers = again,
                         .straddles = straddles,
                         .past_L1 = true},
                        {.array = "out",
                         .footprint_bytes = n * real,
                         .written = true,
                         .stores = rounds * n,
                         .element_bytes = real,
                         .layers = again,
                         .past_L1 = true}}};
  }

  L2StreamCase(const Parameters& p, DeviceMemory& memory) : in_(p.integer("n"), memory), out_(in_.size(), memory) {
    arguments_ = {in_.data(), out_.data(), in_.size(), cuda::block_threads % in_.size(), p.integer("rounds")};
  }

  std::size_t extent() const override { return in_.size(); }
  void initialise(std::size_t begin, std::size_t end) override {
    in_.fill(begin, end, [](std::size_t i) { return Real(varied(1, i)); });
    out_.fill(begin, end, [](std::size_t) { return Real(0.25); });  // not what one element alone comes to
  }

  static void launch(const L2Stream<Real>& x, std::size_t begin, std::size_t end) {
    cuda::launch_elements<L2StreamBody<Real>>(x, begin, end, {x.rounds});
  }
  static void on_host(const L2Stream<Real>& x, std::size_t begin, std::size_t end) {
    cuda::elements_on_host<L2StreamBody<Real>>(x, begin, end);
  }

  double error() const override {
    LargestError largest;
    out_.read(0, out_.size(), [&](std::size_t i, Real computed) {
      long double exact = 0;
      for (std::size_t round = 0, from = i; round < arguments_.rounds; ++round, from = (from + arguments_.step) % arguments_.n)
        exact += static_cast<long double>(Real(varied(1, from)));
      largest.compare(computed, exact);
    });
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(arguments_.rounds)); }  // positive terms

 private:
  DeviceArray<Real> in_, out_;
  using KernelData<L2Stream<Real>>::arguments_;
};

const cuda::Register<L2StreamCase> l2stream_registered{
    "validation/l2stream",
    "Stream inside L2: reads and writes past L1, again and again",
    {{.name = "n", .preset = std::int64_t{1} << 18, .description = "elements of either array", .max = std::int64_t{1} << 32},
     {.name = "rounds", .preset = std::int64_t{64}, .description = "loads and stores of each thread", .max = 1 << 16}}};

}  // namespace
}  // namespace plumbline
