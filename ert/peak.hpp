// These loops alone are register-only arithmetic. Every chain is a sequence of dependent operations; chains are independent. Maps are
// chosen so that values stay between 0 and 3, keep all their bits alive, and tell how many steps were taken.
#pragma once
#include "ert/lanes.hpp"
#include "ert/peak_forms.hpp"

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
