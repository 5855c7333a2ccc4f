// These loops alone are register-only arithmetic. Every chain is a sequence of dependent operations; chains are independent. Maps are
// chosen so that values stay between 0 and 3, keep all their bits alive, and tell how many steps were taken.
#pragma once
#include "ert/lanes.hpp"

enum class PeakForm { fma, add, mul, muladd, fmaadd, scalar_fma, scalar_add };

/// A shape says how much arithmetic a round of the loop holds, and in how many chains. What decides a rate in registers is latency times
/// pipes (8 chains for two pipes of 4 cycles, 18 for A64FX's two of 9), what the loop itself costs, and to which pipes a core hands what;
/// so there are
/// plain   two steps of each chain (muladd: four, fmaadd: seven), in as many chains as 16 or 32 registers hold; scalars: 12;
/// deep    three times as many steps: where count and jump of the loop take the place of arithmetic. (Of an even number of reflections
///         fp16 could not tell whether they were made.)
/// brief   half as many, of muladd: cores that choose a pipe when an instruction comes in may settle into a better order with them
///         (Zen 4 with 12 chains: 4.0 instructions a cycle, 3.65 to 4.0 with the plain ones);
/// wide    24 chains of scalars, where there are 32 registers.
/// Whether an operand is overwritten (FMA 132, 213, 231) makes no difference in registers; operands in memory would be another ceiling.
enum class PeakShape { plain, deep, brief, wide };
constexpr int deep_times = 3;

/// The number of elements in a block, whatever the vector's width: all ISAs do the same arithmetic.
constexpr std::size_t peak_elements = 384;           // of every form but fmaadd: a multiple of chains x lanes everywhere
constexpr std::size_t peak_fmaadd_multiplied = 512;  // fmaadd: elements in FMA chains, 3 steps an iteration,
constexpr std::size_t peak_fmaadd_added = 384;       // and in ADD chains, 4 steps an iteration: as many FMAs as ADDs

template <class Real>
struct Peak {
  PeakForm form;
  PeakShape shape;
  std::size_t iterations;  // rounds of the loop
  const Real* start;
  Real* result;
  Real p, q, r;  // constants of the map
};

namespace {

/// Does `step` so many times, one after the other, without a loop.
template <int times, class Step>
PLUMBLINE_INLINE void repeat(Step step) {
  step();
  if constexpr (times > 1) repeat<times - 1>(step);
}

/// Runs `iteration(chains)` x.iterations times `times` over all elements of the blocks [begin, end).
template <class V, int chains, int times, class Real, class Iteration>
PLUMBLINE_INLINE void run_chains(const Peak<Real>& x, std::size_t begin, std::size_t end, Iteration iteration) {
  constexpr std::size_t step = chains * sizeof(V) / sizeof(Real);
  static_assert(peak_elements % step == 0);
  for (std::size_t i = begin * peak_elements; i < end * peak_elements; i += step) {
    Chains<V, chains> value;
    value.load(x.start + i);
    for (std::size_t n = x.iterations; n != 0; --n) repeat<times>([&]() PLUMBLINE_LAMBDA { iteration(value); });
    value.store(x.result + i);
  }
}

/// The step is x -> p x + r -> q x + r; where an FMA accumulates: x -> x + p x -> x + q x.
template <class V, int chains, int times, class Real>
PLUMBLINE_INLINE void run_fma(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q), r = broadcast<V>(x.r);
  run_chains<V, chains, times>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * p + (fma_accumulates ? v : r); });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * q + (fma_accumulates ? v : r); });
  });
}

/// The step is x -> x + p -> x - q; where numbers have so few bits that a drift would pile values up: x -> x + p -> q - x.
template <class V, int chains, int times, class Real>
PLUMBLINE_INLINE void run_add(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q);
  run_chains<V, chains, times>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v + p; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return sizeof(Real) == 2 ? q - v : v - q; });
  });
}

/// The step is x -> p x -> q x.
template <class V, int chains, int times, class Real>
PLUMBLINE_INLINE void run_mul(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q);
  run_chains<V, chains, times>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * p; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * q; });
  });
}

/// The step is x -> p x + r -> q x + r, by separate instructions.
template <class V, int chains, int times, class Real>
PLUMBLINE_INLINE void run_muladd(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q), r = broadcast<V>(x.r);
  run_chains<V, chains, times>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * p; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v + r; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * q; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v + r; });
  });
}

