// This loop alone is a = b + s a. It is compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

template <class Real>
struct Xpay {
  Real* a;
  const Real* b;
  Real s;
};

template <class Real>
static void sweep(const Xpay<Real>& x, std::size_t begin, std::size_t end) {
  Real* __restrict a = x.a;
  const Real* __restrict b = x.b;
  const Real s = x.s;
  for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + s * a[i];
}
