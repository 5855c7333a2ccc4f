// These loops alone are dot products of bf16 pairs, added to fp32 sums: s -> s + a0 b0 + a1 b1 -> s + a0 c0 + a1 c1, in independent chains.
#pragma once
#include "ert/bf16_instruction.hpp"
#include "ert/dot_chains.hpp"

/// The type in which products of Real are added up: float; for a counting number, another one.
template <class Real, bool is_class = __is_class(Real)>
struct SumOf {
  using type = float;
};
template <class Real>
struct SumOf<Real, true> {
  using type = Real;
};

template <class Real>  // bf16 as its bits (unsigned short), or a class
struct Bf16Dot {
  using Sum = typename SumOf<Real>::type;
  std::size_t iterations;
  const Sum* start;
  Sum* result;
  const Real *a, *b, *c;
};

namespace {

#if defined(PLUMBLINE_ADD_BF16_DOT)

template <class Real>
PLUMBLINE_INLINE void run_dots(const Bf16Dot<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<float>;
  run_dot_chains<V, 2>(x, begin, end, [](const V& sum, const V& u, const V& v) PLUMBLINE_LAMBDA {
    V added = sum;
    PLUMBLINE_ADD_BF16_DOT(added, u, v);
    return added;
  });
}

#else

PLUMBLINE_INLINE float value_of(unsigned short bf16) {
  const unsigned bits = static_cast<unsigned>(bf16) << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
template <class Real>
PLUMBLINE_INLINE const Real& value_of(const Real& x) {
  return x;
}

/// The instruction in words: the arithmetic that the model counts.
template <class Real>
PLUMBLINE_INLINE void run_dots(const Bf16Dot<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin * dot_sums; i < end * dot_sums; ++i) {
    const std::size_t pair = i % dot_lanes * 2;
    typename Bf16Dot<Real>::Sum sum = x.start[i];
    for (std::size_t n = x.iterations; n != 0; --n)
      for (const Real* factors : {x.b, x.c}) {
        sum = sum + value_of(x.a[pair + 1]) * value_of(factors[pair + 1]);
        sum = sum + value_of(x.a[pair]) * value_of(factors[pair]);
      }
    x.result[i] = sum;
  }
}

#endif

}  // namespace

/// Sweeps the blocks [begin, end).
template <class Real>
static void sweep(const Bf16Dot<Real>& x, std::size_t begin, std::size_t end) {
  run_dots(x, begin, end);
}
