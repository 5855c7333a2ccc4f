// SPDX-License-Identifier: GPL-2.0-or-later
#include "selfcheck.h"

#include "pub_tool_libcbase.h"

SelfCheck selfcheck;

// The floating-point part of the event table, in which opinions are formed.
enum { kFirst = PLUMBLINE_EVENT_flops_fp64_add, kLast = PLUMBLINE_EVENT_fp_approximate, kOpinions = kLast - kFirst + 1 };
typedef struct {
  UInt lanes[kOpinions];
  UInt format_changes;  // between single and double, which the IR does on the way of other work too
} Opinion;

typedef struct {
  Addr address;
  UChar code[16];
  UInt length;
  Opinion decoded, translated;
} Disagreement;

enum { kKept = 100, kSaid = 10 };
static Disagreement kept_[kKept];

#define EVENT_NAME(identifier, name, unit, description) name,
static const HChar* const name_[] = {PLUMBLINE_EMULATED_EVENTS(EVENT_NAME)};

// --------------------------------------------------------------------------------------------------------------- the opinions

typedef struct {
  IROp op;
  UShort event, lanes;
} Witness;

// clang-format off
#define E(event) PLUMBLINE_EVENT_##event
#define ARITHMETIC(op, kind)                                                                                                       \
  {Iop_##op##F64, E(flops_fp64_##kind), 1}, {Iop_##op##64F0x2, E(flops_fp64_##kind), 1}, {Iop_##op##64Fx2, E(flops_fp64_##kind), 2}, \
  {Iop_##op##64Fx4, E(flops_fp64_##kind), 4}, {Iop_##op##32F0x4, E(flops_fp32_##kind), 1},                                          \
  {Iop_##op##32Fx4, E(flops_fp32_##kind), 4}, {Iop_##op##32Fx8, E(flops_fp32_##kind), 8}
#define MIN_MAX(op)                                                                                                  \
  {Iop_##op##64F0x2, E(fp_min_max), 1}, {Iop_##op##64Fx2, E(fp_min_max), 2}, {Iop_##op##64Fx4, E(fp_min_max), 4},    \
  {Iop_##op##32F0x4, E(fp_min_max), 1}, {Iop_##op##32Fx4, E(fp_min_max), 4}, {Iop_##op##32Fx8, E(fp_min_max), 8}
#define COMPARE(op)                                                                   \
  {Iop_##op##64F0x2, E(fp_compare), 1}, {Iop_##op##64Fx2, E(fp_compare), 2},          \
  {Iop_##op##32F0x4, E(fp_compare), 1}, {Iop_##op##32Fx4, E(fp_compare), 4}
#define ESTIMATE(op) \
  {Iop_##op##32F0x4, E(fp_approximate), 1}, {Iop_##op##32Fx4, E(fp_approximate), 4}, {Iop_##op##32Fx8, E(fp_approximate), 8}
#define CONVERT(op, lanes) {Iop_##op, E(fp_convert), lanes}

static const Witness witness_[] = {
  ARITHMETIC(Add, add), ARITHMETIC(Sub, add), ARITHMETIC(Mul, mul), ARITHMETIC(Div, div), ARITHMETIC(Sqrt, sqrt),
  {Iop_MAddF64, E(flops_fp64_fma), 1}, {Iop_MSubF64, E(flops_fp64_fma), 1},
  {Iop_MAddF32, E(flops_fp32_fma), 1}, {Iop_MSubF32, E(flops_fp32_fma), 1},
  MIN_MAX(Min), MIN_MAX(Max),
  {Iop_CmpF64, E(fp_compare), 1}, {Iop_CmpF32, E(fp_compare), 1},
  COMPARE(CmpEQ), COMPARE(CmpLT), COMPARE(CmpLE), COMPARE(CmpUN),
  ESTIMATE(RecipEst), ESTIMATE(RSqrtEst),
  CONVERT(I32StoF64, 1), CONVERT(I64StoF64, 1), CONVERT(I32StoF32, 1), CONVERT(I64StoF32, 1),
  CONVERT(F64toI16S, 1), CONVERT(F64toI32S, 1), CONVERT(F64toI64S, 1), CONVERT(F32toI32S, 1), CONVERT(F32toI64S, 1),
  CONVERT(I32StoF32x4, 4), CONVERT(I32StoF32x8, 8), CONVERT(F32toI32Sx4, 4), CONVERT(F32toI32Sx8, 8),
  CONVERT(F32toF16x4, 4), CONVERT(F32toF16x8, 8), CONVERT(F16toF32x4, 4), CONVERT(F16toF32x8, 8),
  {Iop_RoundF64toInt, E(fp_round), 1}, {Iop_RoundF32toInt, E(fp_round), 1},
};
// clang-format on

static void witness(Opinion* o, IROp op) {
  if (op == Iop_F32toF64 || op == Iop_F64toF32) o->format_changes++;
  for (UInt k = 0; k < sizeof witness_ / sizeof witness_[0]; k++)
    if (witness_[k].op == op) o->lanes[witness_[k].event - kFirst] += witness_[k].lanes;
}

static void witness_expression(Opinion* o, const IRExpr* e) {
  switch (e->tag) {
    case Iex_Unop:
      witness(o, e->Iex.Unop.op);
      break;
    case Iex_Binop:
      witness(o, e->Iex.Binop.op);
      break;
    case Iex_Triop:
      witness(o, e->Iex.Triop.details->op);
      break;
    case Iex_Qop:
      witness(o, e->Iex.Qop.details->op);
      break;
    default:
      break;
  }
}

static Bool is_empty(const Opinion* o) {
  for (UInt k = 0; k < kOpinions; k++)
    if (o->lanes[k]) return False;
  return True;
}

// x87 arithmetic is double arithmetic in VEX.
static UInt as_in_ir(UInt event) {
  switch (event) {
    case PLUMBLINE_EVENT_flops_x87_add:
      return PLUMBLINE_EVENT_flops_fp64_add;
    case PLUMBLINE_EVENT_flops_x87_mul:
      return PLUMBLINE_EVENT_flops_fp64_mul;
    case PLUMBLINE_EVENT_flops_x87_div:
      return PLUMBLINE_EVENT_flops_fp64_div;
    case PLUMBLINE_EVENT_flops_x87_sqrt:
      return PLUMBLINE_EVENT_flops_fp64_sqrt;
    default:
      return event;
  }
}

static Opinion of_decoder(const DecodedInstruction* d) {
  Opinion o;
  VG_(memset)(&o, 0, sizeof o);
  for (UInt k = 0; k < d->n_amounts; k++) {
    UInt event = as_in_ir(d->amounts[k].event);
    if (event >= kFirst && event <= kLast) o.lanes[event - kFirst] += d->amounts[k].amount;
  }
  return o;
}

static Bool is_x87(const DecodedInstruction* d) {
  for (UInt k = 0; k < d->n_amounts; k++)
    if (d->amounts[k].event == PLUMBLINE_EVENT_width_x87) return True;
  return False;
}

static Opinion of_ir(const IRSB* in, Int mark, const DecodedInstruction* d) {
  Opinion o;
  VG_(memset)(&o, 0, sizeof o);
  for (Int i = mark + 1; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
    if (in->stmts[i]->tag == Ist_WrTmp) witness_expression(&o, in->stmts[i]->Ist.WrTmp.data);
  if (is_empty(&o) && !is_x87(d)) o.lanes[PLUMBLINE_EVENT_fp_convert - kFirst] = o.format_changes;
  return o;
}

// ----------------------------------------------------------------------------------------------------------------- the verdict

static void say(const Disagreement* d) {
  VG_(umsg)("self-check: instruction at 0x%lx:", d->address);
  for (UInt k = 0; k < d->length; k++) VG_(umsg)(" %02x", d->code[k]);
  for (UInt k = 0; k < kOpinions; k++)
    if (d->decoded.lanes[k] != d->translated.lanes[k])
      VG_(umsg)(", %s decoded %u, in VEX %u", name_[kFirst + k], d->decoded.lanes[k], d->translated.lanes[k]);
  VG_(umsg)("\n");
}

static void note(const IRSB* in, Int mark, const Opinion* decoded, const Opinion* translated) {
  ULong n = selfcheck.compared - selfcheck.agreed - 1;  // those before this one
  if (n >= kKept) return;
  Disagreement* d = &kept_[n];
  d->address = in->stmts[mark]->Ist.IMark.addr;
  d->length = in->stmts[mark]->Ist.IMark.len;
  VG_(memcpy)(d->code, (const void*)d->address, d->length);
  d->decoded = *decoded;
  d->translated = *translated;
  if (n < kSaid) say(d);
}

Bool selfcheck_instruction(const IRSB* in, Int mark, const DecodedInstruction* decoded) {
  Opinion ours = of_decoder(decoded), theirs = of_ir(in, mark, decoded);
  if (is_empty(&ours) && is_empty(&theirs)) return True;
  if (decoded->unlike_ir) {
    selfcheck.no_witness++;
    return True;
  }
  selfcheck.compared++;
  for (UInt k = 0; k < kOpinions; k++)
    if (ours.lanes[k] != theirs.lanes[k]) {
      note(in, mark, &ours, &theirs);
      return False;
    }
  selfcheck.agreed++;
  return True;
}

// ------------------------------------------------------------------------------------------------------------------ the report

static void print_opinion(VgFile* f, const Opinion* o) {
  Bool first = True;
  VG_(fprintf)(f, "{");
  for (UInt k = 0; k < kOpinions; k++) {
    if (o->lanes[k] == 0) continue;
    VG_(fprintf)(f, "%s\"%s\":%u", first ? "" : ",", name_[kFirst + k], o->lanes[k]);
    first = False;
  }
  VG_(fprintf)(f, "}");
}

void selfcheck_report(VgFile* f) {
  ULong disagreements = selfcheck.compared - selfcheck.agreed;
  VG_(fprintf)
  (f, ",\n\"self_check\":{\"compared\":%llu,\"agreed\":%llu,\"no_witness\":%llu,\"disagreements\":[", selfcheck.compared, selfcheck.agreed,
   selfcheck.no_witness);
  for (UInt n = 0; n < disagreements && n < kKept; n++) {
    const Disagreement* d = &kept_[n];
    VG_(fprintf)(f, "%s\n{\"address\":\"0x%lx\",\"code\":\"", n ? "," : "", d->address);
    for (UInt k = 0; k < d->length; k++) VG_(fprintf)(f, "%02x", d->code[k]);
    VG_(fprintf)(f, "\",\"decoded\":");
    print_opinion(f, &d->decoded);
    VG_(fprintf)(f, ",\"translated\":");
    print_opinion(f, &d->translated);
    VG_(fprintf)(f, "}");
  }
  VG_(fprintf)(f, "]}");
}
