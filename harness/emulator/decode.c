// SPDX-License-Identifier: GPL-2.0-or-later
#include "decode.h"

#include "pub_tool_libcbase.h"

// The opcode tables below are to be read as tables.
// clang-format off

// An opcode of the legacy, VEX or x87 maps with its prefixes taken apart.
typedef struct {
  Bool vex, repeat;       // repeat: F2 or F3 before a one-byte opcode
  UInt map;               // 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A
  UInt prefix;            // mandatory prefix; 0: none, 1: 66, 2: F3, 3: F2
  UInt wide, w;           // VEX.L and VEX.W or REX.W
  UInt vvvv, rex_r, rex_b;  // high register bits, as 0 or 8
  UInt opcode, modrm;
} Opcode;

static Bool is_legacy_prefix(UChar byte) {
  switch (byte) {
    case 0x66: case 0xF2: case 0xF3: case 0x2E: case 0x36: case 0x3E: case 0x26: case 0x64: case 0x65: case 0x67: case 0xF0: return True;
    default: return False;
  }
}

static Bool split(const UChar* code, UInt length, Opcode* o) {
  UInt i = 0;
  VG_(memset)(o, 0, sizeof *o);
  for (; i < length && is_legacy_prefix(code[i]); i++) {
    // F2 and F3 overrule 66; of the two the later one counts.
    if (code[i] == 0xF2) o->prefix = 3;
    if (code[i] == 0xF3) o->prefix = 2;
    if (code[i] == 0x66 && o->prefix == 0) o->prefix = 1;
  }
  o->repeat = o->prefix >= 2;
  if (i < length && (code[i] & 0xF0) == 0x40) {
    o->w = (code[i] >> 3) & 1;
    o->rex_r = (code[i] & 4) ? 8 : 0;
    o->rex_b = (code[i] & 1) ? 8 : 0;
    i++;
  }
  if (i >= length) return False;
  if (code[i] == 0xC5 && i + 2 < length) {
    o->vex = True;
    o->map = 1;
    o->rex_r = (code[i + 1] & 0x80) ? 0 : 8;
    o->vvvv = (~(code[i + 1] >> 3)) & 15;
    o->wide = (code[i + 1] >> 2) & 1;
    o->prefix = code[i + 1] & 3;
    i += 2;
  } else if (code[i] == 0xC4 && i + 3 < length) {
    o->vex = True;
    o->map = code[i + 1] & 31;
    o->rex_r = (code[i + 1] & 0x80) ? 0 : 8;
    o->rex_b = (code[i + 1] & 0x20) ? 0 : 8;
    o->w = code[i + 2] >> 7;
    o->vvvv = (~(code[i + 2] >> 3)) & 15;
    o->wide = (code[i + 2] >> 2) & 1;
    o->prefix = code[i + 2] & 3;
    i += 3;
  } else if (code[i] == 0x0F && i + 1 < length) {
    o->map = 1;
    i++;
    if (code[i] == 0x38 || code[i] == 0x3A) {
      o->map = code[i] == 0x38 ? 2 : 3;
      i++;
    }
  }
  if (i >= length) return False;
  o->opcode = code[i];
  o->modrm = i + 1 < length ? code[i + 1] : 0;
  return True;
}

static void add(DecodedInstruction* d, UInt event, UInt amount) {
  d->amounts[d->n_amounts].event = (UShort)event;
  d->amounts[d->n_amounts].amount = (UShort)amount;
  d->n_amounts++;
}

// -------------------------------------------------------------------------------------------------------------- the tables

// The kind of an instruction. Arithmetic of map 0F takes precision and width from its mandatory prefix: none ps, 66 pd, F3 ss, F2 sd.
typedef enum {
  kOther,      // moves of general registers, system instructions; nothing to count but the instruction
  kInteger,    // on general registers
  kMmxInteger, kVectorInteger,
  kMmxMove, kScalarMove, kMove,  // and shuffles, packs, blends
  kAdd, kMul, kDiv, kSqrt, kMinMax, kCompare, kApproximate,
  kCompareFlags,                 // comis, ucomis: scalar, though their prefix is that of ps and pd
  kHorizontal,                   // haddps, hsubpd, addsubps: one result a lane; 66 pd, F2 ps
  kConvertOne, kConvertTwo, kConvertHalf, kConvertAll,  // lanes: 1; 2 (with an MMX register); 2 or 4; 4 or 8
  kRoundPs, kRoundPd, kRoundOne,
  kDotPs, kDotPd,
  kJumpIf, kJump, kCall, kReturn,
  kPrefetch
} Class;

