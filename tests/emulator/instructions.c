// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the functions that instructions_test.py writes, in pairs: setup with instruction, and setup alone. Prints for each pair the
// events by which they differ, a line each: INDEX NAME=N...
#include <inttypes.h>
#include <stdio.h>

#include "client_requests.h"

struct pair {
  void (*measured)(void), (*empty)(void);
};
extern const struct pair pairs[];
extern const uint64_t n_pairs;
uint32_t memory_under_test[4096] __attribute__((aligned(64)));

#define NAME(identifier, name, unit, description) name,
static const char* const names[] = {PLUMBLINE_EMULATED_EVENTS(NAME)};

static void fill_memory(void) {
  for (unsigned i = 0; i < sizeof memory_under_test / sizeof memory_under_test[0]; i++) memory_under_test[i] = 1;
}

static struct plumbline_counts start, middle, end;

static void measure(const struct pair* p) {
  fill_memory();
  p->empty();
  p->measured();
  plumbline_read_thread(&start);
  p->empty();
  plumbline_read_thread(&middle);
  p->measured();
  plumbline_read_thread(&end);
}

static void print(uint64_t index) {
  printf("%" PRIu64, index);
  for (int e = 0; e < PLUMBLINE_EVENT_COUNT; e++) {
    const int64_t n = (int64_t)(end.value[e] - middle.value[e]) - (int64_t)(middle.value[e] - start.value[e]);
    if (n != 0) printf(" %s=%" PRId64, names[e], n);
  }
  printf("\n");
}

int main(void) {
  if (plumbline_emulator_abi() == 0) return 1;
  for (int warm = 0; warm < 2; warm++) measure(&pairs[0]);
  for (uint64_t i = 0; i < n_pairs; i++) {
    measure(&pairs[i]);
    print(i);
    fflush(stdout);
  }
  return 0;
}
