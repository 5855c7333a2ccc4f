// SPDX-License-Identifier: BSD-3-Clause
//
// A user's program: knows only the marker header. Two regions on two threads, one of them entered repeatedly.
#include <pthread.h>
#include <stddef.h>

#include "client_requests.h"
#include "plumbline.h"

_Static_assert((unsigned)PLUMBLINE_MARKER_REGION_BEGIN == (unsigned)PLUMBLINE_REQUEST_REGION_BEGIN, "the two headers agree");
_Static_assert((unsigned)PLUMBLINE_MARKER_REGION_END == (unsigned)PLUMBLINE_REQUEST_REGION_END, "the two headers agree");

static volatile double sink = 1.0;

static void add(int n) {
  for (int i = 0; i < n; i++) sink = sink + 1.5;
}

static void* work(void* unused) {
  PLUMBLINE_START("additions");
  add(100);
  PLUMBLINE_STOP("additions");
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int entry = 0; entry < 3; entry++) {
    PLUMBLINE_START("additions");
    PLUMBLINE_START("additions");  // nests in itself without counting twice
    add(10);
    PLUMBLINE_STOP("additions");
    PLUMBLINE_STOP("additions");
    add(1000);  // outside
  }
  PLUMBLINE_START("a \"quoted\" name");
  PLUMBLINE_STOP("a \"quoted\" name");
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  return 0;
}
