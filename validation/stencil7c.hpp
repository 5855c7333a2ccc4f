// This loop alone is the 7-point stencil in three dimensions with its centre (Yang 2019). It is compiled once a flavor, and once on
// Counted.
#pragma once
#include <cstddef>

template <class Real>
struct Stencil7c {
  const Real* in;  // (n + 2)^3 points, of which the rim is read only
  Real* out;       // likewise, of which the rim is not touched
  std::size_t n;
  Real centre;
};

/// Sweeps the rows [begin, end) of the n x n interior ones.
template <class Real>
static void sweep(const Stencil7c<Real>& x, std::size_t begin, std::size_t end) {
  const Real* __restrict in = x.in;
  Real* __restrict out = x.out;
  const std::size_t n = x.n, row = n + 2, plane = row * row;
  const Real centre = x.centre;
  for (std::size_t r = begin; r < end; ++r) {
    const std::size_t first = (r / n + 1) * plane + (r % n + 1) * row + 1;
    for (std::size_t i = first; i < first + n; ++i)
      out[i] = centre * in[i] + in[i + plane] + in[i - plane] + in[i + row] + in[i - row] + in[i + 1] + in[i - 1];
  }
}
