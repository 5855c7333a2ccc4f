// SPDX-License-Identifier: BSD-3-Clause
//
// Twelve functions of known work, of which each tells what it did and the CPU time that it took: "name flops seconds".
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

static void tell(const char* name, double (*run)(long, long), long n, long sweeps, long flops) {
  const double start = cpu_seconds();
  const volatile double result = run(n, sweeps);
  (void)result;
  printf("%s %ld %.6f\n", name, flops * sweeps, cpu_seconds() - start);
}

int main(int argc, char** argv) {
  const long times = argc > 1 ? atol(argv[1]) : 1;
  a = malloc(large * sizeof *a), b = malloc(large * sizeof *b), c = malloc(large * sizeof *c);
  for (long i = 0; i < large; i++) a[i] = b[i] = c[i] = 1;
  tell("set", set, large, 10 * times, 0);
  tell("copy", copy, large, 10 * times, 0);
  tell("scale", scale, large, 10 * times, large);
  tell("sum", sum, small, 8000 * times, small);
  tell("add", add, large, 10 * times, large);
  tell("triad", triad, large, 10 * times, 2 * large);
  tell("dot", dot, small, 8000 * times, 2 * small);
  tell("square", square, small, 8000 * times, 3 * small);
  tell("polynomial", polynomial, small, 400 * times, 64 * small);
  tell("quotient", quotient, small, 8000 * times, small);
  tell("root", root, small, 8000 * times, small);
  tell("stencil", stencil, small, 8000 * times, 3 * (small - 2));
  return 0;
}
