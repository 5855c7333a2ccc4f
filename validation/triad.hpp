// This loop alone is the STREAM triad. It is compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

template <class Real>
struct Triad {
  Real* a;
  const Real *b, *c;
  Real s;
};

template <class Real>
static void sweep(const Triad<Real>& x, std::size_t begin, std::size_t end) {
  Real* __restrict a = x.a;
  const Real* __restrict b = x.b;
  const Real* __restrict c = x.c;
  const Real s = x.s;
  for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + s * c[i];
}
