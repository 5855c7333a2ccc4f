// SPDX-License-Identifier: BSD-3-Clause
//
// Twelve functions of known work, for programs that tell what each did and the CPU time that it took.
#pragma once
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KNOWN __attribute__((noinline, noclone)) static double

enum { small = 1024, large = 1 << 20 };
static double *a, *b, *c;

// The operations of each are n (elements) times sweeps times what stands behind its name.
KNOWN set(long n, long sweeps) {  // 0
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = (double)t;
  return a[0];
}
KNOWN copy(long n, long sweeps) {  // 0
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = b[i];
  return a[0];
}
KNOWN scale(long n, long sweeps) {  // 1
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = 0.5 * b[i];
  return a[0];
}
KNOWN sum(long n, long sweeps) {  // 1
  double s = 0;
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) s += b[i];
  return s;
}
KNOWN add(long n, long sweeps) {  // 1
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = b[i] + c[i];
  return a[0];
}
KNOWN triad(long n, long sweeps) {  // 2
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = b[i] + 0.5 * c[i];
  return a[0];
}
KNOWN dot(long n, long sweeps) {  // 2
  double s = 0;
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) s += b[i] * c[i];
  return s;
}
KNOWN square(long n, long sweeps) {  // 3
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = (b[i] + c[i]) * (b[i] - c[i]);
  return a[0];
}
KNOWN polynomial(long n, long sweeps) {  // 64
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) {
      double x = b[i], p = x;
      for (int k = 0; k < 32; k++) p = p * x + 0.5;
      a[i] = p;
    }
  return a[0];
}
KNOWN quotient(long n, long sweeps) {  // 1
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = b[i] / c[i];
  return a[0];
}
KNOWN root(long n, long sweeps) {  // 1
  for (long t = 0; t < sweeps; t++)
    for (long i = 0; i < n; i++) a[i] = __builtin_sqrt(b[i]);
  return a[0];
}
KNOWN stencil(long n, long sweeps) {  // 3, of all but two
  for (long t = 0; t < sweeps; t++)
    for (long i = 1; i < n - 1; i++) a[i] = b[i - 1] + b[i + 1] - 2 * b[i];
  return a[1];
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct known {
  const char* name;
  double (*run)(long, long);
  long elements, sweeps, flops; /* of a round: sweeps of so many elements, of so many operations each */
};

static const struct known known_functions[] = {
    {"set", set, large, 10, 0},
    {"copy", copy, large, 10, 0},
    {"scale", scale, large, 10, large},
    {"sum", sum, small, 8000, small},
    {"add", add, large, 10, large},
    {"triad", triad, large, 10, 2 * large},
    {"dot", dot, small, 8000, 2 * small},
    {"square", square, small, 8000, 3 * small},
    {"polynomial", polynomial, small, 400, 64 * small},
    {"quotient", quotient, small, 8000, small},
    {"root", root, small, 8000, small},
    {"stencil", stencil, small, 8000, 3 * (small - 2)},
};
enum { number_of_functions = sizeof known_functions / sizeof *known_functions };

static void fill(void) {
  a = malloc(large * sizeof *a), b = malloc(large * sizeof *b), c = malloc(large * sizeof *c);
  for (long i = 0; i < large; i++) a[i] = b[i] = c[i] = 1;
}

/* Does so many rounds of a function. Gives the CPU time that they took. */
static double run_one(const struct known* one, long rounds) {
  const double start = cpu_seconds();
  const volatile double result = one->run(one->elements, one->sweeps * rounds);
  (void)result;
  return cpu_seconds() - start;
}