// Rows by opcode, columns by mandatory prefix. An opcode that is not here moves general registers or is no instruction.
static const UChar map_0f[256][4] = {
  //         none            66              F3              F2
  [0x10] = {kMove,          kMove,          kScalarMove,    kScalarMove},     // movups, movupd, movss, movsd
  [0x11] = {kMove,          kMove,          kScalarMove,    kScalarMove},
  [0x12] = {kScalarMove,    kScalarMove,    kMove,          kMove},           // movlps, movlpd, movsldup, movddup
  [0x13] = {kScalarMove,    kScalarMove},
  [0x14] = {kMove,          kMove},                                           // unpcklps, unpcklpd
  [0x15] = {kMove,          kMove},
  [0x16] = {kScalarMove,    kScalarMove,    kMove},                           // movhps, movhpd, movshdup
  [0x17] = {kScalarMove,    kScalarMove},
  [0x28] = {kMove,          kMove},                                           // movaps, movapd
  [0x29] = {kMove,          kMove},
  [0x2A] = {kConvertTwo,    kConvertTwo,    kConvertOne,    kConvertOne},     // cvtpi2ps, cvtpi2pd, cvtsi2ss, cvtsi2sd
  [0x2B] = {kMove,          kMove},                                           // movntps, movntpd
  [0x2C] = {kConvertTwo,    kConvertTwo,    kConvertOne,    kConvertOne},     // cvttps2pi, cvttpd2pi, cvttss2si, cvttsd2si
  [0x2D] = {kConvertTwo,    kConvertTwo,    kConvertOne,    kConvertOne},
  [0x2E] = {kCompareFlags,  kCompareFlags},                                   // ucomiss, ucomisd
  [0x2F] = {kCompareFlags,  kCompareFlags},                                   // comiss, comisd
  [0x50] = {kMove,          kMove},                                           // movmskps, movmskpd
  [0x51] = {kSqrt,          kSqrt,          kSqrt,          kSqrt},
  [0x52] = {kApproximate,   kOther,         kApproximate},                    // rsqrtps, rsqrtss
  [0x53] = {kApproximate,   kOther,         kApproximate},                    // rcpps, rcpss
  [0x54] = {kVectorInteger, kVectorInteger},                                  // andps, andpd
  [0x55] = {kVectorInteger, kVectorInteger},                                  // andnps, andnpd
  [0x56] = {kVectorInteger, kVectorInteger},                                  // orps, orpd
  [0x57] = {kVectorInteger, kVectorInteger},                                  // xorps, xorpd
  [0x58] = {kAdd,           kAdd,           kAdd,           kAdd},
  [0x59] = {kMul,           kMul,           kMul,           kMul},
  [0x5A] = {kConvertHalf,   kConvertHalf,   kConvertOne,    kConvertOne},     // cvtps2pd, cvtpd2ps, cvtss2sd, cvtsd2ss
  [0x5B] = {kConvertAll,    kConvertAll,    kConvertAll},                     // cvtdq2ps, cvtps2dq, cvttps2dq
  [0x5C] = {kAdd,           kAdd,           kAdd,           kAdd},            // sub
  [0x5D] = {kMinMax,        kMinMax,        kMinMax,        kMinMax},
  [0x5E] = {kDiv,           kDiv,           kDiv,           kDiv},
  [0x5F] = {kMinMax,        kMinMax,        kMinMax,        kMinMax},
  [0x60] = {kMmxMove,       kMove},                                           // punpcklbw, punpcklwd, punpckldq
  [0x61] = {kMmxMove,       kMove},
  [0x62] = {kMmxMove,       kMove},
  [0x63] = {kMmxMove,       kMove},                                           // packsswb
  [0x64] = {kMmxInteger,    kVectorInteger},                                  // pcmpgtb, w, d
  [0x65] = {kMmxInteger,    kVectorInteger},
  [0x66] = {kMmxInteger,    kVectorInteger},
  [0x67] = {kMmxMove,       kMove},                                           // packuswb
  [0x68] = {kMmxMove,       kMove},                                           // punpckhbw, punpckhwd, punpckhdq
  [0x69] = {kMmxMove,       kMove},
  [0x6A] = {kMmxMove,       kMove},
  [0x6B] = {kMmxMove,       kMove},                                           // packssdw
  [0x6C] = {kOther,         kMove},                                           // punpcklqdq
  [0x6D] = {kOther,         kMove},                                           // punpckhqdq
  [0x6E] = {kMmxMove,       kScalarMove},                                     // movd, movq from a general register
  [0x6F] = {kMmxMove,       kMove,          kMove},                           // movq, movdqa, movdqu
  [0x70] = {kMmxMove,       kMove,          kMove,          kMove},           // pshufw, pshufd, pshufhw, pshuflw
  [0x71] = {kMmxInteger,    kVectorInteger},                                  // shifts by a constant: see byte_shift
  [0x72] = {kMmxInteger,    kVectorInteger},
  [0x73] = {kMmxInteger,    kVectorInteger},
  [0x74] = {kMmxInteger,    kVectorInteger},                                  // pcmpeqb, w, d
  [0x75] = {kMmxInteger,    kVectorInteger},
  [0x76] = {kMmxInteger,    kVectorInteger},
  [0x7C] = {kOther,         kHorizontal,    kOther,         kHorizontal},     // haddpd, haddps
  [0x7D] = {kOther,         kHorizontal,    kOther,         kHorizontal},     // hsubpd, hsubps
  [0x7E] = {kMmxMove,       kScalarMove,    kScalarMove},                     // movd, movq to a general register; movq
  [0x7F] = {kMmxMove,       kMove,          kMove},
  [0xC2] = {kCompare,       kCompare,       kCompare,       kCompare},        // cmpps, cmppd, cmpss, cmpsd
  [0xC4] = {kMmxMove,       kScalarMove},                                     // pinsrw
  [0xC5] = {kMmxMove,       kScalarMove},                                     // pextrw
  [0xC6] = {kMove,          kMove},                                           // shufps, shufpd
  [0xD0] = {kOther,         kHorizontal,    kOther,         kHorizontal},     // addsubpd, addsubps
  [0xD1] = {kMmxInteger,    kVectorInteger},                                  // psrlw, psrld, psrlq
  [0xD2] = {kMmxInteger,    kVectorInteger},
  [0xD3] = {kMmxInteger,    kVectorInteger},
  [0xD4] = {kMmxInteger,    kVectorInteger},                                  // paddq
  [0xD5] = {kMmxInteger,    kVectorInteger},                                  // pmullw
  [0xD6] = {kOther,         kScalarMove,    kScalarMove,    kScalarMove},     // movq, movq2dq, movdq2q
  [0xD7] = {kMmxMove,       kMove},                                           // pmovmskb
  [0xD8] = {kMmxInteger,    kVectorInteger},                                  // psubusb, psubusw
  [0xD9] = {kMmxInteger,    kVectorInteger},
  [0xDA] = {kMmxInteger,    kVectorInteger},                                  // pminub
  [0xDB] = {kMmxInteger,    kVectorInteger},                                  // pand
  [0xDC] = {kMmxInteger,    kVectorInteger},                                  // paddusb, paddusw
  [0xDD] = {kMmxInteger,    kVectorInteger},
  [0xDE] = {kMmxInteger,    kVectorInteger},                                  // pmaxub
  [0xDF] = {kMmxInteger,    kVectorInteger},                                  // pandn
  [0xE0] = {kMmxInteger,    kVectorInteger},                                  // pavgb
  [0xE1] = {kMmxInteger,    kVectorInteger},                                  // psraw, psrad
  [0xE2] = {kMmxInteger,    kVectorInteger},
  [0xE3] = {kMmxInteger,    kVectorInteger},                                  // pavgw
  [0xE4] = {kMmxInteger,    kVectorInteger},                                  // pmulhuw, pmulhw
  [0xE5] = {kMmxInteger,    kVectorInteger},
  [0xE6] = {kOther,         kConvertHalf,   kConvertHalf,   kConvertHalf},    // cvttpd2dq, cvtdq2pd, cvtpd2dq
  [0xE7] = {kMmxMove,       kMove},                                           // movntq, movntdq
  [0xE8] = {kMmxInteger,    kVectorInteger},                                  // psubsb, psubsw
  [0xE9] = {kMmxInteger,    kVectorInteger},
  [0xEA] = {kMmxInteger,    kVectorInteger},                                  // pminsw
  [0xEB] = {kMmxInteger,    kVectorInteger},                                  // por
  [0xEC] = {kMmxInteger,    kVectorInteger},                                  // paddsb, paddsw
  [0xED] = {kMmxInteger,    kVectorInteger},
  [0xEE] = {kMmxInteger,    kVectorInteger},                                  // pmaxsw
  [0xEF] = {kMmxInteger,    kVectorInteger},                                  // pxor
  [0xF0] = {kOther,         kOther,         kOther,         kMove},           // lddqu
  [0xF1] = {kMmxInteger,    kVectorInteger},                                  // psllw, pslld, psllq
  [0xF2] = {kMmxInteger,    kVectorInteger},
  [0xF3] = {kMmxInteger,    kVectorInteger},
  [0xF4] = {kMmxInteger,    kVectorInteger},                                  // pmuludq
  [0xF5] = {kMmxInteger,    kVectorInteger},                                  // pmaddwd
  [0xF6] = {kMmxInteger,    kVectorInteger},                                  // psadbw
  [0xF7] = {kMmxMove,       kMove},                                           // maskmovq, maskmovdqu
  [0xF8] = {kMmxInteger,    kVectorInteger},                                  // psubb, w, d, q
  [0xF9] = {kMmxInteger,    kVectorInteger},
  [0xFA] = {kMmxInteger,    kVectorInteger},
  [0xFB] = {kMmxInteger,    kVectorInteger},
  [0xFC] = {kMmxInteger,    kVectorInteger},                                  // paddb, w, d
  [0xFD] = {kMmxInteger,    kVectorInteger},
  [0xFE] = {kMmxInteger,    kVectorInteger},
};

