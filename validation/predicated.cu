// A known share of threads is predicated off: of each warp's 32 lanes the first ones do FMAs under a predicate, which all lanes issue. A
// counter of executed threads (pred_on) sees the share, one of issued instructions sees all.
#include "core/kernel_data.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

template <class Real>
struct Predicated {
  const Real* x;
  Real* y;
  Real factor, summand;
  unsigned lanes;  // of a warp that are on
  unsigned steps;
};

template <class Real>
PLUMBLINE_BOTH bool is_on(const Predicated<Real>& x, std::size_t i) {
  return i % cuda::warp_threads < x.lanes;
}

// A branch around one instruction, of which the compiler makes a predicate. (A predicate written in PTX it turns, in fp64, into an FMA by
// all lanes and a choice of its result.)
PLUMBLINE_BOTH void fused_if(bool on, double& value, double factor, double summand) {
#ifdef __CUDA_ARCH__
  if (on) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(value) : "d"(factor), "d"(summand));
#else
  if (on) value = cuda::fused(value, factor, summand);
#endif
}
PLUMBLINE_BOTH void fused_if(bool on, float& value, float factor, float summand) {
#ifdef __CUDA_ARCH__
  if (on) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(value) : "f"(factor), "f"(summand));
#else
  if (on) value = cuda::fused(value, factor, summand);
#endif
}
void fused_if(bool on, Counted& value, Counted factor, Counted summand) {
  if (on) value = cuda::fused(value, factor, summand);
}

template <class Real>
struct PredicatedBody {
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void element(const Predicated<Real>& x, std::size_t i) {
    const bool on = is_on(x, i);
    Real value = x.x[i];
#pragma unroll 1
    for (unsigned step = 0; step < x.steps; ++step) fused_if(on, value, x.factor, x.summand);
    x.y[i] = value;
  }
};

template <class Real>
class PredicatedCase final : public ElementwiseData<Predicated<Real>, Real, DeviceArray> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), lanes = p.integer("lanes");
    const std::uint64_t on = n / cuda::warp_threads * lanes + std::min(n % cuda::warp_threads, lanes);
    return {.flops = {{flops<Real>("fma"), on * p.integer("steps")}},
            .streams = {loaded<Real>("x", n), stored<Real>("y", n)},
            .note = "FMAs of the lanes that are on; all 32 of a warp issue them"};
  }

  PredicatedCase(const Parameters& p, DeviceMemory& memory) : PredicatedCase::ElementwiseData(p.integer("n"), {1, 0}, memory) {
    const auto lanes = static_cast<unsigned>(p.integer("lanes")), steps = static_cast<unsigned>(p.integer("steps"));
    this->arguments_ = {this->array(0), this->array(1), Real(0.75), Real(0.21875), lanes, steps};
  }
  std::size_t grain() const final { return cuda::warp_threads; }

  static void launch(const Predicated<Real>& x, std::size_t begin, std::size_t end) {
    cuda::launch_elements<PredicatedBody<Real>>(x, begin, end, {x.steps});
  }
  static void on_host(const Predicated<Real>& x, std::size_t begin, std::size_t end) {
    cuda::elements_on_host<PredicatedBody<Real>>(x, begin, end);
  }

  long double exact(std::size_t i) const final {
    long double value = given<Real>(1, i);
    for (unsigned step = 0; is_on(this->arguments_, i) && step < this->arguments_.steps; ++step) value = value * 0.75L + 0.21875L;
    return value;
  }
  double tolerance() const override { return rounding_bound<Real>(2.0 * this->arguments_.steps); }
};

const cuda::Register<PredicatedCase> predicated_registered{
    "validation/predicated",
    "FMAs of some lanes of each warp, the others predicated off",
    {{.name = "n", .preset = std::int64_t{1} << 20, .description = "elements, one a thread", .max = std::int64_t{1} << 38},
     {.name = "lanes", .preset = std::int64_t{8}, .description = "lanes of a warp that are on", .max = cuda::warp_threads},
     {.name = "steps", .preset = std::int64_t{64}, .description = "FMAs of each", .max = 1 << 20}}};

}  // namespace
}  // namespace plumbline
