// SPDX-License-Identifier: BSD-3-Clause
// Two regions, one inside the other, entered twice.
#include <plumbline.h>

#include "additions.h"

int main(void) {
  for (int entry = 0; entry < 2; entry++) {
    PLUMBLINE_START("outer");
    add(10);
    PLUMBLINE_START("inner");
    add(100);
    PLUMBLINE_STOP("inner");
    PLUMBLINE_STOP("outer");
    add(1000);
  }
  return 0;
}
