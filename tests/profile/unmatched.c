// SPDX-License-Identifier: BSD-3-Clause
// A region that never ends, and the end of one that never began.
#include <plumbline.h>

int main(void) {
  PLUMBLINE_START("never ended");
  PLUMBLINE_STOP("never begun");
  return 0;
}
