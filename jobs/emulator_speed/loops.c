// SPDX-License-Identifier: BSD-3-Clause
//
// Known loops that time themselves:  loops SECONDS LOOP [outside]  prints the CPU seconds of one repetition, measured over at least half of
// SECONDS. CPU time read inside the process is the host's also under Valgrind, and leaves start-up and translation out.
// With "outside" counting is switched on for one repetition and off again before the measurement: code outside all regions.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client_requests.h"

enum { l1_doubles = 1000, memory_doubles = 2 << 20, horner_order = 8, horner_points = 1024, grid = 64, matrix = 128 };
enum { piece_doubles = 64, reads = 100, team_sweeps = 9600 };

static double *a, *b, *c;

static void triad(long n, double s, double* restrict to, const double* restrict x, const double* restrict y) {
  for (long i = 0; i < n; i++) to[i] = x[i] + s * y[i];
}

static void triad_l1(void) { triad(l1_doubles, 0.75, a, b, c); }
static void triad_memory(void) { triad(memory_doubles, 0.75, a, b, c); }

static void horner(void) {
  for (long i = 0; i < horner_points; i++) {
    double sum = c[horner_order];
#pragma GCC unroll 8
    for (int k = horner_order - 1; k >= 0; k--) sum = sum * b[i] + c[k];
    a[i] = sum;
  }
}

static void stencil7(void) {
  const long row = grid, plane = grid * grid;
  for (long z = 1; z < grid - 1; z++)
    for (long y = 1; y < grid - 1; y++) {
      double* restrict to = a + z * plane + y * row;
      const double* restrict from = b + z * plane + y * row;
      for (long x = 1; x < grid - 1; x++)
        to[x] = 0.5 * from[x] + 0.0625 * (from[x - 1] + from[x + 1] + from[x - row] + from[x + row] + from[x - plane] + from[x + plane]);
    }
}

static void dgemm(void) {
  for (long i = 0; i < matrix; i++)
    for (long k = 0; k < matrix; k++) {
      const double factor = b[i * matrix + k];
      double* restrict to = a + i * matrix;
      const double* restrict from = c + k * matrix;
      for (long j = 0; j < matrix; j++) to[j] += factor * from[j];
    }
}

// A small piece of counted work by itself, and then read, or inside a region: reading gathers what the work has left to be gathered.
static void piece(void) { triad(piece_doubles, 0.75, a, b, c); }
static void pieces(void) {
  for (int i = 0; i < reads; i++) piece();
}
static void pieces_read(void) {
  static struct plumbline_counts counts;
  for (int i = 0; i < reads; i++) {
    piece();
    plumbline_read_thread(&counts);
  }
}
static void pieces_marked(void) {
  for (int i = 0; i < reads; i++) {
    plumbline_region_begin("region");
    piece();
    plumbline_region_end("region");
  }
}

struct Share {
  pthread_t thread;
  int sweeps;
  double data[3][l1_doubles];
};

static void* sweep_share(void* of) {
  struct Share* share = of;
  for (int i = 0; i < share->sweeps; i++) triad(l1_doubles, 0.75, share->data[0], share->data[1], share->data[2]);
  return NULL;
}

// The same total work for every number of threads; they are created and joined inside.
static void team(int threads) {
  static struct Share shares[32];
  for (int t = 0; t < threads; t++) {
    shares[t].sweeps = team_sweeps / threads;
    if (pthread_create(&shares[t].thread, NULL, sweep_share, &shares[t]) != 0) exit(1);
  }
  for (int t = 0; t < threads; t++) pthread_join(shares[t].thread, NULL);
}
static void team_of_1(void) { team(1); }
static void team_of_32(void) { team(32); }

static void nothing(void) {}

static const struct Loop {
  const char* name;
  void (*run)(void);
  long doubles;  // of each of the three arrays
} loops[] = {
    {"triad_l1", triad_l1, l1_doubles},
    {"triad_memory", triad_memory, memory_doubles},
    {"horner", horner, horner_points},
    {"stencil7", stencil7, grid* grid* grid},
    {"dgemm", dgemm, matrix* matrix},
    {"pieces", pieces, piece_doubles},
    {"pieces_read", pieces_read, piece_doubles},
    {"pieces_marked", pieces_marked, piece_doubles},
    {"team_of_1", team_of_1, 1},
    {"team_of_32", team_of_32, 1},
    {"nothing", nothing, 1},
};

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A block of values, copied on: under cachegrind to compute each one would take longer than to measure.
static double* array(long doubles) {
  enum { block = 512 };
  static double values[block];
  double* p = aligned_alloc(64, (size_t)(doubles + block) * sizeof *p);
  if (p == NULL) exit(1);
  for (int i = 0; i < block; i++) values[i] = 0.5 + 0.25 / (double)(i % 7 + 1);
  for (long i = 0; i < doubles; i += block) memcpy(p + i, values, sizeof values);
  return p;
}

static double seconds_of(void (*volatile run)(void), long repetitions) {
  double start = cpu_seconds();
  for (long r = 0; r < repetitions; r++) run();
  return cpu_seconds() - start;
}

// More repetitions until they take half of the wanted time at least.
static double seconds_of_one(void (*run)(void), double wanted) {
  long repetitions = 1;
  for (;;) {
    double took = seconds_of(run, repetitions);
    if (took >= 0.5 * wanted) return took / (double)repetitions;
    double more = took > 0 ? wanted / took : 16;
    repetitions = (long)((double)repetitions * (more > 16 ? 16 : more)) + 1;
  }
}

int main(int argc, char** argv) {
  const struct Loop* loop = NULL;
  for (size_t i = 0; argc >= 3 && i < sizeof loops / sizeof *loops; i++)
    if (strcmp(argv[2], loops[i].name) == 0) loop = &loops[i];
  if (loop == NULL) return fprintf(stderr, "usage: loops SECONDS LOOP [outside]\n"), 2;
  if (loop->run == nothing) return 0;
  a = array(loop->doubles), b = array(loop->doubles), c = array(loop->doubles);
  if (argc > 3) {
    plumbline_counting(1);
    loop->run();
    plumbline_counting(0);
  }
  loop->run();
  printf("%.9g\n", seconds_of_one(loop->run, atof(argv[1])));
  return 0;
}
