// Plain OpenMP loops as a user writes them: the other peer of jobs/peers.sh, measured by STREAM's rules.
//
//   stream_loops PATTERN BYTES THREADS SECONDS
//
// PATTERN: load (sum), store, copy, update, triad (a = b + s c), the C library's memcpy and memset; fma, add in fp64 or with "32" behind; scalar_fma, scalar_add.
// BYTES: of all arrays of all threads together; arithmetic has none, give 0. Repeats for SECONDS, at least ten times, and prints
//
//   PATTERN UNIT best VALUE median VALUE n COUNT
//
// in GB/s of the bytes that the loop reads and writes (a store's fill is not counted, as in STREAM), or in GFLOP/s.
// Built with: cc -O3 -march=native -fopenmp. What the compiler makes of a loop (a call of memcpy, say) is what users get.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double sink;  // keeps the sums

static void load(const double* restrict a, size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < n; ++i) sum += a[i];
  sink = sum;
}

static void store(double* restrict a, double s, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = s;
}

static void copy(double* restrict a, const double* restrict b, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i];
}

// By calls that the compiler does not see through.
static void* (*volatile library_copy)(void*, const void*, size_t) = memcpy;
static void* (*volatile library_fill)(void*, int, size_t) = memset;

static void update(double* restrict a, double s, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = s * a[i];
}