/// The step is x -> p x + r, by separate instructions.
template <class V, int chains, class Real>
PLUMBLINE_INLINE void run_muladd_once(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), r = broadcast<V>(x.r);
  run_chains<V, chains, 1>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * p; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v + r; });
  });
}

/// The steps are x -> q - p x (3 steps) beside y -> q - y -> p - y (twice): two constants only, so that 8 + 6 chains fit 16 registers.
/// Where an FMA accumulates: x -> x + p x -> x - p x -> x + p x.
template <class V, int unit, int times, class Real>
PLUMBLINE_INLINE void run_fmaadd(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  constexpr int fmas = 8 * unit, adds = 6 * unit;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real), passes = peak_fmaadd_multiplied / (fmas * lanes);
  static_assert(passes * fmas * lanes == peak_fmaadd_multiplied && passes * adds * lanes == peak_fmaadd_added);
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q);
  const auto fma = [=](const V& v) PLUMBLINE_LAMBDA { return fma_accumulates ? v + v * p : q - v * p; };
  const auto second_fma = [=](const V& v) PLUMBLINE_LAMBDA { return (fma_accumulates ? v : q) - v * p; };
  const auto from_q = [=](const V& v) PLUMBLINE_LAMBDA { return q - v; };
  const auto from_p = [=](const V& v) PLUMBLINE_LAMBDA { return p - v; };
  for (std::size_t block = begin; block < end; ++block) {
    const std::size_t first = block * (peak_fmaadd_multiplied + peak_fmaadd_added);
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const std::size_t here = first + pass * fmas * lanes, there = first + peak_fmaadd_multiplied + pass * adds * lanes;
      Chains<V, fmas> multiplied;
      Chains<V, adds> added;
      multiplied.load(x.start + here);
      added.load(x.start + there);
      for (std::size_t n = x.iterations; n != 0; --n)
        repeat<times>([&]() PLUMBLINE_LAMBDA {
          added.apply(from_q);
          multiplied.apply(fma);
          added.apply(from_p);
          multiplied.apply(second_fma);
          added.apply(from_q);
          multiplied.apply(fma);
          added.apply(from_p);
        });
      multiplied.store(x.result + here);
      added.store(x.result + there);
    }
  }
}

/// The number of chains: as many as a block has vectors for; of 2-byte elements half, which still hide the latency.
template <class Real>
PLUMBLINE_INLINE constexpr int vector_chains() {
  constexpr std::size_t vectors = peak_elements / (sizeof(Widest<Real>) / sizeof(Real));
  return vectors < widest_chains ? static_cast<int>(vectors) : widest_chains;
}

template <int times, class Real>
PLUMBLINE_INLINE void run_form(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  constexpr int chains = vector_chains<Real>();
  switch (x.form) {
    case PeakForm::fma:
      return run_fma<V, chains, times>(x, begin, end);
    case PeakForm::add:
      return run_add<V, chains, times>(x, begin, end);
    case PeakForm::mul:
      return run_mul<V, chains, times>(x, begin, end);
    case PeakForm::muladd:
      return run_muladd<V, chains, times>(x, begin, end);
    case PeakForm::fmaadd:
      return run_fmaadd<V, widest_chains / 12, times>(x, begin, end);
    case PeakForm::scalar_fma:
      return run_fma<Real, scalar_chains, times>(x, begin, end);
    case PeakForm::scalar_add:
      return run_add<Real, scalar_chains, times>(x, begin, end);
  }
}

}  // namespace

/// Sweeps the blocks [begin, end).
template <class Real>
static PLUMBLINE_INLINE void sweep(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  if (x.shape == PeakShape::deep) return run_form<deep_times>(x, begin, end);
  if (x.shape == PeakShape::brief) return run_muladd_once<Widest<Real>, vector_chains<Real>()>(x, begin, end);
  if constexpr (wide_scalar_chains > scalar_chains)
    if (x.shape == PeakShape::wide) {
      if (x.form == PeakForm::scalar_fma) return run_fma<Real, wide_scalar_chains, 1>(x, begin, end);
      return run_add<Real, wide_scalar_chains, 1>(x, begin, end);
    }
  run_form<1>(x, begin, end);
}
