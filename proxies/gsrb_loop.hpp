// These loops alone are the Gauss-Seidel, red-black smoother in place. They are compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

enum class GsrbVariant { fp, branch, stride2 };

template <class Real>
struct Gsrb {
  GsrbVariant variant;
  std::size_t n;
  Real* x;           // (n + 2)^3 points, of which the rim is read only
  const Real* rhs;   // n^3
  const Real* mask;  // fp only: two rows of n, 1 where an even or an odd row is red, else 0
  Real six, weight;
};

/// The amount that the red point x[i] gains: the residual of -laplace x = rhs (unit spacing), weighted.
template <class Real>
static inline __attribute__((always_inline)) Real gsrb_gain(const Real* x, std::size_t i, std::size_t row, std::size_t plane, Real rhs,
                                                            Real six, Real weight) {
  const Real* const at = x + i;
  return weight * (rhs - (six * at[0] - (at[plane] + *(at - plane) + at[row] + *(at - row) + at[1] + *(at - 1))));
}

/// Sweeps the rows [begin, end) of the n x n interior ones. Red are the points whose three coordinates, counted from 1, have an odd sum;
/// their neighbours are black, which nobody writes.
template <class Real>
static void sweep(const Gsrb<Real>& s, std::size_t begin, std::size_t end) {
  const std::size_t n = s.n, row = n + 2, plane = row * row;
  const Real six = s.six, weight = s.weight;
  for (std::size_t r = begin; r < end; ++r) {
    const std::size_t k = r / n, j = r % n, black = (j + k) % 2;  // the first point of the row is red, or black
    Real* const x = s.x + (k + 1) * plane + (j + 1) * row + 1;
    const Real* __restrict rhs = s.rhs + r * n;
    switch (s.variant) {
      case GsrbVariant::fp: {
        const Real* __restrict mask = s.mask + black * n;
        for (std::size_t i = 0; i < n; ++i) x[i] = x[i] + mask[i] * gsrb_gain(x, i, row, plane, rhs[i], six, weight);
        break;
      }
      case GsrbVariant::branch:
        for (std::size_t i = 0; i < n; ++i)
          if (i % 2 == black) x[i] = x[i] + gsrb_gain(x, i, row, plane, rhs[i], six, weight);
        break;
      case GsrbVariant::stride2:
        for (std::size_t i = black; i < n; i += 2) x[i] = x[i] + gsrb_gain(x, i, row, plane, rhs[i], six, weight);
        break;
    }
  }
}
