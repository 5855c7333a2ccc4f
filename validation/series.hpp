// These loops alone are the geometric series 1 + x + ... + x^n of every element, in the three forms of Kwack et al. 2018, Table II. They
// are compiled once a flavor, and once on Counted.
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

#define PLUMBLINE_SERIES_ORDERS(X)                                                                                                        \
  X(1)                                                                                                                                    \
  X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) \
      X(26) X(27) X(28) X(29)

template <int n, class Real>
static void sweep_inlined(const Series<Real>& s, std::size_t begin, std::size_t end) {
  const Real* __restrict x = s.x;
  Real* __restrict sum = s.sum;
  const Real one = s.one;
  for (std::size_t i = begin; i < end; ++i) {
    Real total = one + x[i], power = x[i];
    // Every power is the last one times x: n - 1 products and n sums.
#define PLUMBLINE_SERIES_TERM(k) \
  if constexpr (1 < k && k <= n) power = power * x[i], total = total + power;
    PLUMBLINE_SERIES_ORDERS(PLUMBLINE_SERIES_TERM)
    sum[i] = total;
  }
}

template <class Real>
static void sweep_inlined_of_order(const Series<Real>& s, std::size_t begin, std::size_t end) {
  switch (s.n) {
#define PLUMBLINE_SERIES_CASE(k) \
  case k:                        \
    return sweep_inlined<k>(s, begin, end);
    PLUMBLINE_SERIES_ORDERS(PLUMBLINE_SERIES_CASE)
  }
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
      return sweep_inlined_of_order(s, begin, end);
    case SeriesForm::loop:
      return sweep_loop(s, begin, end);
    case SeriesForm::power:
      return sweep_power(s, begin, end);
  }
}