// Map 0F38: columns as above, of which only two are in use for vector registers. The fused multiply-adds are in decode_fma.
static const UChar map_0f38[256][4] = {
  //         none            66
  [0x00] = {kMmxMove,       kMove},           // pshufb
  [0x01] = {kMmxInteger,    kVectorInteger},  // phaddw, phaddd, phaddsw
  [0x02] = {kMmxInteger,    kVectorInteger},
  [0x03] = {kMmxInteger,    kVectorInteger},
  [0x04] = {kMmxInteger,    kVectorInteger},  // pmaddubsw
  [0x05] = {kMmxInteger,    kVectorInteger},  // phsubw, phsubd, phsubsw
  [0x06] = {kMmxInteger,    kVectorInteger},
  [0x07] = {kMmxInteger,    kVectorInteger},
  [0x08] = {kMmxInteger,    kVectorInteger},  // psignb, w, d
  [0x09] = {kMmxInteger,    kVectorInteger},
  [0x0A] = {kMmxInteger,    kVectorInteger},
  [0x0B] = {kMmxInteger,    kVectorInteger},  // pmulhrsw
  [0x0C] = {kOther,         kMove},           // vpermilps, vpermilpd
  [0x0D] = {kOther,         kMove},
  [0x0E] = {kOther,         kVectorInteger},  // vtestps, vtestpd: of sign bits
  [0x0F] = {kOther,         kVectorInteger},
  [0x10] = {kOther,         kMove},           // pblendvb
  [0x13] = {kOther,         kConvertAll},     // vcvtph2ps
  [0x14] = {kOther,         kMove},           // blendvps, blendvpd
  [0x15] = {kOther,         kMove},
  [0x16] = {kOther,         kMove},           // vpermps
  [0x17] = {kOther,         kVectorInteger},  // ptest
  [0x18] = {kOther,         kMove},           // vbroadcastss, vbroadcastsd, vbroadcastf128
  [0x19] = {kOther,         kMove},
  [0x1A] = {kOther,         kMove},
  [0x1C] = {kMmxInteger,    kVectorInteger},  // pabsb, w, d
  [0x1D] = {kMmxInteger,    kVectorInteger},
  [0x1E] = {kMmxInteger,    kVectorInteger},
  [0x20] = {kOther,         kMove},           // pmovsx
  [0x21] = {kOther,         kMove},
  [0x22] = {kOther,         kMove},
  [0x23] = {kOther,         kMove},
  [0x24] = {kOther,         kMove},
  [0x25] = {kOther,         kMove},
  [0x28] = {kOther,         kVectorInteger},  // pmuldq
  [0x29] = {kOther,         kVectorInteger},  // pcmpeqq
  [0x2A] = {kOther,         kMove},           // movntdqa
  [0x2B] = {kOther,         kMove},           // packusdw
  [0x2C] = {kOther,         kMove},           // vmaskmovps, vmaskmovpd
  [0x2D] = {kOther,         kMove},
  [0x2E] = {kOther,         kMove},
  [0x2F] = {kOther,         kMove},
  [0x30] = {kOther,         kMove},           // pmovzx
  [0x31] = {kOther,         kMove},
  [0x32] = {kOther,         kMove},
  [0x33] = {kOther,         kMove},
  [0x34] = {kOther,         kMove},
  [0x35] = {kOther,         kMove},
  [0x36] = {kOther,         kMove},           // vpermd
  [0x37] = {kOther,         kVectorInteger},  // pcmpgtq
  [0x38] = {kOther,         kVectorInteger},  // pminsb, pminsd, pminuw, pminud, pmaxsb, pmaxsd, pmaxuw, pmaxud
  [0x39] = {kOther,         kVectorInteger},
  [0x3A] = {kOther,         kVectorInteger},
  [0x3B] = {kOther,         kVectorInteger},
  [0x3C] = {kOther,         kVectorInteger},
  [0x3D] = {kOther,         kVectorInteger},
  [0x3E] = {kOther,         kVectorInteger},
  [0x3F] = {kOther,         kVectorInteger},
  [0x40] = {kOther,         kVectorInteger},  // pmulld
  [0x41] = {kOther,         kVectorInteger},  // phminposuw
  [0x45] = {kOther,         kVectorInteger},  // vpsrlv, vpsravd, vpsllv
  [0x46] = {kOther,         kVectorInteger},
  [0x47] = {kOther,         kVectorInteger},
  [0x58] = {kOther,         kMove},           // vpbroadcastd, vpbroadcastq, vbroadcasti128
  [0x59] = {kOther,         kMove},
  [0x5A] = {kOther,         kMove},
  [0x78] = {kOther,         kMove},           // vpbroadcastb, vpbroadcastw
  [0x79] = {kOther,         kMove},
  [0x8C] = {kOther,         kMove},           // vpmaskmov
  [0x8E] = {kOther,         kMove},
  [0x90] = {kOther,         kMove},           // gathers
  [0x91] = {kOther,         kMove},
  [0x92] = {kOther,         kMove},
  [0x93] = {kOther,         kMove},
  [0xDB] = {kOther,         kVectorInteger},  // aesimc, aesenc, aesenclast, aesdec, aesdeclast
  [0xDC] = {kOther,         kVectorInteger},
  [0xDD] = {kOther,         kVectorInteger},
  [0xDE] = {kOther,         kVectorInteger},
  [0xDF] = {kOther,         kVectorInteger},
  [0xF0] = {kOther,         kOther,         kOther,         kInteger},        // crc32
  [0xF1] = {kOther,         kOther,         kOther,         kInteger},
  [0xF2] = {kInteger},                                                        // andn
  [0xF3] = {kInteger},                                                        // blsr, blsmsk, blsi
  [0xF5] = {kInteger,       kOther,         kInteger,       kInteger},        // bzhi, pext, pdep
  [0xF6] = {kOther,         kInteger,       kInteger,       kInteger},        // adcx, adox, mulx
  [0xF7] = {kInteger,       kInteger,       kInteger,       kInteger},        // bextr, shlx, sarx, shrx
};

