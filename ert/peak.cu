// Arithmetic that never leaves the registers: what a GPU's multiprocessors can do at all, by kind of instruction, and how many warps they
// need for it. Every number that is computed is known, rounding by rounding. (Empirical Roofline Toolkit, Lo et al. 2014.)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/array.hpp"
#include "core/narrow.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/clock_span.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

enum class Form { fma, muladd, add, mul };

constexpr int loop_instructions = 256;  // of a thread in one iteration, beside five of the loop
/// The number of independent chains of a thread: more than any pipe is long, with four warps a scheduler. For single 16-bit numbers it is
/// one, for the assembler makes one instruction of two chains.
PLUMBLINE_BOTH constexpr int chains_of(bool single_halves) { return single_halves ? 1 : 8; }
/// The number of operations that one iteration does in each chain.
PLUMBLINE_BOTH constexpr int operations_of(bool single_halves) { return loop_instructions / chains_of(single_halves); }
constexpr std::size_t starts = 64;  // different starting values: each is gone through on the host when a result is checked

struct FormWord {
  std::string_view word;
  std::uint64_t fma, add, mul;  // of a thread in an iteration, of each of its lanes
};
constexpr std::array forms{FormWord{"fma", loop_instructions, 0, 0}, FormWord{"muladd", 0, loop_instructions / 2, loop_instructions / 2},
                           FormWord{"add", 0, loop_instructions, 0}, FormWord{"mul", 0, 0, loop_instructions}};

Form form_of(const Parameters& p) {
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const FormWord& f) { return f.word == p.word("form"); });
  return static_cast<Form>(found - forms.begin());
}

/// fma and muladd: x -> p x + r, x -> q x + r with p q = -(1 - 2^-16), a reflection about 3/4 that hardly draws nearer; mul: q = about 1/p;
/// add: q = about -p. So that values stay varied and of the same size.
template <class Lane>
struct Operands {
  Lane p, q, r;
};

// ------------------------------------------------------------------------------------------------- one operation, rounded once

