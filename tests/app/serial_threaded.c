/* Paper 004's program in small: parts done by one thread and parts done by all, each of them a stream through memory or arithmetic. Prints the
   seconds of each part on a line, then those of the whole. Arguments: elements of an array, sweeps. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double *a, *b, *c;

static void update_threaded(size_t n) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
}

static void match_threaded(size_t n) { /* arithmetic: twenty-four FMAs an element */
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; ++i) {
    double x = b[i];
    for (int k = 0; k < 24; ++k) x = x * 0.5 + 0.25;
    c[i] = x;
  }
}

static double sum_serial(size_t n) {
  double s[8] = {0};
  for (size_t i = 0; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) s[k] += a[i + k];
  return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

static void copy_serial(size_t n) {
  for (size_t i = 0; i < n; ++i) b[i] = a[i] * 0.25 + 0.5;
}

int main(int argc, char** argv) {
  const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000;
  const int sweeps = argc > 2 ? atoi(argv[2]) : 20;
  a = aligned_alloc(64, n * sizeof *a), b = aligned_alloc(64, n * sizeof *b), c = aligned_alloc(64, n * sizeof *c);
  if (!a || !b || !c) return 1;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; ++i) a[i] = 0.5, b[i] = 0.5 + (double)(i % 9) / 32, c[i] = 0.75;
  double seconds[4] = {0}, sum = 0;
  const double begin = omp_get_wtime();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double t0 = omp_get_wtime();
    update_threaded(n);
    const double t1 = omp_get_wtime();
    match_threaded(n);
    const double t2 = omp_get_wtime();
    sum += sum_serial(n);
    const double t3 = omp_get_wtime();
    copy_serial(n);
    const double t4 = omp_get_wtime();
    seconds[0] += t1 - t0, seconds[1] += t2 - t1, seconds[2] += t3 - t2, seconds[3] += t4 - t3;
  }
  const double whole = omp_get_wtime() - begin;
  printf("update %.6f\nmatch %.6f\nsum %.6f\ncopy %.6f\nwhole %.6f\n", seconds[0], seconds[1], seconds[2], seconds[3], whole);
  return sum > 0 ? 0 : 1;
}
