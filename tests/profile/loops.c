// SPDX-License-Identifier: BSD-3-Clause
//
// Two loops of known work in one function, of which each tells its line, what it did and the CPU time that it took: "line flops seconds".
// With -DALONE=1 the function is compiled by itself, as of a library; with -DALONE=2 the rest.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// A round takes much longer than lies between two samples: rounds of a multiple of that would always be met in one of their loops.
enum { n = 1024, sweeps = 12000, loops = 2 };
typedef struct {
  int line;
  long flops;
  double seconds;
} Told;
double two_loops(double* a, const double* b, long rounds, Told told[loops]);

#if ALONE != 2
static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) double two_loops(double* a, const double* b, long rounds, Told told[loops]) {
  double s = 0;
  for (long r = 0; r < rounds; r++) {
    const double start = cpu_seconds();
    for (long t = 0; t < sweeps; t++) {
      told[0].line = __LINE__ + 1;
      for (long i = 0; i < n; i++)
        if (b[i] > 0) s = s * 0.5 + b[i];
    }
    const double middle = cpu_seconds();
    for (long t = 0; t < sweeps; t++) {
      told[1].line = __LINE__ + 1;
      for (long i = 0; i < n; i++)
        a[i] = b[i] / (b[i] + a[i] * a[i]);
    }
    told[0].flops += 2L * n * sweeps, told[1].flops += 3L * n * sweeps;
    told[0].seconds += middle - start, told[1].seconds += cpu_seconds() - middle;
  }
  return s;
}
#endif

#if ALONE != 1
int main(int argc, char** argv) {
  double* a = malloc(n * sizeof *a);
  double* b = malloc(n * sizeof *b);
  Told told[loops] = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < n; i++) a[i] = b[i] = 1;
  if (two_loops(a, b, argc > 1 ? atol(argv[1]) : 1, told) < 0) return 1;
  for (int i = 0; i < loops; i++) printf("%d %ld %.6f\n", told[i].line, told[i].flops, told[i].seconds);
  return 0;
}
#endif
