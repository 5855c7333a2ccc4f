// SPDX-License-Identifier: BSD-3-Clause
// 512 lines that lie in the caches already, read in a warm and in a cold region.
#include <plumbline.h>

enum { doubles_in_line = 8, lines = 512 };
static volatile double array[lines * doubles_in_line] __attribute__((aligned(64)));

static void read_all(void) {
  for (int i = 0; i < lines * doubles_in_line; i += doubles_in_line) (void)array[i];
}

int main(void) {
  read_all();
  PLUMBLINE_START("warm");
  read_all();
  PLUMBLINE_STOP("warm");
  PLUMBLINE_START_COLD("cold");
  read_all();
  PLUMBLINE_STOP("cold");
  return 0;
}
