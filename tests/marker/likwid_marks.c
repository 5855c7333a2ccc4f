// SPDX-License-Identifier: BSD-3-Clause
// marks.c as a program that was written for LIKWID.
#include <likwid-marker.h>
#include <stddef.h>

#include "additions.h"

int main(void) {
  double values[4] = {0}, seconds = 0;
  int events = 4, entries = 0;
  LIKWID_MARKER_INIT;
  LIKWID_MARKER_THREADINIT;
  LIKWID_MARKER_REGISTER("outer");
  for (int entry = 0; entry < 2; entry++) {
    LIKWID_MARKER_START("outer");
    add(10);
    LIKWID_MARKER_START("inner");
    add(100);
    LIKWID_MARKER_STOP("inner");
    LIKWID_MARKER_STOP("outer");
    add(1000);
    LIKWID_MARKER_GET("outer", &events, values, &seconds, &entries);
    LIKWID_MARKER_SWITCH;
  }
  LIKWID_MARKER_CLOSE;
  (void)events, (void)values, (void)seconds, (void)entries;
  return 0;
}
