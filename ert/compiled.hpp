// ERT's loop is plain C++ here: load, k dependent FLOPs, store, for every element; each compiler makes of it what it can. The forms for
// vectors are vectorized over elements, those for scalars have a barrier after each element that no vector can cross.
//
// What made ERT's own loop slow or wrong, and what is done here: a 32-bit index held against a 64-bit bound keeps gcc from vectorizing
// (both are std::size_t); unroll-and-jam does two passes at once, and counts their traffic twice (a barrier ends each pass); malloc aligns
// to 16 bytes (here 64, and the compiler is told); one long chain leaves the pipes waiting (the loop over elements is innermost and its
// chains are independent: the compiler may interleave them, and a core runs ahead into the next).
#pragma once
#include <cstddef>
#include <cstdint>

enum class CompiledForm { fma, add, scalar_fma, scalar_add };

/// The numbers of FLOPs an element, k, that there are.
#define PLUMBLINE_COMPILED_FLOPS(X) X(1) X(2) X(4) X(8) X(16) X(32) X(64) X(128) X(256)

/// Parts of a sweep begin at multiples of so many elements; each has its own count of passes.
constexpr std::size_t compiled_grain = 64;

constexpr bool is_fused(CompiledForm form) { return form == CompiledForm::fma || form == CompiledForm::scalar_fma; }
constexpr bool is_scalar(CompiledForm form) { return form == CompiledForm::scalar_fma || form == CompiledForm::scalar_add; }
/// FLOPs of the one step that reflects x; two such steps make a pair.
constexpr std::size_t flops_of_step(CompiledForm form) { return is_fused(form) ? 2 : 1; }

template <class Real>
struct Compiled {
  CompiledForm form;
  std::size_t k, repeat;
  Real* a;
  Real minus, low, high;  // minus = -1. A single step: x -> low - x. A pair: x -> x + (high - low), and back in the next pass.
  std::uint64_t* passes;  // done so far, one a grain: the count of the part that begins there
};

/// Does k FLOPs, each of which needs the one before; nothing of it may be reassociated.
template <CompiledForm form, int k, class Real>
static inline __attribute__((always_inline)) Real chain(Real x, Real minus, Real first, Real second) {
  constexpr int step = flops_of_step(form);
  if constexpr (k == step)
    return is_fused(form) ? x * minus + first : first - x;
  else if constexpr (k == 2 * step)
    return is_fused(form) ? (x * minus + first) * minus + second : (x + second) - first;
  else
    return chain<form, k / 2>(chain<form, k / 2>(x, minus, first, second), minus, first, second);
}

/// Sweeps in a function of its own, so that its machine code can be looked at.
template <CompiledForm form, int k, class Real>
static __attribute__((noinline)) void run_passes(const Compiled<Real>& x, std::size_t begin, std::size_t end) {
  Real* const a = static_cast<Real*>(__builtin_assume_aligned(x.a + begin, 64));
  const std::size_t n = end - begin;
  const Real minus = x.minus;
  std::uint64_t& passes = x.passes[begin / compiled_grain];
  for (std::size_t pass = x.repeat; pass != 0; --pass, ++passes) {
    const bool forth = k == flops_of_step(form) || passes % 2 == 0;
    const Real first = forth ? x.low : x.high, second = forth ? x.high : x.low;
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = chain<form, k>(a[i], minus, first, second);
      if constexpr (is_scalar(form)) asm volatile("" ::: "memory");
    }
    asm volatile("" ::: "memory");
  }
}

template <CompiledForm form, class Real>
static void run(const Compiled<Real>& x, std::size_t begin, std::size_t end) {
  switch (x.k) {
#define PLUMBLINE_COMPILED_CASE(flops) \
  case flops:                          \
    if constexpr (flops >= flops_of_step(form)) return run_passes<form, flops>(x, begin, end);
    PLUMBLINE_COMPILED_FLOPS(PLUMBLINE_COMPILED_CASE)
#undef PLUMBLINE_COMPILED_CASE
  }
}

template <class Real>
static void sweep(const Compiled<Real>& x, std::size_t begin, std::size_t end) {
  switch (x.form) {
    case CompiledForm::fma:
      return run<CompiledForm::fma>(x, begin, end);
    case CompiledForm::add:
      return run<CompiledForm::add>(x, begin, end);
    case CompiledForm::scalar_fma:
      return run<CompiledForm::scalar_fma>(x, begin, end);
    case CompiledForm::scalar_add:
      return run<CompiledForm::scalar_add>(x, begin, end);
  }
}
