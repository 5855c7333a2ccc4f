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

static void add_fp_instruction(DecodedInstruction* d, UInt width_event) {
  add(d, PLUMBLINE_EVENT_fp_instructions, 1);
  add(d, width_event, 1);
}

// ---------------------------------------------------------------------------------------------------------------- SSE, AVX

typedef enum { kNone, kAdd, kMul, kDiv, kSqrt, kCompare, kCompareScalar, kApproximate, kHorizontal } Kind;

// Arithmetic of map 0F. The mandatory prefix tells precision and width: none ps, 66 pd, F3 ss, F2 sd.
static Kind kind_of_0f(UInt opcode) {
  switch (opcode) {
    case 0x58: case 0x5C: return kAdd;
    case 0x59: return kMul;
    case 0x5E: return kDiv;
    case 0x51: return kSqrt;
    case 0x5D: case 0x5F: case 0xC2: return kCompare;
    case 0x2E: case 0x2F: return kCompareScalar;
    case 0x52: case 0x53: return kApproximate;
    case 0x7C: case 0x7D: case 0xD0: return kHorizontal;
    default: return kNone;
  }
}

static UInt event_of(Kind kind, Bool fp64) {
  switch (kind) {
    case kAdd: return fp64 ? PLUMBLINE_EVENT_flops_fp64_add : PLUMBLINE_EVENT_flops_fp32_add;
    case kMul: return fp64 ? PLUMBLINE_EVENT_flops_fp64_mul : PLUMBLINE_EVENT_flops_fp32_mul;
    case kDiv: return fp64 ? PLUMBLINE_EVENT_flops_fp64_div : PLUMBLINE_EVENT_flops_fp32_div;
    case kSqrt: return fp64 ? PLUMBLINE_EVENT_flops_fp64_sqrt : PLUMBLINE_EVENT_flops_fp32_sqrt;
    case kApproximate: return PLUMBLINE_EVENT_fp_approximate;
    default: return PLUMBLINE_EVENT_fp_compare;
  }
}

static UInt packed_width(const Opcode* o) { return o->wide ? PLUMBLINE_EVENT_fp_256 : PLUMBLINE_EVENT_fp_128; }

static void decode_0f_arithmetic(const Opcode* o, Kind kind, DecodedInstruction* d) {
  Bool scalar = o->prefix >= 2, fp64 = o->prefix & 1;
  UInt lanes = scalar ? 1 : (fp64 ? 2u : 4u) << o->wide;
  if (kind == kHorizontal) {  // 66 is the pd form, F2 the ps form; one result a lane
    if (!fp64) return;        // no such instruction
    fp64 = o->prefix == 1;
    lanes = (fp64 ? 2u : 4u) << o->wide;
    scalar = False;
    kind = kAdd;
  } else if (kind == kCompareScalar) {
    scalar = True;
    lanes = 1;
  }
  add(d, event_of(kind, fp64), lanes);
  add_fp_instruction(d, scalar ? PLUMBLINE_EVENT_fp_scalar : packed_width(o));
}

static UInt conversions_of_0f(const Opcode* o) {
  Bool scalar = o->prefix >= 2;
  switch (o->opcode) {
    case 0x5A: return scalar ? 1 : 2u << o->wide;
    case 0x5B: return o->prefix == 3 ? 0 : 4u << o->wide;
    case 0xE6: return o->prefix == 0 ? 0 : 2u << o->wide;
    case 0x2A: case 0x2C: case 0x2D: return scalar ? 1 : 2;
    default: return 0;
  }
}

static Bool is_non_temporal_store(const Opcode* o) {
  if (o->modrm >= 0xC0) return False;
  switch (o->opcode) {
    case 0x2B: return True;                       // movntps, movntpd
    case 0xE7: return o->prefix <= 1;             // movntq, movntdq
    case 0xC3: return !o->vex && o->prefix == 0;  // movnti
    default: return False;
  }
}

static void decode_map_0f(const Opcode* o, DecodedInstruction* d) {
  Kind kind = kind_of_0f(o->opcode);
  UInt conversions = conversions_of_0f(o);
  if (kind != kNone) decode_0f_arithmetic(o, kind, d);
  if (conversions) add(d, PLUMBLINE_EVENT_fp_convert, conversions);
  if (is_non_temporal_store(o)) d->non_temporal = True;
  if (o->opcode == 0xF7 && o->prefix <= 1) d->non_temporal = d->masked_move = True;  // maskmovq, maskmovdqu
  if (o->vex) return;
  if (o->opcode >= 0x80 && o->opcode <= 0x8F) add(d, PLUMBLINE_EVENT_branches, 1);
  switch (o->opcode) {
    case 0xA3: case 0xAB: case 0xB3: case 0xBB: d->no_memory = o->modrm >= 0xC0; break;  // bt, bts, btr, btc
    default: break;
  }
}

// ------------------------------------------------------------------------------------------------------------------- FMA

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
  UInt lanes = f->scalar ? 1 : (f->fp64 ? 2u : 4u) << o->wide;
  add(d, f->fp64 ? PLUMBLINE_EVENT_flops_fp64_fma : PLUMBLINE_EVENT_flops_fp32_fma, lanes);
  add_fp_instruction(d, f->scalar ? PLUMBLINE_EVENT_fp_scalar : packed_width(o));
}

