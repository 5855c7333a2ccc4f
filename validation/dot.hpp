// This loop alone is the dot product by blocks. It is compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

constexpr std::size_t dot_block = 1024;

template <class Real>
struct Dot {
  const Real *a, *b;
  Real* partial;  // one a block
  std::size_t n;
};

template <class Real>
static void sweep(const Dot<Real>& x, std::size_t begin, std::size_t end) {
  const Real* __restrict a = x.a;
  const Real* __restrict b = x.b;
  Real* __restrict partial = x.partial;
  for (std::size_t block = begin; block < end; ++block) {
    const std::size_t first = block * dot_block, last = x.n - first < dot_block ? x.n : first + dot_block;
    Real sum = 0;
    for (std::size_t i = first; i < last; ++i) sum = sum + a[i] * b[i];
    partial[block] = sum;
  }
}