static const UChar map_0f3a[256][4] = {
  //         none            66
  [0x00] = {kOther,         kMove},           // vpermq, vpermpd, vpblendd
  [0x01] = {kOther,         kMove},
  [0x02] = {kOther,         kMove},
  [0x04] = {kOther,         kMove},           // vpermilps, vpermilpd, vperm2f128
  [0x05] = {kOther,         kMove},
  [0x06] = {kOther,         kMove},
  [0x08] = {kOther,         kRoundPs},
  [0x09] = {kOther,         kRoundPd},
  [0x0A] = {kOther,         kRoundOne},       // roundss, roundsd
  [0x0B] = {kOther,         kRoundOne},
  [0x0C] = {kOther,         kMove},           // blendps, blendpd, pblendw
  [0x0D] = {kOther,         kMove},
  [0x0E] = {kOther,         kMove},
  [0x0F] = {kMmxMove,       kMove},           // palignr
  [0x14] = {kOther,         kScalarMove},     // pextrb, pextrw, pextrd, extractps
  [0x15] = {kOther,         kScalarMove},
  [0x16] = {kOther,         kScalarMove},
  [0x17] = {kOther,         kScalarMove},
  [0x18] = {kOther,         kMove},           // vinsertf128, vextractf128
  [0x19] = {kOther,         kMove},
  [0x1D] = {kOther,         kConvertAll},     // vcvtps2ph
  [0x20] = {kOther,         kScalarMove},     // pinsrb, insertps, pinsrd
  [0x21] = {kOther,         kScalarMove},
  [0x22] = {kOther,         kScalarMove},
  [0x38] = {kOther,         kMove},           // vinserti128, vextracti128
  [0x39] = {kOther,         kMove},
  [0x40] = {kOther,         kDotPs},
  [0x41] = {kOther,         kDotPd},
  [0x42] = {kOther,         kVectorInteger},  // mpsadbw
  [0x44] = {kOther,         kVectorInteger},  // pclmulqdq
  [0x46] = {kOther,         kMove},           // vperm2i128
  [0x4A] = {kOther,         kMove},           // vblendvps, vblendvpd, vpblendvb
  [0x4B] = {kOther,         kMove},
  [0x4C] = {kOther,         kMove},
  [0x60] = {kOther,         kVectorInteger},  // pcmpestrm, pcmpestri, pcmpistrm, pcmpistri
  [0x61] = {kOther,         kVectorInteger},
  [0x62] = {kOther,         kVectorInteger},
  [0x63] = {kOther,         kVectorInteger},
  [0xDF] = {kOther,         kVectorInteger},  // aeskeygenassist
  [0xF0] = {kOther,         kOther,         kOther,         kInteger},        // rorx
};

