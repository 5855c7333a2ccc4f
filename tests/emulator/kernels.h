// SPDX-License-Identifier: BSD-3-Clause
//
// Small loops whose arithmetic is known exactly; kernels.c is compiled once for each compiler, optimization level and instruction set.
#ifndef PLUMBLINE_TESTS_EMULATOR_KERNELS_H
#define PLUMBLINE_TESTS_EMULATOR_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

// m elements each: a polynomial of order n (n multiplications, n additions), b + s c, a sum of products, x / y, sqrt(x).
#define PLUMBLINE_TEST_KERNELS(T, suffix)                             \
  void horner_##suffix(long n, long m, const T* c, const T* x, T* y); \
  void triad_##suffix(long m, T s, T* a, const T* b, const T* c);     \
  T dot_##suffix(long m, const T* x, const T* y);                     \
  void divide_##suffix(long m, T* z, const T* x, const T* y);         \
  void square_root_##suffix(long m, T* z, const T* x);
PLUMBLINE_TEST_KERNELS(double, fp64)
PLUMBLINE_TEST_KERNELS(float, fp32)

// m additions, multiplications, divisions and square roots on the x87.
long double x87_series(long m, long double x);

unsigned long integer_loop(long m, const unsigned long* x);

#ifdef __cplusplus
}
#endif
#endif
