// This kernel does 16-bit arithmetic of known count, packed (two numbers an instruction) and scalar: the instructions counted are the same
// ones, so that the weights 4 (FMA), 2, 2 are right for one and 2, 1, 1 for the other.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/kernel_data.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

enum class HalfKind { fma, add, mul };

template <class Real>
struct Half {
  HalfKind kind;
  bool packed;
  const Real* x;
  Real* y;
  Real factor, summand;
  unsigned steps;
};

/// Steps on the host: exact but for one rounding, because a double holds every product, and every sum of numbers so near each other.
template <HalfKind kind, class Real>
Real stepped(Real value, Real factor, Real summand) {
  if constexpr (std::is_same_v<Real, Counted>) {
    return kind == HalfKind::fma ? cuda::fused(value, factor, summand) : kind == HalfKind::add ? value + summand : value * factor;
  } else {
    const double v(value), f(factor), s(summand);
    return Real(kind == HalfKind::fma ? v * f + s : kind == HalfKind::add ? v + s : v * f);
  }
}

/// Steps on the device by one instruction on a __half, __half2, __nv_bfloat16 or __nv_bfloat162. GPUs before sm_90 add and multiply bf16 by
/// FMAs.
template <HalfKind kind, class Value>
__device__ Value stepped_on_device(Value value, Value factor, Value summand) {
#if __CUDA_ARCH__ < 800  // no bf16, and no flavor for it
  if constexpr (std::is_same_v<Value, __nv_bfloat16> || std::is_same_v<Value, __nv_bfloat162>)
    return value;
  else
#endif
      if constexpr (std::is_same_v<Value, __half2> || std::is_same_v<Value, __nv_bfloat162>) {
    if constexpr (kind == HalfKind::fma) return __hfma2(value, factor, summand);
    if constexpr (kind == HalfKind::add) return __hadd2_rn(value, summand);
    return __hmul2_rn(value, factor);
  } else {
    if constexpr (kind == HalfKind::fma) return __hfma(value, factor, summand);
    if constexpr (kind == HalfKind::add) return __hadd_rn(value, summand);
    return __hmul_rn(value, factor);
  }
}

template <class Real>
struct OnDevice {
  using Value = std::conditional_t<std::is_same_v<Real, Fp16>, __half, __nv_bfloat16>;
  using Pair = std::conditional_t<std::is_same_v<Real, Fp16>, __half2, __nv_bfloat162>;
};