static Bool one_of(UInt reg, UInt set) { return (set >> reg) & 1; }

// General registers. reg is the third of an opcode that modrm may hold.
static Class general_of_one_byte(UInt op, UInt reg) {
  if (op < 0x40) return (op & 7) < 6 ? kInteger : kOther;  // add, or, adc, sbb, and, sub, xor, cmp
  switch (op) {
    case 0x69: case 0x6B:                                  // imul
    case 0x80: case 0x81: case 0x83: case 0x84: case 0x85: // add to cmp with a constant; test
    case 0xA8: case 0xA9:
    case 0xC0: case 0xC1: case 0xD0: case 0xD1: case 0xD2: case 0xD3:  // shifts and rotations
    case 0xF6: case 0xF7: return kInteger;                 // test, not, neg, mul, imul, div, idiv
    case 0xFE: return kInteger;                            // inc, dec
    case 0xFF: return one_of(reg, 1 << 0 | 1 << 1) ? kInteger : one_of(reg, 1 << 2 | 1 << 3) ? kCall : one_of(reg, 1 << 4 | 1 << 5) ? kJump : kOther;
    case 0xE0: case 0xE1: case 0xE2: case 0xE3: return kJumpIf;  // loop, jrcxz
    case 0xE8: return kCall;
    case 0xE9: case 0xEB: return kJump;
    case 0xC2: case 0xC3: return kReturn;
    default: return op >= 0x70 && op <= 0x7F ? kJumpIf : kOther;
  }
}

static Class general_of_0f(const Opcode* o) {
  UInt op = o->opcode, reg = (o->modrm >> 3) & 7;
  Bool memory = o->modrm < 0xC0;
  if (op >= 0x80 && op <= 0x8F) return kJumpIf;
  switch (op) {
    case 0x0D: return memory ? kPrefetch : kOther;                         // prefetch, prefetchw
    case 0x18: return memory && reg < 4 ? kPrefetch : kOther;
    case 0xA3: case 0xAB: case 0xB3: case 0xBB: case 0xBA:                 // bt, bts, btr, btc
    case 0xA4: case 0xA5: case 0xAC: case 0xAD:                            // shld, shrd
    case 0xAF: case 0xB0: case 0xB1: case 0xC0: case 0xC1:                 // imul, cmpxchg, xadd
    case 0xB8: case 0xBC: case 0xBD: return kInteger;                      // popcnt, bsf, tzcnt, bsr, lzcnt
    case 0xC7: return memory && reg == 1 ? kInteger : kOther;              // cmpxchg8b, cmpxchg16b
    default: return kOther;
  }
}

// ------------------------------------------------------------------------------------------------------ counting by class

static UInt lanes_of(const Opcode* o, Bool fp64) { return (fp64 ? 2u : 4u) << o->wide; }

static void add_fp_instruction(DecodedInstruction* d, UInt fp_width, UInt width) {
  add(d, PLUMBLINE_EVENT_fp_instructions, 1);
  add(d, fp_width, 1);
  add(d, width, 1);
}

static void add_fp_scalar(DecodedInstruction* d) { add_fp_instruction(d, PLUMBLINE_EVENT_fp_scalar, PLUMBLINE_EVENT_width_scalar); }

static UInt packed_width(const Opcode* o) { return o->wide ? PLUMBLINE_EVENT_width_256 : PLUMBLINE_EVENT_width_128; }

static void add_fp_packed(const Opcode* o, DecodedInstruction* d) {
  add_fp_instruction(d, o->wide ? PLUMBLINE_EVENT_fp_256 : PLUMBLINE_EVENT_fp_128, packed_width(o));
}

static void add_integer(DecodedInstruction* d, UInt int_width, UInt width) {
  add(d, PLUMBLINE_EVENT_int_instructions, 1);
  add(d, int_width, 1);
  if (width != int_width) add(d, width, 1);
}

