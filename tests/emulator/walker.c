// SPDX-License-Identifier: BSD-3-Clause
//
// A program for two cache simulators to agree on: sweeps, strides, a transposition and random accesses. Allocates statically and
// prints nothing, so that its addresses and system calls are the same under both.
static double a[400][400], b[400][400];
static unsigned table[1 << 18];

int main(void) {
  unsigned state = 12345, sum = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 400; i++)
      for (int j = 0; j < 400; j++) a[i][j] = i + 2 * j + round;
    for (int i = 0; i < 400; i++)
      for (int j = 0; j < 400; j++) b[j][i] = a[i][j];
    for (int i = 1; i < 399; i++)
      for (int j = 1; j < 399; j++) a[i][j] = 0.25 * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
  }
  for (int k = 0; k < 300000; k++) {
    state = state * 1664525u + 1013904223u;
    sum += table[state >> 14]++;
  }
  return sum == 1 && a[7][7] == b[3][3];
}
