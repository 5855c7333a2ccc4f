// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.h"

#define DEFINE(T, suffix, root)                                        \
  void horner_##suffix(long n, long m, const T* c, const T* x, T* y) { \
    for (long j = 0; j < m; j++) {                                     \
      T sum = c[n];                                                    \
      for (long k = n - 1; k >= 0; k--) sum = sum * x[j] + c[k];       \
      y[j] = sum;                                                      \
    }                                                                  \
  }                                                                    \
  void triad_##suffix(long m, T s, T* a, const T* b, const T* c) {     \
    for (long j = 0; j < m; j++) a[j] = b[j] + s * c[j];               \
  }                                                                    \
  T dot_##suffix(long m, const T* x, const T* y) {                     \
    T sum = 0;                                                         \
    for (long j = 0; j < m; j++) sum += x[j] * y[j];                   \
    return sum;                                                        \
  }                                                                    \
  void divide_##suffix(long m, T* z, const T* x, const T* y) {         \
    for (long j = 0; j < m; j++) z[j] = x[j] / y[j];                   \
  }                                                                    \
  void square_root_##suffix(long m, T* z, const T* x) {                \
    for (long j = 0; j < m; j++) z[j] = root(x[j]);                    \
  }
DEFINE(double, fp64, __builtin_sqrt)
DEFINE(float, fp32, __builtin_sqrtf)

long double x87_series(long m, long double x) {
  long double sum = 1;
  for (long j = 0; j < m; j++) sum = __builtin_sqrtl((sum * x + x) / 1.5L);
  return sum;
}

unsigned long integer_loop(long m, const unsigned long* x) {
  unsigned long sum = 0;
  for (long j = 0; j < m; j++) sum = sum * 31 + (x[j] ^ (sum >> 7));
  return sum;
}
