// SPDX-License-Identifier: BSD-3-Clause
// A loop that reads a line in each step, again and again through 192 KiB: working_set SWEEPS.
#include <stdio.h>
#include <stdlib.h>

enum { kLine = 8, kLines = 192 * 1024 / 64 };

__attribute__((noinline)) static double walk(const double* a, long sweeps) {
  double sum = 0;
  for (long sweep = 0; sweep < sweeps; ++sweep)
    for (long line = 0; line < kLines; ++line) sum += a[line * kLine];
  return sum;
}

int main(int argc, char** argv) {
  double* a = aligned_alloc(64, 64 * kLines);
  for (long i = 0; i < kLines * kLine; ++i) a[i] = 1;
  printf("%g\n", walk(a, argc > 1 ? atol(argv[1]) : 1));
  free(a);
  return 0;
}
