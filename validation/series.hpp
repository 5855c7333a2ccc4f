// Geometric series 1 + x + ... + x^n of every element, in the three forms of Kwack et al. 2018, Table II. Compiled once a flavor, and once
// on Counted.
#pragma once
#include <cstddef>

enum class SeriesForm { inlined, loop, power };

constexpr int series_max_order = 29;

template <class Real>
struct Series {
  SeriesForm form;
  int n;
  Real one;  // 1, in memory: a compiler that knew it would not multiply by it
  const Real* x;
  Real* sum;
};

/// sum + power x + ... + x^n, where power = x^k: every power is the last one times x, and is used twice.
template <int k, int n, class Real>
static inline __attribute__((always_inline)) Real series_rest(Real sum, Real power, Real x) {
  if constexpr (k == n) {
    return sum;
  } else {
    const Real next = power * x;
    return series_rest<k + 1, n>(sum + next, next, x);
  }
}

template <int n, class Real>
static void sweep_inlined(const Series<Real>& s, std::size_t begin, std::size_t end) {
  if constexpr (n < series_max_order)
    if (s.n != n) return sweep_inlined<n + 1>(s, begin, end);
  const Real* __restrict x = s.x;
  Real* __restrict sum = s.sum;
  const Real one = s.one;
  for (std::size_t i = begin; i < end; ++i) sum[i] = series_rest<1, n>(one + x[i], x[i], x[i]);
}

template <class Real>
static void sweep_loop(const Series<Real>& s, std::size_t begin, std::size_t end) {
  const Real* __restrict x = s.x;
  Real* __restrict sum = s.sum;
  const Real one = s.one;
  const int n = s.n;
  for (std::size_t i = begin; i < end; ++i) {
    Real horner = one;
    for (int k = 0; k < n; ++k) horner = horner * x[i] + one;
    sum[i] = horner;
  }
}

template <class Real>
static void sweep_power(const Series<Real>& s, std::size_t begin, std::size_t end) {
  const Real* __restrict x = s.x;
  Real* __restrict sum = s.sum;
  const Real one = s.one;
  const int n = s.n;
  for (std::size_t i = begin; i < end; ++i) {
    Real total = one, power = one;
    for (int k = 0; k < n; ++k) {
      power = power * x[i];
      total = total + power;
    }
    sum[i] = total;
  }
}

template <class Real>
static void sweep(const Series<Real>& s, std::size_t begin, std::size_t end) {
  switch (s.form) {
    case SeriesForm::inlined:
      return sweep_inlined<1>(s, begin, end);
    case SeriesForm::loop:
      return sweep_loop(s, begin, end);
    case SeriesForm::power:
      return sweep_power(s, begin, end);
  }
}
