// SPDX-License-Identifier: BSD-3-Clause
// Reads 8 lines of each of 8 pages twice: "high", the pages lie apart in 47 bits of address; "near", they lie side by side.
#define _GNU_SOURCE
#include <plumbline.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { kPages = 8, kLinesOfPage = 8, kPage = 4096, kLine = 64 };

static volatile char* map(unsigned long address) {
  char* page = mmap((void*)address, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (page == MAP_FAILED) perror("mmap");
  return page == MAP_FAILED ? 0 : page;
}

// Pages 2k and 2k + 1 are read at the same offsets: their lines belong into the same sets.
static void read_all(volatile char* const* page) {
  for (int k = 0; k < kPages; k++)
    for (int line = 0; line < kLinesOfPage; line++) (void)page[k][(k / 2 * kLinesOfPage + line) * kLine];
}

int main(int argc, char** argv) {
  // The pages: with 64 sets of 64 bytes, 32 bits of tag reach to 2^44: pairs that lie a multiple of it apart agree in them. Then come a
  // place that Open MPI chose once, and the end of user space, or before it, where the stack lies when addresses are not random.
  static const unsigned long high[kPages] = {0x100000000000, 0x200000000000, 0x300000000000, 0x500000000000,
                                             0x080000000000, 0x680000000000, 0x3ff45c000000, 0x7ffffffe0000};
  volatile char* page[kPages];
  for (int k = 0; k < kPages; k++)
    if (!(page[k] = map(argc > 1 && !strcmp(argv[1], "high") ? high[k] : 0x70000000ul + (unsigned long)k * kPage)) &&
        (k != kPages - 1 || !(page[k] = map(0x7ff000000000))))
      return 1;
  PLUMBLINE_START("first");
  read_all(page);
  PLUMBLINE_STOP("first");
  PLUMBLINE_START("again");
  read_all(page);
  PLUMBLINE_STOP("again");
  return 0;
}