__device__ __forceinline__ double fma_once(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ __forceinline__ float fma_once(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double mul_once(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ float mul_once(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ double add_once(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ float add_once(float a, float b) { return __fadd_rn(a, b); }
#define PLUMBLINE_HALF_OPERATIONS(Type, fma, mul, add)                                      \
  __device__ __forceinline__ Type fma_once(Type a, Type b, Type c) { return fma(a, b, c); } \
  __device__ __forceinline__ Type mul_once(Type a, Type b) { return mul(a, b); }            \
  __device__ __forceinline__ Type add_once(Type a, Type b) { return add(a, b); }
PLUMBLINE_HALF_OPERATIONS(__half, __hfma, __hmul_rn, __hadd_rn)
PLUMBLINE_HALF_OPERATIONS(__half2, __hfma2, __hmul2_rn, __hadd2_rn)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
PLUMBLINE_HALF_OPERATIONS(__nv_bfloat16, __hfma, __hmul_rn, __hadd_rn)
PLUMBLINE_HALF_OPERATIONS(__nv_bfloat162, __hfma2, __hmul2_rn, __hadd2_rn)
#else  // no flavor
template <class Bf16Lane>
__device__ Bf16Lane fma_once(Bf16Lane a, Bf16Lane, Bf16Lane) {
  return a;
}
template <class Bf16Lane>
__device__ Bf16Lane mul_once(Bf16Lane a, Bf16Lane) {
  return a;
}
template <class Bf16Lane>
__device__ Bf16Lane add_once(Bf16Lane a, Bf16Lane) {
  return a;
}
#endif

/// Does one operation on the host. Of 16-bit numbers product and sum are exact in double.
template <class Real>
Real host_fma(Real a, Real b, Real c) {
  if constexpr (std::is_same_v<Real, Counted>)
    return cuda::fused(a, b, c);
  else if constexpr (std::is_floating_point_v<Real>)
    return std::fma(a, b, c);
  else
    return Real(double(a) * double(b) + double(c));
}
template <class Real>
Real host_mul(Real a, Real b) {
  if constexpr (sizeof(Real) > 2)
    return a * b;
  else
    return Real(double(a) * double(b));
}
template <class Real>
Real host_add(Real a, Real b) {
  if constexpr (sizeof(Real) > 2)
    return a + b;
  else
    return Real(double(a) + double(b));
}

/// Does two operations of a chain.
template <Form form, class Lane>
__device__ __forceinline__ Lane pair(Lane x, const Operands<Lane>& o, bool odd) {
  if constexpr (form == Form::fma) return fma_once(fma_once(x, o.p, o.r), o.q, o.r);
  if constexpr (form == Form::muladd) return add_once(mul_once(x, odd ? o.q : o.p), o.r);
  if constexpr (form == Form::add) return add_once(add_once(x, o.p), o.q);
  if constexpr (form == Form::mul) return mul_once(mul_once(x, o.p), o.q);
}
template <class Real>
Real host_pair(Form form, Real x, const Operands<Real>& o, bool odd) {
  switch (form) {
    case Form::fma:
      return host_fma(host_fma(x, o.p, o.r), o.q, o.r);
    case Form::muladd:
      return host_add(host_mul(x, odd ? o.q : o.p), o.r);
    case Form::add:
      return host_add(host_add(x, o.p), o.q);
    case Form::mul:
      return host_mul(host_mul(x, o.p), o.q);
  }
  return x;
}
template <class Real>
Real host_chain(Form form, Real x, const Operands<Real>& o, std::uint64_t operations) {
  for (std::uint64_t i = 0; i < operations / 2; ++i) x = host_pair(form, x, o, i % 2 != 0);
  return x;
}

// ---------------------------------------------------------------------------------------------------------------------- the kernel

template <class Real>
struct Peak {
  Form form;
  bool packed;  // two 16-bit numbers an instruction
  unsigned threads;
  std::uint64_t iterations;
  Operands<Real> operands;
  const Real* start;  // `starts`
  Real* result;       // of each thread of each block: chains, of 1 or 2 lanes
  int lanes() const { return packed ? 2 : 1; }
  bool single_halves() const { return sizeof(Real) == 2 && !packed; }
  std::uint64_t operations() const { return iterations * static_cast<std::uint64_t>(operations_of(single_halves())); }  // of a chain
};

template <class Lane>
constexpr bool is_pair = std::is_same_v<Lane, __half2> || std::is_same_v<Lane, __nv_bfloat162>;

/// Sweeps in at most 32 registers (tests/cuda/kernel_code_test.cpp holds it), so that all warps of a multiprocessor are there at once: no
/// block is left for later.
template <Form form, class Lane>
__global__ void __launch_bounds__(1024)
    peak(const Lane* start, Lane* result, std::uint64_t iterations, Operands<Lane> o, std::size_t first_block, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
  constexpr std::size_t lane_starts = is_pair<Lane> ? starts / 2 : starts;
  constexpr int chains = chains_of(sizeof(Lane) == 2), operations = operations_of(sizeof(Lane) == 2);
  const std::size_t chain = ((first_block + blockIdx.x) * blockDim.x + threadIdx.x) * chains;
  Lane x[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) x[c] = start[(chain + c) % lane_starts];
#pragma unroll 1
  for (std::uint64_t i = iterations; i != 0; --i) {
#pragma unroll
    for (int k = 0; k < operations / 2; ++k)
#pragma unroll
      for (int c = 0; c < chains; ++c) x[c] = pair<form>(x[c], o, k % 2 != 0);
  }
#pragma unroll
  for (int c = 0; c < chains; ++c) result[chain + c] = x[c];
}

template <class Lane, class Real>
void launch_with(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const auto run = [&]<Form form>() {
    const auto both = [](Real value) {
      Lane lane{};
      for (std::size_t k = 0; k < sizeof(Lane) / sizeof(Real); ++k) reinterpret_cast<Real*>(&lane)[k] = value;
      return lane;
    };
    const Operands<Lane> operands{both(x.operands.p), both(x.operands.q), both(x.operands.r)};
    cuda::next_launch((end - begin) * x.threads, {std::uint64_t{x.iterations}});
    peak<form><<<static_cast<unsigned>(end - begin), x.threads, 0, cuda::stream()>>>(
        reinterpret_cast<const Lane*>(x.start), reinterpret_cast<Lane*>(x.result), x.iterations, operands, begin, cuda::clock_span());
  };
  switch (x.form) {
    case Form::fma:
      return run.template operator()<Form::fma>();
    case Form::muladd:
      return run.template operator()<Form::muladd>();
    case Form::add:
      return run.template operator()<Form::add>();
    case Form::mul:
      return run.template operator()<Form::mul>();
  }
}

template <class Real>
Operands<Real> operands_of(Form form) {
  constexpr double p = 1.375;  // has a bf16
  switch (form) {
    case Form::fma:
    case Form::muladd: {
      const Real q((1 - 0x1p-16) / p);
      return {Real(-p), q, Real(0.75 * (2 - 0x1p-16) / (1 + static_cast<double>(q)))};
    }
    case Form::add:
      return {Real(0.625 + 0x1p-20), Real(-0.625), Real(0)};
    case Form::mul:
      return {Real(p), Real((1 + 0x1p-18) / p), Real(0)};
  }
  return {};
}

template <class Real>
class PeakCase final : public Workload {
 public:
  using Arguments = Peak<Real>;

  static constexpr int from_architecture() { return std::is_same_v<Real, Bf16> ? 80 : 0; }
  static Work model(const Parameters& p, std::string_view) {
    const FormWord& f = forms[static_cast<std::size_t>(form_of(p))];
    const std::uint64_t elements = elements_of(p), real = sizeof(Real),
                        times = p.integer("blocks") * p.integer("threads") * (is_packed(p) ? 2U : 1U) * p.integer("iterations");
    const std::string flops = "flops." + std::string(precision_of<Real>());
    // Every block reads all starting values: which ones find them in their multiprocessor's L1 is the GPU's choice.
    const std::uint64_t most = p.integer("blocks") * starts * real;
    Work work{
        .streams = {{.array = "start",
                     .footprint_bytes = starts * real,
                     .read = true,
                     .loads = elements,
                     .element_bytes = real,
                     .layers = {{.reuse_bytes = starts * real, .fetched_bytes = most, .upper_bound = true}}},
                    {.array = "result", .footprint_bytes = elements * real, .written = true, .stores = elements, .element_bytes = real},
                    cuda::clock_stream()}};
    work.flops[flops + ".fma"] = times * f.fma;  // that there is none is known as well
    if (f.add != 0) work.flops[flops + ".add"] = times * f.add;
    if (f.mul != 0) work.flops[flops + ".mul"] = times * f.mul;
    if (sizeof(Real) == 2 && f.fma == 0) {
      // ptxas gives a part of them, or all, to the units for FMAs, but makes one instruction of no two (disassembled).
      work.flops[flops + ".fma"] = {0, times * (f.add + f.mul)};
      if (f.add != 0) work.flops[flops + ".add"].lo = 0;
      if (f.mul != 0) work.flops[flops + ".mul"].lo = 0;
      work.note = "the assembler makes FMAs of 16-bit sums (x 1 + y) and products (x y - 0), as many as it likes: " +
                  std::to_string(times * (f.add + f.mul)) + " operations altogether, none of them fused with another";
    }
    if (p.word("packed") == "yes" && sizeof(Real) != 2) work.note = "packed: an instruction has one number of this precision all the same";
    return work;
  }

  PeakCase(const Parameters& p, DeviceMemory& memory)
      : blocks_(p.integer("blocks")), start_(starts, memory), result_(elements_of(p), memory) {
    const Form form = form_of(p);
    arguments_ = {.form = form,
                  .packed = is_packed(p),
                  .threads = static_cast<unsigned>(p.integer("threads")),
                  .iterations = p.integer("iterations"),
                  .operands = operands_of<Real>(form),
                  .start = start_.data(),
                  .result = result_.data()};
  }

  std::size_t extent() const override { return blocks_; }
  void initialise(std::size_t begin, std::size_t end) override {
    start_.fill(0, starts, &start);
    const std::size_t block = result_.size() / blocks_;
    result_.fill(begin * block, end * block, [](std::size_t) { return Real(0.5); });
  }
  const void* arguments() const override { return &arguments_; }

  static void launch(const Arguments& x, std::size_t begin, std::size_t end) {
    if constexpr (std::is_same_v<Real, Fp16>) {
      x.packed ? launch_with<__half2>(x, begin, end) : launch_with<__half>(x, begin, end);
    } else if constexpr (std::is_same_v<Real, Bf16>) {
      x.packed ? launch_with<__nv_bfloat162>(x, begin, end) : launch_with<__nv_bfloat16>(x, begin, end);
    } else {
      launch_with<Real>(x, begin, end);
    }
  }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) {
    const std::size_t block = x.threads * static_cast<std::size_t>(chains_of(x.single_halves()) * x.lanes());
    for (std::size_t i = begin * block; i < end * block; ++i)
      x.result[i] = host_chain(x.form, x.start[i % starts], x.operands, x.operations());
  }

  /// The part of all results that differ in any bit from the same operations on the host.
  double error() const override {
    std::vector<double> exact;
    for (std::size_t i = 0; i < starts; ++i)
      exact.push_back(static_cast<double>(host_chain(arguments_.form, start(i), arguments_.operands, arguments_.operations())));
    std::size_t wrong = 0;
    result_.read(0, result_.size(), [&](std::size_t i, Real x) { wrong += static_cast<double>(x) != exact[i % starts]; });
    return static_cast<double>(wrong) / static_cast<double>(result_.size());
  }
  double tolerance() const override { return 0; }

 private:
  static Real start(std::size_t i) { return Real(varied(1, i)); }
  static bool is_packed(const Parameters& p) { return sizeof(Real) == 2 && p.word("packed") == "yes"; }
  static std::uint64_t elements_of(const Parameters& p) {
    const bool single_halves = sizeof(Real) == 2 && !is_packed(p);
    return p.integer("blocks") * p.integer("threads") * static_cast<unsigned>(chains_of(single_halves)) * (is_packed(p) ? 2U : 1U);
  }

  std::size_t blocks_;
  DeviceArray<Real> start_, result_;
  Peak<Real> arguments_;
};

const cuda::Register<PeakCase, double, float, Fp16, Bf16> peak_registered{
    "ert/peak",
    "Arithmetic in registers: 8 independent chains a thread (of single 16-bit numbers 1), 256 instructions an iteration (Lo et al. 2014)",
    {{.name = "form", .preset = std::string("fma"), .description = "operations of a chain", .choices = {"fma", "muladd", "add", "mul"}},
     {.name = "packed", .preset = std::string("yes"), .description = "16-bit numbers two an instruction, or one", .choices = {"yes", "no"}},
     {.name = "blocks", .preset = std::int64_t{528}, .description = "thread blocks", .max = 1 << 20},
     {.name = "threads", .preset = std::int64_t{256}, .description = "threads a block", .min = 32, .max = 1024},
     {.name = "iterations", .preset = std::int64_t{2048}, .description = "times 256 instructions of each thread"}}};

}  // namespace
}  // namespace plumbline
