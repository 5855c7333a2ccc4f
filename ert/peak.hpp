// Register-only arithmetic: the loops alone. Every chain is a sequence of dependent operations; chains are independent.
// Maps are chosen so that values stay between 0 and 3, keep all their bits alive, and tell how many steps were taken.
#pragma once
#include "ert/lanes.hpp"

enum class PeakForm { fma, add, mul, muladd, fmaadd, scalar_fma, scalar_add };

/// A block is so many elements, whatever the vector's width: all ISAs do the same arithmetic.
constexpr std::size_t peak_elements = 384;           // of every form but fmaadd: a multiple of chains x lanes everywhere
constexpr std::size_t peak_fmaadd_multiplied = 512;  // fmaadd: elements in FMA chains, 3 steps an iteration,
constexpr std::size_t peak_fmaadd_added = 384;       // and in ADD chains, 4 steps an iteration: as many FMAs as ADDs

template <class Real>
struct Peak {
  PeakForm form;
  std::size_t iterations;
  const Real* start;
  Real* result;
  Real p, q, r;  // constants of the map
};

namespace {

/// Runs `iteration(chains)` x.iterations times over all elements of the blocks [begin, end).
template <class V, int chains, class Real, class Iteration>
PLUMBLINE_INLINE void run_chains(const Peak<Real>& x, std::size_t begin, std::size_t end, Iteration iteration) {
  constexpr std::size_t step = chains * sizeof(V) / sizeof(Real);
  static_assert(peak_elements % step == 0);
  for (std::size_t i = begin * peak_elements; i < end * peak_elements; i += step) {
    Chains<V, chains> value;
    value.load(x.start + i);
    for (std::size_t n = x.iterations; n != 0; --n) iteration(value);
    value.store(x.result + i);
  }
}

/// x -> p x + r -> q x + r; where an FMA accumulates: x -> x + p x -> x + q x
template <class V, int chains, class Real>
PLUMBLINE_INLINE void run_fma(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q), r = broadcast<V>(x.r);
  run_chains<V, chains>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * p + (fma_accumulates ? v : r); });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * q + (fma_accumulates ? v : r); });
  });
}

/// x -> x + p -> x - q; of so few bits that a drift would pile values up: x -> x + p -> q - x
template <class V, int chains, class Real>
PLUMBLINE_INLINE void run_add(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q);
  run_chains<V, chains>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v + p; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return sizeof(Real) == 2 ? q - v : v - q; });
  });
}

/// x -> p x -> q x
template <class V, int chains, class Real>
PLUMBLINE_INLINE void run_mul(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q);
  run_chains<V, chains>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * p; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * q; });
  });
}

/// x -> p x + r -> q x + r, by separate instructions.
template <class V, int chains, class Real>
PLUMBLINE_INLINE void run_muladd(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  const V p = broadcast<V>(x.p), q = broadcast<V>(x.q), r = broadcast<V>(x.r);
  run_chains<V, chains>(x, begin, end, [=](auto& value) PLUMBLINE_LAMBDA {
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * p; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v + r; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v * q; });
    value.apply([=](const V& v) PLUMBLINE_LAMBDA { return v + r; });
  });
}

/// x -> q - p x (3 steps) beside y -> q - y -> p - y (twice): two constants only, so that 8 + 6 chains fit 16 registers.
/// Where an FMA accumulates: x -> x + p x -> x - p x -> x + p x.
template <class V, int unit, class Real>
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
      for (std::size_t n = x.iterations; n != 0; --n) {
        added.apply(from_q);
        multiplied.apply(fma);
        added.apply(from_p);
        multiplied.apply(second_fma);
        added.apply(from_q);
        multiplied.apply(fma);
        added.apply(from_p);
      }
      multiplied.store(x.result + here);
      added.store(x.result + there);
    }
  }
}

}  // namespace

/// Blocks [begin, end).
template <class Real>
static void sweep(const Peak<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  // as many as a block has vectors for: of 2-byte elements half, which still hide the latency
  constexpr std::size_t vectors = peak_elements / (sizeof(V) / sizeof(Real));
  constexpr int chains = vectors < widest_chains ? static_cast<int>(vectors) : widest_chains;
  switch (x.form) {
    case PeakForm::fma:
      return run_fma<V, chains>(x, begin, end);
    case PeakForm::add:
      return run_add<V, chains>(x, begin, end);
    case PeakForm::mul:
      return run_mul<V, chains>(x, begin, end);
    case PeakForm::muladd:
      return run_muladd<V, chains>(x, begin, end);
    case PeakForm::fmaadd:
      return run_fmaadd<V, widest_chains / 12>(x, begin, end);
    case PeakForm::scalar_fma:
      return run_fma<Real, scalar_chains>(x, begin, end);
    case PeakForm::scalar_add:
      return run_add<Real, scalar_chains>(x, begin, end);
  }
}
