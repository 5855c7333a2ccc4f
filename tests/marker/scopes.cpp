// SPDX-License-Identifier: BSD-3-Clause
// A region that is left by an exception has ended all the same.
#include <plumbline.h>

#include <stdexcept>

#include "additions.h"

static void fail_in_a_region(int n) {
  plumbline::MarkedRegion region("scope");
  add(n);
  if (n == 100) throw std::runtime_error("left early");
  add(1);
}

int main() {
  fail_in_a_region(10);
  try {
    fail_in_a_region(100);
  } catch (const std::runtime_error&) {
    add(1000);
  }
  return 0;
}
