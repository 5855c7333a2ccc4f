// These loops alone are dot products of four int8 numbers, added to int32 sums: s -> s + a b -> s + a c, in independent chains.
#pragma once
#include "ert/dot_chains.hpp"

/// The sums of products of int8, and the unsigned factors; of a counting number, another one.
template <class Real>
struct Int8Sum {
  using Sum = Real;
  using Unsigned = Real;
};
template <>
struct Int8Sum<signed char> {
  using Sum = int;
  using Unsigned = unsigned char;
};

template <class Real>  // signed char, or a class
struct Int8Dot {
  using Sum = typename Int8Sum<Real>::Sum;
  using Unsigned = typename Int8Sum<Real>::Unsigned;
  std::size_t iterations;
  const Sum* start;
  Sum* result;
  const Unsigned* a;
  const Real *b, *c;
};

namespace {

#if defined(__AVX512VNNI__)
#define PLUMBLINE_ADD_INT8_DOT(sum, u, v) asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(u), "v"(v))
#elif defined(__AVXVNNI__)
#define PLUMBLINE_ADD_INT8_DOT(sum, u, v) asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(u), "x"(v))
#endif

#if defined(PLUMBLINE_ADD_INT8_DOT)

template <class Real>
PLUMBLINE_INLINE void run_dots(const Int8Dot<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<int>;
  run_dot_chains<V, 4>(x, begin, end, [](const V& sum, const V& u, const V& v) PLUMBLINE_LAMBDA {
    V added = sum;
    PLUMBLINE_ADD_INT8_DOT(added, u, v);
    return added;
  });
}

#else

/// The instruction in words: the arithmetic that the model counts.
template <class Real>
PLUMBLINE_INLINE void run_dots(const Int8Dot<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin * dot_sums; i < end * dot_sums; ++i) {
    const std::size_t first = i % dot_lanes * 4;
    typename Int8Dot<Real>::Sum sum = x.start[i];
    for (std::size_t n = x.iterations; n != 0; --n)
      for (const Real* factors : {x.b, x.c})
        for (std::size_t k = first; k < first + 4; ++k) sum = sum + x.a[k] * factors[k];
    x.result[i] = sum;
  }
}

#endif

}  // namespace

/// Sweeps the blocks [begin, end).
template <class Real>
static void sweep(const Int8Dot<Real>& x, std::size_t begin, std::size_t end) {
  run_dots(x, begin, end);
}