static UInt event_of(Class kind, Bool fp64) {
  switch (kind) {
    case kAdd: return fp64 ? PLUMBLINE_EVENT_flops_fp64_add : PLUMBLINE_EVENT_flops_fp32_add;
    case kMul: return fp64 ? PLUMBLINE_EVENT_flops_fp64_mul : PLUMBLINE_EVENT_flops_fp32_mul;
    case kDiv: return fp64 ? PLUMBLINE_EVENT_flops_fp64_div : PLUMBLINE_EVENT_flops_fp32_div;
    case kSqrt: return fp64 ? PLUMBLINE_EVENT_flops_fp64_sqrt : PLUMBLINE_EVENT_flops_fp32_sqrt;
    case kMinMax: return PLUMBLINE_EVENT_fp_min_max;
    case kCompare: return PLUMBLINE_EVENT_fp_compare;
    default: return PLUMBLINE_EVENT_fp_approximate;
  }
}

static void count_arithmetic(const Opcode* o, Class kind, DecodedInstruction* d) {
  Bool scalar = o->prefix >= 2, fp64 = o->prefix & 1;
  add(d, event_of(kind, fp64), scalar ? 1 : lanes_of(o, fp64));
  if (scalar)
    add_fp_scalar(d);
  else
    add_fp_packed(o, d);
}

static void count_horizontal(const Opcode* o, DecodedInstruction* d) {
  Bool fp64 = o->prefix == 1;
  add(d, event_of(kAdd, fp64), lanes_of(o, fp64));
  d->unlike_ir = True;
  add_fp_packed(o, d);
}

// The dot products multiply every lane and sum within each 128 bits, whatever their masks select.
static void count_dot_product(const Opcode* o, Bool fp64, DecodedInstruction* d) {
  add(d, event_of(kMul, fp64), lanes_of(o, fp64));
  add(d, event_of(kAdd, fp64), (fp64 ? 1u : 3u) << o->wide);
  d->unlike_ir = True;
  add_fp_packed(o, d);
}

static void count_by_lane(DecodedInstruction* d, UInt event, UInt lanes, UInt width) {
  add(d, event, lanes);
  add(d, width, 1);
}

static void count_branch(DecodedInstruction* d, UInt event) {
  add(d, PLUMBLINE_EVENT_branches, 1);
  add(d, event, 1);
}

static void count_class(const Opcode* o, Class class, DecodedInstruction* d) {
  switch (class) {
    case kOther: break;
    case kInteger: add_integer(d, PLUMBLINE_EVENT_int_scalar, PLUMBLINE_EVENT_int_scalar); break;
    case kMmxInteger: add_integer(d, PLUMBLINE_EVENT_int_mmx, PLUMBLINE_EVENT_width_mmx); break;
    case kVectorInteger: add_integer(d, o->wide ? PLUMBLINE_EVENT_int_256 : PLUMBLINE_EVENT_int_128, packed_width(o)); break;
    case kMmxMove: add(d, PLUMBLINE_EVENT_width_mmx, 1); break;
    case kScalarMove: add(d, PLUMBLINE_EVENT_width_scalar, 1); break;
    case kMove: add(d, packed_width(o), 1); break;
    case kAdd: case kMul: case kDiv: case kSqrt: case kMinMax: case kCompare: case kApproximate: count_arithmetic(o, class, d); break;
    case kCompareFlags:
      add(d, PLUMBLINE_EVENT_fp_compare, 1);
      add_fp_scalar(d);
      break;
    case kHorizontal: count_horizontal(o, d); break;
    case kConvertOne: count_by_lane(d, PLUMBLINE_EVENT_fp_convert, 1, PLUMBLINE_EVENT_width_scalar); break;
    case kConvertTwo: count_by_lane(d, PLUMBLINE_EVENT_fp_convert, 2, PLUMBLINE_EVENT_width_128); break;
    case kConvertHalf: count_by_lane(d, PLUMBLINE_EVENT_fp_convert, 2u << o->wide, packed_width(o)); break;
    case kConvertAll: count_by_lane(d, PLUMBLINE_EVENT_fp_convert, 4u << o->wide, packed_width(o)); break;
    case kRoundPs: count_by_lane(d, PLUMBLINE_EVENT_fp_round, lanes_of(o, False), packed_width(o)); break;
    case kRoundPd: count_by_lane(d, PLUMBLINE_EVENT_fp_round, lanes_of(o, True), packed_width(o)); break;
    case kRoundOne: count_by_lane(d, PLUMBLINE_EVENT_fp_round, 1, PLUMBLINE_EVENT_width_scalar); break;
    case kDotPs: count_dot_product(o, False, d); break;
    case kDotPd: count_dot_product(o, True, d); break;
    case kJumpIf: count_branch(d, PLUMBLINE_EVENT_branches_conditional); break;
    case kJump: count_branch(d, PLUMBLINE_EVENT_branches_unconditional); break;
    case kCall: count_branch(d, PLUMBLINE_EVENT_calls); break;
    case kReturn: count_branch(d, PLUMBLINE_EVENT_returns); break;
    case kPrefetch: add(d, PLUMBLINE_EVENT_prefetch_instructions, 1); break;
  }
}

// ------------------------------------------------------------------------------------------------------------------ the maps

