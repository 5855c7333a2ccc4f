// SPDX-License-Identifier: GPL-2.0-or-later
#include "fma_host.h"

#include "pub_tool_libcbase.h"

// clang-format off

// ------------------------------------------------------------------------------------------------------------ host's helpers

#define FMA_HELPER(mnemonic, suffix, load, x)                                                                                  \
  static void helper_##mnemonic##_##suffix##_##x(UChar* state, ULong offsets, ULong memory) {                                  \
    UChar* destination = state + (offsets & 0xFFFF);                                                                           \
    const UChar* second = state + ((offsets >> 16) & 0xFFFF);                                                                  \
    const UChar* third = memory ? (const UChar*)(Addr)memory : state + ((offsets >> 32) & 0xFFFF);                             \
    __asm__ volatile(load " (%0), %%" #x "mm0\n\t" load " (%1), %%" #x "mm1\n\t" #mnemonic #suffix " (%2), %%" #x "mm1, %%" #x \
                          "mm0\n\t" load " %%" #x "mm0, (%0)\n\tvzeroupper"                                                    \
                     :                                                                                                         \
                     : "r"(destination), "r"(second), "r"(third)                                                               \
                     : "xmm0", "xmm1", "memory");                                                                              \
  }
#define FMA_PACKED(mnemonic)             \
  FMA_HELPER(mnemonic, ps, "vmovups", x) \
  FMA_HELPER(mnemonic, ps, "vmovups", y) \
  FMA_HELPER(mnemonic, pd, "vmovupd", x) \
  FMA_HELPER(mnemonic, pd, "vmovupd", y)
#define FMA_ALL(mnemonic)               \
  FMA_PACKED(mnemonic)                  \
  FMA_HELPER(mnemonic, ss, "vmovss", x) \
  FMA_HELPER(mnemonic, sd, "vmovsd", x)
#define FMA_FORM(form)        \
  FMA_PACKED(vfmaddsub##form) \
  FMA_PACKED(vfmsubadd##form) FMA_ALL(vfmadd##form) FMA_ALL(vfmsub##form) FMA_ALL(vfnmadd##form) FMA_ALL(vfnmsub##form)
FMA_FORM(132)
FMA_FORM(213)
FMA_FORM(231)

typedef enum { kPs128, kPs256, kPd128, kPd256, kSs, kSd, kWidths } FmaWidth;

#define ROW_PACKED(m) helper_##m##_ps_x, helper_##m##_ps_y, helper_##m##_pd_x, helper_##m##_pd_y
#define ROW_ALTERNATING(m) \
  { ROW_PACKED(m), NULL, NULL }
#define ROW(m) \
  { ROW_PACKED(m), helper_##m##_ss_x, helper_##m##_sd_x }
#define ROWS(form)                                                                                                                \
  {                                                                                                                               \
    ROW_ALTERNATING(vfmaddsub##form), ROW_ALTERNATING(vfmsubadd##form), ROW(vfmadd##form), ROW(vfmsub##form), ROW(vfnmadd##form), \
        ROW(vfnmsub##form)                                                                                                        \
  }
static const FmaHelper helper_[3][6][kWidths] = {ROWS(132), ROWS(213), ROWS(231)};

// clang-format on
FmaHelper fma_host_helper(const FmaInstruction* f) {
  FmaWidth width = f->scalar ? (f->fp64 ? kSd : kSs) : f->fp64 ? (f->wide ? kPd256 : kPd128) : (f->wide ? kPs256 : kPs128);
  return helper_[f->form][f->operation][width];
}

Bool fma_host_exists(void) {
  UInt eax = 1, ebx, ecx = 0, edx, low, high;
  __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  const UInt fma = 1u << 12, osxsave = 1u << 27, avx = 1u << 28;
  if ((ecx & (fma | osxsave | avx)) != (fma | osxsave | avx)) return False;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 6) == 6;
}

// ------------------------------------------------------------------------------------------------------------------- their test

// The test takes x = 1 + e, where e is the last bit, and c = -(1 + 2e): x * x + c is e * e, which an unfused product has lost, and x * x -
// c is 2 + 4e.
enum { kFactor, kAddend, kSum, kDifference };
static const ULong value64_[] = {0x3FF0000000000001, 0xBFF0000000000002, 0x3970000000000000, 0x4000000000000002};
static const UInt value32_[] = {0x3F800001, 0xBF800002, 0x28800000, 0x40000002};

static void put(UChar* registers, UInt lane, Bool fp64, UInt value, Bool negative) {
  if (fp64)
    ((ULong*)(void*)registers)[lane] = value64_[value] ^ (negative ? 1ULL << 63 : 0);
  else
    ((UInt*)(void*)registers)[lane] = value32_[value] ^ (negative ? 1U << 31 : 0);
}

static void fill(UChar* registers, Bool fp64, UInt value) {
  for (UInt lane = 0; lane < (fp64 ? 4 : 8); lane++) put(registers, lane, fp64, value, False);
}

// Does lane k subtract its addend, and is the product negated?
static void put_result(UChar* registers, const FmaInstruction* f, UInt k) {
  Bool odd = k & 1, negated = f->operation >= 4;
  Bool subtracts = f->operation == 0 ? !odd : f->operation == 1 ? odd : f->operation == 3 || f->operation == 5;
  // -(x * x) + c is minus the difference, -(x * x) - c minus the sum.
  put(registers, k, f->fp64, subtracts != negated ? kDifference : kSum, negated);
}

static Bool is_right(FmaHelper helper, const FmaInstruction* f) {
  static const UInt addend_of_form[3] = {1, 2, 0};  // 132: second, 213: third, 231: destination
  __attribute__((aligned(32))) UChar registers[3][32], expected[32];
  for (UInt r = 0; r < 3; r++) fill(registers[r], f->fp64, r == addend_of_form[f->form] ? kAddend : kFactor);
  VG_(memcpy)(expected, registers[0], sizeof expected);
  UInt lanes = f->scalar ? 1 : (f->wide ? 32u : 16u) / (f->fp64 ? 8 : 4);
  for (UInt k = 0; k < lanes; k++) put_result(expected, f, k);
  helper(registers[0], 0 | 32 << 16 | (f->memory ? 0 : 64ULL << 32), f->memory ? (ULong)(Addr)registers[2] : 0);
  for (UInt i = 0; i < sizeof expected; i++)
    if (registers[0][i] != expected[i]) return False;
  return True;
}

Bool fma_host_is_right(FmaHelper (*helper_of)(const FmaInstruction* instruction)) {
  for (UInt n = 0; n < 3 * 6 * 16; n++) {
    FmaInstruction f = {.valid = True, .fp64 = n & 1, .wide = (n >> 1) & 1, .scalar = (n >> 2) & 1, .memory = (n >> 3) & 1};
    f.form = (UChar)((n >> 4) % 3);
    f.operation = (UChar)((n >> 4) / 3);
    FmaHelper helper = helper_of(&f);
    if (helper != NULL && !is_right(helper, &f)) return False;
  }
  return True;
}
