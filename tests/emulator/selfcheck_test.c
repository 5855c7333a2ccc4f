// SPDX-License-Identifier: GPL-2.0-or-later
//
// The self-check's comparison, natively: it agrees with a right decode and tells a wrong one, whichever side is wrong.
#include "selfcheck.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char said[4096];
static int failures;

// The functions of Valgrind's core that decode.c and selfcheck.c call.
void* vgPlain_memset(void* s, Int c, SizeT n) { return memset(s, c, n); }
void* vgPlain_memcpy(void* d, const void* s, SizeT n) { return memcpy(d, s, n); }
UInt vgPlain_umsg(const HChar* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t length = strlen(said);
  int n = vsnprintf(said + length, sizeof said - length, format, arguments);
  va_end(arguments);
  return (UInt)n;
}
UInt vgPlain_fprintf(VgFile* f, const HChar* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vfprintf((FILE*)(void*)f, format, arguments);
  va_end(arguments);
  return (UInt)n;
}

static void expect(int line, int holds, const char* what) {
  if (holds) return;
  printf("line %d: not so: %s (said: %s)\n", line, what, said);
  failures++;
}
#define EXPECT(condition) expect(__LINE__, condition, #condition)

// A block of one instruction whose only operation is op, on two operands and a rounding mode.
static Bool agrees(const DecodedInstruction* decoded, const UChar* code, UInt length, IROp op) {
  IRTriop triop = {.op = op};
  IRExpr operation = {.tag = Iex_Triop, .Iex = {.Triop = {&triop}}};
  IRStmt mark = {.tag = Ist_IMark, .Ist = {.IMark = {(Addr)code, length, 0}}};
  IRStmt assignment = {.tag = Ist_WrTmp, .Ist = {.WrTmp = {0, &operation}}};
  IRStmt* statements[] = {&mark, &assignment};
  IRSB block = {.stmts = statements, .stmts_size = 2, .stmts_used = 2};
  said[0] = '\0';
  return selfcheck_instruction(&block, 0, decoded);
}

static const UChar addpd[] = {0x66, 0x0F, 0x58, 0xC1};

static DecodedInstruction decoded_addpd(void) {
  DecodedInstruction d;
  decode_instruction(addpd, sizeof addpd, &d);
  return d;
}

static Bool addpd_agrees(const DecodedInstruction* d, IROp op) { return agrees(d, addpd, sizeof addpd, op); }

static void set_amount(DecodedInstruction* d, UInt from, UInt event, UInt amount) {
  for (UInt k = 0; k < d->n_amounts; k++)
    if (d->amounts[k].event == from) d->amounts[k] = (EventAmount){(UShort)event, (UShort)amount};
}

static void a_right_decode_agrees(void) {
  DecodedInstruction d = decoded_addpd();
  EXPECT(addpd_agrees(&d, Iop_Add64Fx2));
  EXPECT(said[0] == '\0');
  EXPECT(selfcheck.compared == 1 && selfcheck.agreed == 1);
}

static void wrong_lanes_are_told_with_both_opinions(void) {
  DecodedInstruction d = decoded_addpd();
  set_amount(&d, PLUMBLINE_EVENT_flops_fp64_add, PLUMBLINE_EVENT_flops_fp64_add, 4);
  EXPECT(!addpd_agrees(&d, Iop_Add64Fx2));
  EXPECT(strstr(said, "66 0f 58 c1") != NULL);
  EXPECT(strstr(said, "flops.fp64.add decoded 4, in VEX 2") != NULL);
}

static void a_wrong_kind_precision_or_width_is_told(void) {
  DecodedInstruction d = decoded_addpd();
  EXPECT(!addpd_agrees(&d, Iop_Mul64Fx2));
  EXPECT(!addpd_agrees(&d, Iop_Add32Fx4));
  EXPECT(!addpd_agrees(&d, Iop_Add64Fx4));
  EXPECT(!addpd_agrees(&d, Iop_Add64F0x2));
  set_amount(&d, PLUMBLINE_EVENT_flops_fp64_add, PLUMBLINE_EVENT_flops_fp32_add, 2);
  EXPECT(!addpd_agrees(&d, Iop_Add64Fx2));
}

static void an_overlooked_instruction_is_told(void) {
  DecodedInstruction d = decoded_addpd(), nothing;
  memset(&nothing, 0, sizeof nothing);
  EXPECT(!addpd_agrees(&nothing, Iop_Add64Fx2));
  EXPECT(!addpd_agrees(&d, Iop_Add64));  // an integer addition
  ULong compared = selfcheck.compared;
  EXPECT(addpd_agrees(&nothing, Iop_Add64));
  EXPECT(selfcheck.compared == compared);
}

static void instructions_without_witness_are_counted_apart(void) {
  static const UChar haddpd[] = {0x66, 0x0F, 0x7C, 0xC1};
  DecodedInstruction d;
  decode_instruction(haddpd, sizeof haddpd, &d);
  SelfCheck before = selfcheck;
  EXPECT(agrees(&d, haddpd, sizeof haddpd, Iop_Add64Fx4));
  EXPECT(selfcheck.compared == before.compared && selfcheck.no_witness == before.no_witness + 1);
}

int main(void) {
  a_right_decode_agrees();
  wrong_lanes_are_told_with_both_opinions();
  a_wrong_kind_precision_or_width_is_told();
  an_overlooked_instruction_is_told();
  instructions_without_witness_are_counted_apart();
  printf("%d failures\n", failures);
  return failures != 0;
}
