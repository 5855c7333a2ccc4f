// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the functions that writer.py wrote, each on the same random states, and writes what each made of its states to a file:
// RUNNER FILE [cold|unmarked]. Each function is a region by the number that is its name; cold: one that starts from emptied caches.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "plumbline.h"

enum { kRuns = 12, kStateBytes = 4096, kBlocksBegin = 1024, kBlocksEnd = 2048 };

struct named_function {
  void (*run)(void* state);
  const char* name;
};
extern const struct named_function functions[];
extern const uint64_t n_functions;
static uint64_t state[kStateBytes / 8] __attribute__((aligned(64)));

static uint64_t random_word(void) {
  static uint64_t s = 88172645463325252u;
  s ^= s << 13;
  s ^= s >> 7;
  return s ^= s << 17;
}

// Zeros, infinities, quiet and signaling NaNs, denormals, the largest, ones, both as fp64 and as two fp32; limits of conversions.
static const uint64_t special[] = {
    0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
    0xfff8000000123456, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0x7fc000017f800001, 0x3f8000003f800000, 0xffc12345ff800001, 0x0000000100000001,
    0x43e0000000000000, 0x41e0000000000000, 0x807fffff00800000, 0x7f7fffffff7fffff, 0x7c00fc007e017c01, 0x00000000ffffffff};

static uint64_t of_double(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

static uint64_t of_floats(float low, float high) {
  uint32_t words[2];
  memcpy(&words[0], &low, sizeof low);
  memcpy(&words[1], &high, sizeof high);
  return words[0] | (uint64_t)words[1] << 32;
}

static uint64_t value(void) {
  const uint64_t r = random_word();
  switch (r % 4) {
    case 0: return special[(r >> 8) % (sizeof special / sizeof special[0])];
    case 1: return of_double((double)(int32_t)(r >> 32) / 16);
    case 2: return of_floats((float)(int16_t)(r >> 48), (float)(int16_t)(r >> 32) / 8);
    default: return random_word();
  }
}

static void fill_state(void) {
  for (unsigned i = 0; i < kStateBytes / 8; i++) state[i] = value();
  memset((char*)state + kBlocksBegin, 0, kBlocksEnd - kBlocksBegin);
}

static void run(const struct named_function* f, const char* how) {
  if (strcmp(how, "unmarked") == 0) {
    f->run(state);
  } else if (strcmp(how, "cold") == 0) {
    PLUMBLINE_START_COLD(f->name);
    f->run(state);
    PLUMBLINE_STOP(f->name);
  } else {
    PLUMBLINE_START(f->name);
    f->run(state);
    PLUMBLINE_STOP(f->name);
  }
}

int main(int argc, char** argv) {
  FILE* file = argc > 1 ? fopen(argv[1], "wb") : NULL;
  if (file == NULL) return 1;
  for (uint64_t i = 0; i < n_functions; i++)
    for (int k = 0; k < kRuns; k++) {
      fill_state();
      run(&functions[i], argc > 2 ? argv[2] : "marked");
      if (fwrite(state, sizeof state, 1, file) != 1) return 1;
    }
  return fclose(file) == 0 ? 0 : 1;
}
