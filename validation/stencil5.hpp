// This loop alone is the 5-point stencil in two dimensions (Kwack et al. 2018, Table III). It is compiled once a flavor, and once on
// Counted.
#pragma once
#include <cstddef>

template <class Real>
struct Stencil5 {
  const Real* in;  // (n + 2) x (n + 2), of which the rim is read only
  Real* out;       // likewise, of which the rim is not touched
  std::size_t n;
  Real quarter;
};

/// Sweeps the rows [begin, end) of the n interior ones.
template <class Real>
static void sweep(const Stencil5<Real>& x, std::size_t begin, std::size_t end) {
  const Real* __restrict in = x.in;
  Real* __restrict out = x.out;
  const std::size_t n = x.n, row = n + 2;
  const Real quarter = x.quarter;
  for (std::size_t i = begin + 1; i <= end; ++i)
    for (std::size_t j = i * row + 1; j <= i * row + n; ++j) out[j] = quarter * (in[j + row] + in[j - row] + in[j + 1] + in[j - 1]);
}
