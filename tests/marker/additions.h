// SPDX-License-Identifier: BSD-3-Clause
// Work of a known size: n additions in fp64, one after the other.
static volatile double sink = 1.0;

static void add(int n) {
  for (int i = 0; i < n; i++) sink = sink + 1.5;
}
