// The parameterized vector of the Empirical Roofline Toolkit does k FLOPs between one load and one store of each element.
#pragma once
#include <cstdint>

#include "ert/lanes.hpp"

/// Parts of a sweep begin at multiples of so many elements; each has its own count of passes.
constexpr std::size_t vector_grain = 64;

template <class Real>
struct ErtVector {
  Real* a;
  std::size_t k, repeat;
  Real minus, low, high;  // x -> minus x + low -> minus x + high, minus = -1: drifts by high - low, and back in the next pass
  std::uint64_t* passes;  // done so far, one a grain: the count of the part that begins there
};

namespace {

/// The most FLOPs an element at which short blocks are faster: the loads and stores of one overlap with the arithmetic of the next (on Zen
/// 5 long runs of stores and of FMAs wait for one another: k = 8 reaches 21 of 32 FLOP/clk with 12 or 24 chains, 32 with 4).
constexpr std::size_t few_flops = 32;

/// Passes once over one block of chains: load, k FLOPs, store.
template <class V, int chains, class Real>
PLUMBLINE_INLINE void sweep_block(Real* a, std::size_t k, const V& minus, const V& first, const V& second) {
  Chains<V, chains> x;
  x.load(a);
  if (k == 1) x.apply([=](const V& v) PLUMBLINE_LAMBDA { return first - v; });
  if (k == 2) x.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * minus + first; });
  V opaque = minus;
  for (std::size_t pair = k / 4; pair != 0; --pair) {
    if constexpr (fma_accumulates) {  // the same two values, with x as the sum; the products must not be taken out of the loop
      x.apply([&opaque, &first](const V& v) PLUMBLINE_LAMBDA { return keep(opaque), v + opaque * first; });
      x.apply([&opaque, &second](const V& v) PLUMBLINE_LAMBDA { return keep(opaque), v - opaque * second; });
    } else {
      x.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * minus + first; });
      x.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * minus + second; });
    }
  }
  x.store(a);
}

/// Sweeps as many whole blocks of `chains` vectors as fit from `begin`; returns where it stopped.
template <class V, int chains, class Real>
PLUMBLINE_INLINE std::size_t sweep_blocks(const ErtVector<Real>& x, std::size_t begin, std::size_t end, Real first_step, Real second_step) {
  constexpr std::size_t elements = chains * sizeof(V) / sizeof(Real);
  const V minus = broadcast<V>(x.minus), first = broadcast<V>(first_step), second = broadcast<V>(second_step);
  Real* const a = x.a;
  const std::size_t k = x.k;
  std::size_t i = begin;
  for (; end - i >= elements; i += elements) sweep_block<V, chains>(a + i, k, minus, first, second);
  return i;
}

}  // namespace

template <class Real>
static void sweep(const ErtVector<Real>& x, std::size_t begin, std::size_t end) {
  std::uint64_t& passes = x.passes[begin / vector_grain];
  // A single step must always be the same one; pairs of steps change places from pass to pass.
  const bool pairs = x.k > 2;
  for (std::size_t n = x.repeat; n != 0; --n, ++passes) {
    const bool forth = !pairs || passes % 2 == 0;
    const Real first = forth ? x.low : x.high, second = forth ? x.high : x.low;
    std::size_t i = x.k <= few_flops ? sweep_blocks<Widest<Real>, 4>(x, begin, end, first, second)
                                     : sweep_blocks<Widest<Real>, widest_chains>(x, begin, end, first, second);
    i = sweep_blocks<Widest<Real>, 1>(x, i, end, first, second);
    sweep_blocks<Real, 1>(x, i, end, first, second);
  }
}
