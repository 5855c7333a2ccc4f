// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tool's test of the host's fused multiply-adds, natively: it passes them, and fails helpers that are another instruction, take
// their operands in another order, or round the product.
#include "fma_host.h"

#include <stdio.h>
#include <string.h>

// The function of Valgrind's core that fma_host.c calls.
void* vgPlain_memcpy(void* d, const void* s, SizeT n) { return memcpy(d, s, n); }

static FmaHelper another_operation(const FmaInstruction* f) {
  FmaInstruction wrong = *f;
  if (f->operation == 2 && f->fp64 && f->wide && !f->scalar) wrong.operation = 3;
  return fma_host_helper(&wrong);
}

static FmaHelper another_form(const FmaInstruction* f) {
  FmaInstruction wrong = *f;
  if (f->form == 0 && f->scalar && !f->fp64) wrong.form = 1;
  return fma_host_helper(&wrong);
}

static FmaHelper alternating_the_other_way(const FmaInstruction* f) {
  FmaInstruction wrong = *f;
  if (f->operation == 0) wrong.operation = 1;
  return fma_host_helper(&wrong);
}

static FmaHelper half_the_lanes(const FmaInstruction* f) {
  FmaInstruction wrong = *f;
  wrong.wide = False;
  return fma_host_helper(&wrong);
}

// vfmadd231sd as a product and a sum, each rounded.
static void unfused(UChar* state, ULong offsets, ULong memory) {
  double destination, second, third;
  memcpy(&destination, state + (offsets & 0xFFFF), 8);
  memcpy(&second, state + ((offsets >> 16) & 0xFFFF), 8);
  memcpy(&third, memory ? (const UChar*)(Addr)memory : state + ((offsets >> 32) & 0xFFFF), 8);
  volatile double product = second * third;
  destination += product;
  memcpy(state + (offsets & 0xFFFF), &destination, 8);
}

static FmaHelper rounding_the_product(const FmaInstruction* f) {
  return f->form == 2 && f->operation == 2 && f->scalar && f->fp64 ? unfused : fma_host_helper(f);
}

static int expect(const char* what, Bool found, Bool wanted) {
  if (found != wanted) printf("%s: %s\n", what, found ? "passed" : "failed");
  return found != wanted;
}

int main(void) {
  if (!fma_host_exists()) return puts("SKIP: this host has no FMA"), 77;
  int wrong = expect("the host's instructions", fma_host_is_right(fma_host_helper), True);
  wrong += expect("another operation", fma_host_is_right(another_operation), False);
  wrong += expect("another form", fma_host_is_right(another_form), False);
  wrong += expect("alternating the other way", fma_host_is_right(alternating_the_other_way), False);
  wrong += expect("half the lanes", fma_host_is_right(half_the_lanes), False);
  wrong += expect("rounding the product", fma_host_is_right(rounding_the_product), False);
  return wrong != 0;
}