static Bool is_non_temporal_store(const Opcode* o) {
  if (o->opcode == 0xF7) return o->prefix <= 1;  // maskmovq, maskmovdqu
  if (o->modrm >= 0xC0) return False;
  switch (o->opcode) {
    case 0x2B: return True;                       // movntps, movntpd
    case 0xE7: return o->prefix <= 1;             // movntq, movntdq
    case 0xC3: return !o->vex && o->prefix == 0;  // movnti
    default: return False;
  }
}

// psrldq and pslldq hide among the shifts by bits.
static Bool is_byte_shift(const Opcode* o) { return o->opcode == 0x73 && o->prefix == 1 && ((o->modrm >> 3) & 3) == 3; }

// Valgrind reads 8 bytes of a vector shift's count and the lower half of each lane of vmovddup, and leaves out what fxsave keeps
// of the x87 registers' spare bytes.
static UInt operand_bytes_of_0f(const Opcode* o) {
  if (o->modrm >= 0xC0) return 0;
  switch (o->opcode) {
    case 0xD1: case 0xD2: case 0xD3: case 0xE1: case 0xE2: case 0xF1: case 0xF2: case 0xF3: return o->prefix == 1 ? 16 : 0;
    case 0x12: return o->prefix == 3 && o->wide ? 32 : 0;
    case 0xAE: return !o->vex && o->prefix == 0 && ((o->modrm >> 3) & 7) < 2 ? 512 : 0;
    default: return 0;
  }
}

static void decode_map_0f(const Opcode* o, DecodedInstruction* d) {
  Class class = map_0f[o->opcode][o->prefix];
  if (is_byte_shift(o)) class = kMove;
  if (class == kOther && !o->vex) class = general_of_0f(o);
  count_class(o, class, d);
  d->non_temporal = is_non_temporal_store(o);
  d->operand_bytes = (UShort)operand_bytes_of_0f(o);
  if (o->opcode == 0xF7 && o->prefix <= 1) {
    d->masked_move = True;
    d->mmx_mask = !o->vex && o->prefix == 0;
    d->mask = (UChar)((o->modrm & 7) | (d->mmx_mask ? 0 : o->rex_b));
  }
  switch (o->opcode) {
    case 0xA3: case 0xAB: case 0xB3: case 0xBB: d->no_memory = o->modrm >= 0xC0; break;  // bt, bts, btr, btc
    default: break;
  }
}

static void decode_fma(const Opcode* o, DecodedInstruction* d) {
  UInt low = o->opcode & 15;
  FmaInstruction* f = &d->fma;
  f->valid = True;
  f->form = (UChar)((o->opcode >> 4) - 9);
  f->operation = (UChar)(low < 8 ? low - 6 : 2 + (low - 8) / 2);
  f->scalar = low >= 8 && (low & 1);
  f->fp64 = o->w != 0;
  f->wide = o->wide && !f->scalar;
  f->memory = o->modrm < 0xC0;
  f->destination = (UChar)(((o->modrm >> 3) & 7) | o->rex_r);
  f->second = (UChar)o->vvvv;
  f->third = (UChar)((o->modrm & 7) | o->rex_b);
  add(d, f->fp64 ? PLUMBLINE_EVENT_flops_fp64_fma : PLUMBLINE_EVENT_flops_fp32_fma, f->scalar ? 1 : lanes_of(o, f->fp64));
  if (f->scalar)
    add_fp_scalar(d);
  else
    add_fp_packed(o, d);
}

static void decode_map_0f38(const Opcode* o, DecodedInstruction* d) {
  UInt high = o->opcode >> 4;
  if (o->vex && o->prefix == 1 && high >= 9 && high <= 0xB && (o->opcode & 15) >= 6) {
    decode_fma(o, d);
    return;
  }
  // movbe shares its opcodes with crc32, which only F2 tells apart, also together with 66.
  count_class(o, map_0f38[o->opcode][o->prefix], d);
  d->gather = o->vex && o->opcode >= 0x90 && o->opcode <= 0x93;
}

// Valgrind loads the half of vperm2f128's and vperm2i128's memory operand that the constant selects.
static void decode_map_0f3a(const Opcode* o, UInt constant, DecodedInstruction* d) {
  count_class(o, map_0f3a[o->opcode][o->prefix], d);
  if ((o->opcode != 0x06 && o->opcode != 0x46) || !o->vex || o->modrm >= 0xC0) return;
  Bool low = (constant & 0x0B) == 2 || (constant & 0xB0) == 0x20;
  d->operand_bytes = 32;
  d->operand_offset = low ? 0 : 16;
}

// ------------------------------------------------------------------------------------------------------------------- x87

typedef enum {
  xMove,                    // loads, stores, constants, conditional moves, sign changes, fxam, control
  xAdd, xMul, xDiv, xSqrt, xCompare,
  xIntAdd, xIntMul, xIntDiv, xIntCompare,  // with an integer in memory, which is converted first
  xConvert,                 // loads and stores of integers and decimals
  xRound,
  xOther                    // transcendental and remainder instructions: no operation count of their own
} X87Class;

