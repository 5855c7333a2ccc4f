// These loops alone are the heat equation's: a step in time, and the energy of what it left. They are compiled once a flavor, and once on
// Counted.
#pragma once
#include <cstddef>

enum class HeatLoop { update, energy, total };

template <class Real>
struct Heat2d {
  HeatLoop loop;
  std::size_t n;
  const Real* in;  // (n + 2) x n, of which the first and the last row belong to neighbours
  Real* out;       // likewise
  Real* of_rows;   // n: the energy of each row
  double* all;     // 1: their sum
  Real four, courant;
};

/// The new temperature of a point.
template <class Real>
static inline __attribute__((always_inline)) Real heat_point(const Heat2d<Real>& x, Real here, Real up, Real down, Real left, Real right) {
  return here + x.courant * (((up + down) + (left + right)) - x.four * here);
}

/// Row r, counted from 0, of the n that are ours. Its ends are each other's neighbours.
template <class Real>
static inline void heat_row(const Heat2d<Real>& x, std::size_t r) {
  const std::size_t n = x.n, last = n - 1, second = n > 1 ? 1 : 0;
  const Real* __restrict here = x.in + (r + 1) * n;
  const Real *up = here - n, *down = here + n;
  Real* __restrict to = x.out + (r + 1) * n;
  to[0] = heat_point(x, here[0], up[0], down[0], here[last], here[second]);
  for (std::size_t j = 1; j < last; ++j) to[j] = heat_point(x, here[j], up[j], down[j], here[j - 1], here[j + 1]);
  if (n > 1) to[last] = heat_point(x, here[last], up[last], down[last], here[last - 1], here[0]);
}

/// Rows [begin, end) of an update or of the energy; the total has a range of one.
template <class Real>
static void sweep(const Heat2d<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t n = x.n;
  switch (x.loop) {
    case HeatLoop::update:
      for (std::size_t r = begin; r < end; ++r) heat_row(x, r);
      break;
    case HeatLoop::energy:
      for (std::size_t r = begin; r < end; ++r) {
        const Real* row = x.in + (r + 1) * n;
        Real sum = row[0] * row[0];
        for (std::size_t j = 1; j < n; ++j) sum = sum + row[j] * row[j];
        x.of_rows[r] = sum;
      }
      break;
    case HeatLoop::total:
      for (std::size_t i = begin; i < end; ++i) {
        Real sum = x.of_rows[0];
        for (std::size_t r = 1; r < n; ++r) sum = sum + x.of_rows[r];
        x.all[i] = static_cast<double>(sum);
      }
      break;
  }
}
