// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels for two cache simulators to agree on: sweeps KERNEL. Everything lies in static arrays and nothing is printed, so that addresses
// and system calls are the same under both. Accesses are aligned: of one that crosses lines cachegrind counts one miss for two.
#include <string.h>

enum { doubles = 1 << 18, grid = 48, matrix = 160, cells = 1 << 20 };

static _Alignas(4096) double a[doubles], b[doubles], c[doubles];
static _Alignas(4096) unsigned table[cells];

static void triad(void) {
  for (int sweep = 0; sweep < 6; sweep++)
    for (long i = 0; i < doubles; i++) a[i] = b[i] + 0.75 * c[i];
}

static void stencil7(void) {
  const long row = grid, plane = grid * grid;
  for (int sweep = 0; sweep < 8; sweep++) {
    double *to = sweep % 2 ? b : a, *from = sweep % 2 ? a : b;
    for (long z = 1; z < grid - 1; z++)
      for (long y = 1; y < grid - 1; y++)
        for (long x = 1; x < grid - 1; x++) {
          const double* at = from + z * plane + y * row + x;
          to[z * plane + y * row + x] = 0.5 * at[0] + 0.0625 * (at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane]);
        }
  }
}

static void dgemm(void) {  // by columns of b: a stride of a row
  for (long i = 0; i < matrix; i++)
    for (long j = 0; j < matrix; j++) {
      double sum = 0;
      for (long k = 0; k < matrix; k++) sum += a[i * matrix + k] * b[k * matrix + j];
      c[i * matrix + j] = sum;
    }
}

static void transposition(void) {
  for (long i = 0; i < 512; i++)
    for (long j = 0; j < 512; j++) a[j * 512 + i] = b[i * 512 + j];
}

static void updates_at_random(void) {
  unsigned state = 12345;
  for (long i = 0; i < 600000; i++) {
    state = state * 1664525u + 1013904223u;
    table[state >> 12]++;
  }
}

static void chase(void) {
  unsigned at = 0;
  for (unsigned i = 0; i < cells; i++) table[i] = (i * 1664525u + 1013904223u) & (cells - 1);
  for (long i = 0; i < 500000; i++) at = table[at];
  table[0] = at;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } kernels[] = {{"triad", triad},
                 {"stencil7", stencil7},
                 {"dgemm", dgemm},
                 {"transposition", transposition},
                 {"updates_at_random", updates_at_random},
                 {"chase", chase}};
  for (unsigned i = 0; argc == 2 && i < sizeof kernels / sizeof *kernels; i++)
    if (strcmp(argv[1], kernels[i].name) == 0) return kernels[i].run(), 0;
  return 2;
}