static void decode_map_0f38(const Opcode* o, DecodedInstruction* d) {
  UInt high = o->opcode >> 4;
  if (!o->vex || o->prefix != 1) return;
  if (high >= 9 && high <= 0xB && (o->opcode & 15) >= 6) decode_fma(o, d);
  if (o->opcode >= 0x90 && o->opcode <= 0x93) d->gather = True;
  if (o->opcode == 0x13) add(d, PLUMBLINE_EVENT_fp_convert, 4u << o->wide);  // vcvtph2ps
}

// The dot products multiply every lane and sum within each 128 bits, whatever their masks select.
static void decode_map_0f3a(const Opcode* o, DecodedInstruction* d) {
  if (o->prefix != 1) return;
  switch (o->opcode) {
    case 0x08: add(d, PLUMBLINE_EVENT_fp_convert, 4u << o->wide); break;               // roundps
    case 0x09: add(d, PLUMBLINE_EVENT_fp_convert, 2u << o->wide); break;               // roundpd
    case 0x0A: case 0x0B: add(d, PLUMBLINE_EVENT_fp_convert, 1); break;                // roundss, roundsd
    case 0x1D: if (o->vex) add(d, PLUMBLINE_EVENT_fp_convert, 4u << o->wide); break;   // vcvtps2ph
    case 0x40:                                                                         // dpps
      add(d, PLUMBLINE_EVENT_flops_fp32_mul, 4u << o->wide);
      add(d, PLUMBLINE_EVENT_flops_fp32_add, 3u << o->wide);
      add_fp_instruction(d, packed_width(o));
      break;
    case 0x41:  // dppd
      add(d, PLUMBLINE_EVENT_flops_fp64_mul, 2);
      add(d, PLUMBLINE_EVENT_flops_fp64_add, 1);
      add_fp_instruction(d, PLUMBLINE_EVENT_fp_128);
      break;
    default: break;
  }
}

// ------------------------------------------------------------------------------------------------------------------- x87

typedef enum { xNone, xAdd, xMul, xDiv, xSqrt, xCompare, xOther } X87Kind;

static X87Kind x87_kind(UInt opcode, UInt modrm) {
  static const X87Kind by_reg[8] = {xAdd, xMul, xCompare, xCompare, xAdd, xAdd, xDiv, xDiv};
  UInt reg = (modrm >> 3) & 7;
  Bool in_register = modrm >= 0xC0;
  switch (opcode) {
    case 0xD8: case 0xDC: return by_reg[reg];
    case 0xDE: return by_reg[reg];  // reg 3 in registers is fcompp, a comparison too
    case 0xDA: return in_register ? (modrm == 0xE9 ? xCompare : xNone) : by_reg[reg];  // fucompp; fcmov computes nothing
    case 0xDB: case 0xDF: return in_register && (reg == 5 || reg == 6) ? xCompare : xNone;
    case 0xDD: return in_register && (reg == 4 || reg == 5) ? xCompare : xNone;
    case 0xD9:
      if (modrm == 0xFA) return xSqrt;
      if (modrm == 0xE4) return xCompare;  // ftst
      if ((modrm >= 0xF0 && modrm <= 0xF5) || modrm == 0xF8 || modrm == 0xF9 || modrm == 0xFB || modrm >= 0xFD) return xOther;
      return xNone;
    default: return xNone;
  }
}

static void decode_x87(const Opcode* o, DecodedInstruction* d) {
  static const UInt event[] = {[xAdd] = PLUMBLINE_EVENT_flops_x87_add,   [xMul] = PLUMBLINE_EVENT_flops_x87_mul,
                               [xDiv] = PLUMBLINE_EVENT_flops_x87_div,   [xSqrt] = PLUMBLINE_EVENT_flops_x87_sqrt,
                               [xCompare] = PLUMBLINE_EVENT_fp_compare};
  X87Kind kind = x87_kind(o->opcode, o->modrm);
  Bool integer_operand = o->modrm < 0xC0 && (o->opcode == 0xDA || o->opcode == 0xDE);
  if (kind == xNone) return;
  if (kind != xOther) add(d, event[kind], 1);  // transcendental and remainder instructions have no operation count of their own
  if (integer_operand) add(d, PLUMBLINE_EVENT_fp_convert, 1);
  add_fp_instruction(d, PLUMBLINE_EVENT_fp_x87);
}

static void decode_one_byte(const Opcode* o, DecodedInstruction* d) {
  UInt op = o->opcode, reg = (o->modrm >> 3) & 7;
  if (op >= 0xD8 && op <= 0xDF) decode_x87(o, d);
  if (o->repeat && ((op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF))) d->repeated = True;
  if ((op >= 0x70 && op <= 0x7F) || (op >= 0xE0 && op <= 0xE3) || (op >= 0xE8 && op <= 0xEB) || op == 0xC2 || op == 0xC3 ||
      (op == 0xFF && reg >= 2 && reg <= 5))
    add(d, PLUMBLINE_EVENT_branches, 1);
}

void decode_instruction(const UChar* code, UInt length, DecodedInstruction* decoded) {
  Opcode opcode;
  VG_(memset)(decoded, 0, sizeof *decoded);
  if (!split(code, length, &opcode)) return;
  switch (opcode.map) {
    case 0: decode_one_byte(&opcode, decoded); break;
    case 1: decode_map_0f(&opcode, decoded); break;
    case 2: decode_map_0f38(&opcode, decoded); break;
    case 3: decode_map_0f3a(&opcode, decoded); break;
    default: break;
  }
}
