// This loop alone is the matrix product C = A B by three plain loops. It is compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

template <class Real>
struct Dgemm {
  const Real *a, *b;  // n x n, by rows
  Real* c;
  std::size_t n;
};

/// Sweeps the rows [begin, end) of C. The innermost loop runs along rows of B and C: no sum is reordered, and lanes lie side by side.
template <class Real>
static void sweep(const Dgemm<Real>& x, std::size_t begin, std::size_t end) {
  const Real* __restrict b = x.b;
  const std::size_t n = x.n;
  for (std::size_t i = begin; i < end; ++i) {
    const Real* __restrict a = x.a + i * n;
    Real* __restrict c = x.c + i * n;
    for (std::size_t j = 0; j < n; ++j) c[j] = Real(0);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c[j] = c[j] + a[k] * b[k * n + j];
  }
}
