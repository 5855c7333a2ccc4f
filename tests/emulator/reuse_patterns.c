// SPDX-License-Identifier: BSD-3-Clause
//
// Loops whose distances of reuse differ, each a region that is entered twice: sweeps, random reads, products of matrices, a stencil, a
// transposition, and columns that fall into few sets of a cache.
#include <stdint.h>
#include <stdlib.h>

#include "plumbline.h"

// External, so that the compiler takes nothing as known of them.
enum { kElements = 1 << 18, kSide = 640, kMatrix = 160, kGrid = 56 };  // 2 MiB, 3.1 MiB, 0.2 MiB and 1.3 MiB

double a_[kElements], b_[kElements], square_[kSide][kSide], turned_[kSide][kSide];
double left_[kMatrix][kMatrix], right_[kMatrix][kMatrix], product_[kMatrix][kMatrix];
double old_[kGrid][kGrid][kGrid], new_[kGrid][kGrid][kGrid];
static uint32_t state_ = 1;

static uint32_t next_random(void) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 17;
  state_ ^= state_ << 5;
  return state_;
}

static void sweep(int n) {
  for (int i = 0; i < n; i++) a_[i] = 0.5 * b_[i] + 1.0;
}
static void small_sweeps(void) {
  for (int k = 0; k < 4; k++) sweep(kElements / 16);
}
static void large_sweep(void) { sweep(kElements); }
static void random_reads(void) {
  double sum = 0;
  for (int i = 0; i < 150000; i++) sum += b_[next_random() % kElements];
  a_[0] = sum;
}
static void skewed_reads(void) {  // near places oftener than far ones
  double sum = 0;
  for (int i = 0; i < 150000; i++) sum += b_[next_random() % (1 + next_random() % kElements)];
  a_[0] = sum;
}
static void multiply(void) {
  for (int i = 0; i < kMatrix; i++)
    for (int j = 0; j < kMatrix; j++) {
      double sum = 0;
      for (int k = 0; k < kMatrix; k++) sum += left_[i][k] * right_[k][j];
      product_[i][j] = sum;
    }
}
static void stencil(void) {
  for (int i = 1; i < kGrid - 1; i++)
    for (int j = 1; j < kGrid - 1; j++)
      for (int k = 1; k < kGrid - 1; k++)
        new_[i][j][k] = old_[i][j][k] + 0.1 * (old_[i - 1][j][k] + old_[i + 1][j][k] + old_[i][j - 1][k] + old_[i][j + 1][k]);
}
static void turn(void) {
  for (int i = 0; i < kSide; i++)
    for (int j = 0; j < kSide; j++) turned_[j][i] = square_[i][j];
}
static void columns(void) {  // 4096 bytes apart
  for (int column = 0; column < 64; column++)
    for (int row = 0; row < kElements / 512; row++) a_[512 * row + column] += 1.0;
}

int main(void) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"small sweeps", small_sweeps}, {"large sweep", large_sweep}, {"random reads", random_reads}, {"skewed reads", skewed_reads},
             {"product", multiply},          {"stencil", stencil},         {"transposition", turn},        {"columns", columns}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    for (int entry = 0; entry < 3; entry++) {
      if (entry > 0) PLUMBLINE_START(all[k].name);
      all[k].run();
      if (entry > 0) PLUMBLINE_STOP(all[k].name);
    }
  return 0;
}