// Rows D8 to DF, columns by modrm.reg.
static const UChar x87_memory[8][8] = {
  {xAdd,     xMul,     xCompare,    xCompare,    xAdd,     xAdd,     xDiv,     xDiv},      // of m32
  {xMove,    xMove,    xMove,       xMove,       xMove,    xMove,    xMove,    xMove},     // fld, fst, fstp m32; environment
  {xIntAdd,  xIntMul,  xIntCompare, xIntCompare, xIntAdd,  xIntAdd,  xIntDiv,  xIntDiv},   // of an integer m32
  {xConvert, xConvert, xConvert,    xConvert,    xMove,    xMove,    xMove,    xMove},     // fild, fisttp, fist, fistp; fld, fstp m80
  {xAdd,     xMul,     xCompare,    xCompare,    xAdd,     xAdd,     xDiv,     xDiv},      // of m64
  {xMove,    xConvert, xMove,       xMove,       xMove,    xMove,    xMove,    xMove},     // fld, fisttp, fst, fstp m64; state
  {xIntAdd,  xIntMul,  xIntCompare, xIntCompare, xIntAdd,  xIntAdd,  xIntDiv,  xIntDiv},   // of an integer m16
  {xConvert, xConvert, xConvert,    xConvert,    xConvert, xConvert, xConvert, xConvert},  // fild to fistp; fbld, fild m64, fbstp
};
static const UChar x87_register[8][8] = {
  {xAdd,     xMul,     xCompare,    xCompare,    xAdd,     xAdd,     xDiv,     xDiv},
  {xMove,    xMove,    xMove,       xMove,       xMove,    xMove,    xMove,    xMove},     // reg 4 to 7: x87_without_operand
  {xMove,    xMove,    xMove,       xMove,       xMove,    xCompare, xMove,    xMove},     // fcmov; fucompp
  {xMove,    xMove,    xMove,       xMove,       xMove,    xCompare, xCompare, xMove},     // fcmovn; fucomi, fcomi
  {xAdd,     xMul,     xCompare,    xCompare,    xAdd,     xAdd,     xDiv,     xDiv},
  {xMove,    xMove,    xMove,       xMove,       xCompare, xCompare, xMove,    xMove},     // ffree, fst, fstp; fucom, fucomp
  {xAdd,     xMul,     xCompare,    xCompare,    xAdd,     xAdd,     xDiv,     xDiv},      // faddp...; reg 3: fcompp
  {xMove,    xMove,    xMove,       xMove,       xMove,    xCompare, xCompare, xMove},     // fnstsw; fucomip, fcomip
};
// D9 E0 to D9 FF.
static const UChar x87_without_operand[32] = {
  [0x04] = xCompare,                                                    // ftst
  [0x10] = xOther, [0x11] = xOther, [0x12] = xOther, [0x13] = xOther,   // f2xm1, fyl2x, fptan, fpatan
  [0x14] = xOther, [0x15] = xOther, [0x18] = xOther, [0x19] = xOther,   // fxtract, fprem1, fprem, fyl2xp1
  [0x1A] = xSqrt,  [0x1B] = xOther, [0x1C] = xRound, [0x1D] = xOther,   // fsqrt, fsincos, frndint, fscale
  [0x1E] = xOther, [0x1F] = xOther,                                     // fsin, fcos
};

static X87Class x87_class(const Opcode* o) {
  UInt row = o->opcode & 7, reg = (o->modrm >> 3) & 7;
  if (o->modrm < 0xC0) return x87_memory[row][reg];
  if (row == 1 && o->modrm >= 0xE0) return x87_without_operand[o->modrm & 31];
  return x87_register[row][reg];
}

static void decode_x87(const Opcode* o, DecodedInstruction* d) {
  X87Class class = x87_class(o);
  add(d, PLUMBLINE_EVENT_width_x87, 1);
  switch (class) {
    case xAdd: case xIntAdd: add(d, PLUMBLINE_EVENT_flops_x87_add, 1); break;
    case xMul: case xIntMul: add(d, PLUMBLINE_EVENT_flops_x87_mul, 1); break;
    case xDiv: case xIntDiv: add(d, PLUMBLINE_EVENT_flops_x87_div, 1); break;
    case xCompare: case xIntCompare: add(d, PLUMBLINE_EVENT_fp_compare, 1); break;
    case xSqrt: add(d, PLUMBLINE_EVENT_flops_x87_sqrt, 1); break;
    case xConvert: add(d, PLUMBLINE_EVENT_fp_convert, 1); return;
    case xRound: add(d, PLUMBLINE_EVENT_fp_round, 1); return;
    case xMove: return;
    case xOther: break;
  }
  if (class >= xIntAdd && class <= xIntCompare) add(d, PLUMBLINE_EVENT_fp_convert, 1);
  add(d, PLUMBLINE_EVENT_fp_instructions, 1);
  add(d, PLUMBLINE_EVENT_fp_x87, 1);
}

static void decode_one_byte(const Opcode* o, DecodedInstruction* d) {
  UInt op = o->opcode;
  if (op >= 0xD8 && op <= 0xDF) decode_x87(o, d);
  count_class(o, general_of_one_byte(op, (o->modrm >> 3) & 7), d);
  // rep lods is left out: Valgrind runs it once.
  d->repeated = o->repeat && ((op >= 0xA4 && op <= 0xA7) || op == 0xAA || op == 0xAB || op == 0xAE || op == 0xAF);
}

void decode_instruction(const UChar* code, UInt length, DecodedInstruction* decoded) {
  Opcode opcode;
  VG_(memset)(decoded, 0, sizeof *decoded);
  if (!split(code, length, &opcode)) return;
  switch (opcode.map) {
    case 0: decode_one_byte(&opcode, decoded); break;
    case 1: decode_map_0f(&opcode, decoded); break;
    case 2: decode_map_0f38(&opcode, decoded); break;
    case 3: decode_map_0f3a(&opcode, code[length - 1], decoded); break;
    default: break;
  }
}