static void triad(double* restrict a, const double* restrict b, const double* restrict c, double s, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

// Arithmetic on an array in L1: a chain of operations an element, the elements independent of each other.
enum { chain = 16, in_l1 = 1024 };
#define CHAINS(name, type, expression)                 \
  static void name(type* restrict a, type s, type t) { \
    for (int i = 0; i < in_l1; ++i) {                  \
      type x = a[i];                                   \
      for (int k = 0; k < chain; ++k) x = expression;  \
      a[i] = x;                                        \
    }                                                  \
    (void)s;                                           \
  }
CHAINS(chains_fma64, double, x* s + t)
CHAINS(chains_add64, double, x + t)
CHAINS(chains_fma32, float, x* s + t)
CHAINS(chains_add32, float, x + t)

#define PASSES(name, type, loop)                                   \
  static void name(size_t n) {                                     \
    _Alignas(64) type a[in_l1];                                    \
    for (int i = 0; i < in_l1; ++i) a[i] = (type)(0.5 + 3e-4 * i); \
    for (size_t pass = 0; pass < n; ++pass) {                      \
      loop(a, (type)0.5, (type)(0.25 + 1e-6 * (double)pass));      \
      __asm__ volatile("" ::: "memory");                           \
    }                                                              \
    sink = (double)a[n % in_l1];                                   \
  }
PASSES(fma64, double, chains_fma64)
PASSES(add64, double, chains_add64)
PASSES(fma32, float, chains_fma32)
PASSES(add32, float, chains_add32)

// One number at a time: ten sums, enough to hide an operation's latency.
enum { sums = 10 };
#if defined(__GNUC__) && !defined(__clang__)
#define SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define SCALAR
#endif
#define SUMS(name, expression)                               \
  SCALAR static void name(size_t n) {                        \
    double x[sums];                                          \
    const double s = 0.5, t = 0.25 + 1e-3 * (double)(n & 1); \
    for (int j = 0; j < sums; ++j) x[j] = 0.5 + 0.01 * j;    \
    for (size_t i = 0; i < n; ++i)                           \
      for (int j = 0; j < sums; ++j) x[j] = expression;      \
    double all = 0;                                          \
    for (int j = 0; j < sums; ++j) all += x[j];              \
    sink = all + s;                                          \
  }
SUMS(scalar_fma, x[j] * s + t)
SUMS(scalar_add, x[j] + t)

struct Pattern {
  const char* name;
  int arrays;       // 0: arithmetic
  double per_step;  // bytes an element; FLOP an iteration
  void (*compute)(size_t);
};
static const struct Pattern patterns[] = {
    {"load", 1, 8, NULL},
    {"store", 1, 8, NULL},
    {"copy", 2, 16, NULL},
    {"update", 1, 16, NULL},
    {"memcpy", 2, 16, NULL},
    {"memset", 1, 8, NULL},
    {"triad", 3, 24, NULL},
    {"fma", 0, 2.0 * chain* in_l1, fma64},
    {"add", 0, 1.0 * chain* in_l1, add64},
    {"fma32", 0, 2.0 * chain* in_l1, fma32},
    {"add32", 0, 1.0 * chain* in_l1, add32},
    {"scalar_fma", 0, 2.0 * sums, scalar_fma},
    {"scalar_add", 0, 1.0 * sums, scalar_add},
};

struct Arrays {
  double *a, *b, *c;
};

static double* allocate(size_t n) {
  double* array = aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
  if (array == NULL) {
    fprintf(stderr, "stream_loops: no memory for %zu doubles\n", n);
    exit(1);
  }
  return array;
}

// Each thread touches its part of each array first. Varied, normal values.
static struct Arrays make_arrays(int count, size_t n_thread, int threads) {
  double* array[3] = {NULL, NULL, NULL};
  for (int k = 0; k < count; ++k) array[k] = allocate(n_thread * (size_t)threads);
#pragma omp parallel num_threads(threads)
  {
    const size_t first = n_thread * (size_t)omp_get_thread_num();
    for (int k = 0; k < count; ++k)
      for (size_t i = first; i < first + n_thread; ++i) array[k][i] = 0.5 + 0.5 * (double)((i * 2654435761u) % 1048573) / 1048573.0;
  }
  return (struct Arrays){array[0], array[1], array[2]};
}

static void sweep(const struct Pattern* pattern, struct Arrays own, size_t n) {
  const double s = 1 - 1e-12;
  if (pattern->compute != NULL)
    pattern->compute(n);
  else if (strcmp(pattern->name, "load") == 0)
    load(own.a, n);
  else if (strcmp(pattern->name, "store") == 0)
    store(own.a, s, n);
  else if (strcmp(pattern->name, "copy") == 0)
    copy(own.a, own.b, n);
  else if (strcmp(pattern->name, "memcpy") == 0)
    library_copy(own.a, own.b, n * sizeof(double));
  else if (strcmp(pattern->name, "memset") == 0)
    library_fill(own.a, 0x3f, n * sizeof(double));
  else if (strcmp(pattern->name, "update") == 0)
    update(own.a, s, n);
  else
    triad(own.a, own.b, own.c, s, n);
}

static double* part(double* array, size_t first) { return array == NULL ? NULL : array + first; }

// Seconds of `sweeps` passes of every thread over its own part.
static double measure(const struct Pattern* pattern, struct Arrays all, size_t n_thread, int threads, size_t sweeps) {
  const double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
  {
    const size_t first = n_thread * (size_t)omp_get_thread_num();
    const struct Arrays own = {part(all.a, first), part(all.b, first), part(all.c, first)};
    for (size_t i = 0; i < sweeps; ++i) {
      sweep(pattern, own, n_thread);
      __asm__ volatile("" ::: "memory");  // a pass is a pass
    }
  }
  return omp_get_wtime() - start;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static int usage(void) {
  fputs("usage: stream_loops PATTERN BYTES THREADS SECONDS; patterns:", stderr);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) fprintf(stderr, " %s", patterns[i].name);
  fputc('\n', stderr);
  return 2;
}

int main(int argc, char** argv) {
  if (argc != 5) return usage();
  const struct Pattern* pattern = NULL;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i)
    if (strcmp(argv[1], patterns[i].name) == 0) pattern = &patterns[i];
  const double bytes = atof(argv[2]), wanted_seconds = atof(argv[4]);
  const int threads = atoi(argv[3]);
  if (pattern == NULL || threads < 1 || wanted_seconds <= 0 || (pattern->arrays > 0 && bytes < 1024.0 * threads)) return usage();

  const size_t n_thread = pattern->arrays > 0 ? (size_t)(bytes / (8.0 * pattern->arrays * threads)) / 8 * 8 : 2000;
  const struct Arrays all = make_arrays(pattern->arrays, n_thread, threads);
  size_t sweeps = 1;  // a repetition takes a millisecond at least
  while (measure(pattern, all, n_thread, threads, sweeps) < 1e-3) sweeps *= 2;

  enum { most = 10000 };
  static double seconds[most];
  int n = 0;
  const double start = omp_get_wtime();
  while (n < most && (n < 10 || omp_get_wtime() - start < wanted_seconds)) seconds[n++] = measure(pattern, all, n_thread, threads, sweeps);
  qsort(seconds, (size_t)n, sizeof *seconds, ascending);
  const double amount = pattern->per_step * (double)n_thread * threads * (double)sweeps * 1e-9;
  printf("%s %s best %.6g median %.6g n %d\n", pattern->name, pattern->arrays > 0 ? "GB/s" : "GFLOP/s", amount / seconds[0],
         amount / seconds[n / 2], n);
  return 0;
}
