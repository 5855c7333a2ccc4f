// SPDX-License-Identifier: BSD-3-Clause
// A program for AVX-512 alone.
#include <immintrin.h>

__attribute__((noinline, target("avx512f"))) void wide(double* x) {
  _mm512_storeu_pd(x, _mm512_add_pd(_mm512_loadu_pd(x), _mm512_loadu_pd(x)));
}

int main(void) {
  static double x[8];
  wide(x);
  return (int)x[0];
}