/// The bits are the same.
template <class Value, class Real>
__device__ Value value_of(const Real* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <HalfKind kind, bool packed, class Real>
struct HalfBody {
  static constexpr std::size_t width = packed ? 2 : 1;
  using Value = std::conditional_t<packed, typename OnDevice<Real>::Pair, typename OnDevice<Real>::Value>;

  static __device__ void element(const Half<Real>& x, std::size_t i) {
    const Real factors[] = {x.factor, x.factor}, summands[] = {x.summand, x.summand};
    const Value factor = value_of<Value>(factors), summand = value_of<Value>(summands);
    Value value = *reinterpret_cast<const Value*>(x.x + width * i);
#pragma unroll 1
    for (unsigned step = 0; step < x.steps; ++step) value = stepped_on_device<kind>(value, factor, summand);
    *reinterpret_cast<Value*>(x.y + width * i) = value;
  }
};

HalfKind kind_of(const Parameters& p) {
  const std::string& word = p.word("kind");
  return word == "fma" ? HalfKind::fma : word == "add" ? HalfKind::add : HalfKind::mul;
}

/// Gives act<kind>() for the kind.
template <class Act>
auto select(HalfKind kind, Act act) {
  return kind == HalfKind::fma   ? act.template operator()<HalfKind::fma>()
         : kind == HalfKind::add ? act.template operator()<HalfKind::add>()
                                 : act.template operator()<HalfKind::mul>();
}

template <class Real>
Real after_all_steps(const Half<Real>& x, Real value) {
  return select(x.kind, [&]<HalfKind kind>() {
    for (unsigned step = 0; step < x.steps; ++step) value = stepped<kind>(value, x.factor, x.summand);
    return value;
  });
}

template <class Real>
class HalfCase final : public KernelData<Half<Real>> {
 public:
  static constexpr int from_architecture() { return std::is_same_v<Real, Bf16> ? 80 : 75; }

  static Work model(const Parameters& p, std::string_view flavor) {
    const std::uint64_t n = elements(p);
    const bool by_fma = std::is_same_v<Real, Bf16> && kind_of(p) != HalfKind::fma && before_sm_90(flavor);
    Work work{.flops = {{flops<Real>(by_fma ? "fma" : p.word("kind")), n * p.integer("steps")}},
              .streams = {loaded<Real>("x", n), stored<Real>("y", n)}};
    if (by_fma) work.note = "GPUs before sm_90 have no other bf16 arithmetic than FMAs: a sum is x 1 + y, a product x y + 0";
    return work;
  }

  HalfCase(const Parameters& p, DeviceMemory& memory) : x_(elements(p), memory), y_(x_.size(), memory) {
    arguments_ = {kind_of(p),
                  is_packed(p),
                  x_.data(),
                  y_.data(),
                  Real(0.9375),
                  Real(kind_of(p) == HalfKind::add ? 0.25 : 0.03125),
                  static_cast<unsigned>(p.integer("steps"))};
  }

  std::size_t extent() const override { return x_.size() / width(); }
  void initialise(std::size_t begin, std::size_t end) override {
    x_.fill(begin * width(), end * width(), original);
    y_.fill(begin * width(), end * width(), [](std::size_t) { return Real(0.375); });  // what no step leads to
  }

  static void launch(const Half<Real>& x, std::size_t begin, std::size_t end) {
    select(x.kind, [&]<HalfKind kind>() {
      if (x.packed)
        cuda::launch_elements<HalfBody<kind, true, Real>>(x, begin, end, {x.steps});
      else
        cuda::launch_elements<HalfBody<kind, false, Real>>(x, begin, end, {x.steps});
    });
  }
  static void on_host(const Half<Real>& x, std::size_t begin, std::size_t end) {
    const std::size_t width = x.packed ? 2 : 1;
    for (std::size_t i = begin * width; i < end * width; ++i) x.y[i] = after_all_steps(x, x.x[i]);
  }

  /// Each instruction rounds once, to the nearest: so every bit is known.
  double error() const override {
    double largest = 0;
    read_sample(y_, arguments_.steps, [&](std::size_t i, Real computed) {
      const double difference = std::fabs(double(computed) - double(after_all_steps(arguments_, original(i))));
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
    });
    return largest;
  }
  double tolerance() const override { return 0; }

 private:
  static Real original(std::size_t i) { return Real(varied(1, i)); }
  static bool is_packed(const Parameters& p) { return p.word("form") == "packed"; }
  std::size_t width() const { return arguments_.packed ? 2 : 1; }
  static std::uint64_t elements(const Parameters& p) {
    if (is_packed(p) && p.integer("n") % 2 != 0) throw std::invalid_argument("packed numbers come in pairs: n must be even");
    return p.integer("n");
  }
  /// Whether a flavor is for a GPU before sm_90, as "cuda13-sm_80".
  static bool before_sm_90(std::string_view flavor) {
    const auto at = flavor.find("sm_");
    return at != flavor.npos && std::stoi(std::string(flavor.substr(at + 3))) < 90;
  }

  DeviceArray<Real> x_, y_;
  using KernelData<Half<Real>>::arguments_;
};

const cuda::Register<HalfCase, Fp16, Bf16> half_registered{
    "validation/half",
    "16-bit FMAs, sums or products, packed in pairs or one by one",
    {{.name = "form",
      .preset = std::string("packed"),
      .description = "two numbers an instruction, or one",
      .choices = {"packed", "scalar"}},
     {.name = "kind", .preset = std::string("fma"), .description = "of instruction", .choices = {"fma", "add", "mul"}},
     {.name = "n", .preset = std::int64_t{1} << 20, .description = "numbers", .max = std::int64_t{1} << 38},
     {.name = "steps", .preset = std::int64_t{64}, .description = "operations on each", .max = 64}}};

}  // namespace
}  // namespace plumbline
