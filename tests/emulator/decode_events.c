// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tool's decoder, natively: for each line of hexadecimal machine code on standard input, a line of the events it adds.
#include <stdio.h>
#include <string.h>

#include "decode.h"

// The function of Valgrind's core that decode.c calls.
void* vgPlain_memset(void* s, Int c, SizeT n) { return memset(s, c, n); }

#define NAME(identifier, name, unit, description) name,
static const char* const names[] = {PLUMBLINE_EMULATED_EVENTS(NAME)};

int main(void) {
  char line[128];
  while (fgets(line, sizeof line, stdin) != NULL) {
    UChar code[16];
    UInt length = 0, byte;
    for (const char* p = line; length < sizeof code && sscanf(p, "%2x", &byte) == 1; p += 2) code[length++] = (UChar)byte;
    DecodedInstruction d;
    decode_instruction(code, length, &d);
    for (UInt k = 0; k < d.n_amounts; k++) printf("%s%s=%u", k ? " " : "", names[d.amounts[k].event], d.amounts[k].amount);
    printf("\n");
  }
  return 0;
}
