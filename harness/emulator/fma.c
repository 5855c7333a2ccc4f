// SPDX-License-Identifier: GPL-2.0-or-later
#include "fma.h"

#include "fma_host.h"
#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"

static Bool host_has_fma_;

void fma_detect_host(Bool allowed) {
  if (!allowed || !fma_host_exists()) return;
  host_has_fma_ = fma_host_is_right(fma_host_helper);
  if (!host_has_fma_)
    VG_(umsg)("fused multiply-adds: the processor's results are not the known ones; Valgrind's software computes them, slowly\n");
}

// ------------------------------------------------------------------------------------------------------------- IR rewriting

Int fma_register_offset(UInt number) {
  return (Int)(offsetof(VexGuestAMD64State, guest_YMM0) +
               number * (offsetof(VexGuestAMD64State, guest_YMM1) - offsetof(VexGuestAMD64State, guest_YMM0)));
}

Bool fma_is_fused(const IRExpr* e) {
  if (e->tag != Iex_Qop) return False;
  switch (e->Iex.Qop.details->op) {
    case Iop_MAddF64:
    case Iop_MSubF64:
    case Iop_MAddF32:
    case Iop_MSubF32:
      return True;
    default:
      return False;
  }
}

static UInt lane_bytes(const FmaInstruction* f) { return f->fp64 ? 8 : 4; }
static UInt lanes_of(const FmaInstruction* f) { return f->scalar ? 1 : (f->wide ? 32u : 16u) / lane_bytes(f); }

static Int lane_of(const FmaRewrite* r, IRTemp t) {
  for (UInt k = 0; k < r->n_temps; k++)
    if (r->temp[k] == t) return (Int)r->lane[k];
  return -1;
}

static Bool add_temp(FmaRewrite* r, IRTemp t, UInt lane) {
  if (r->n_temps == kMaxFmaTemps) return False;
  r->temp[r->n_temps] = t;
  r->lane[r->n_temps++] = lane;
  return True;
}

// The lane an expression hands on unchanged or negated (vfnmadd is a negated difference in VEX), else -1.
static Int lane_handed_on(const FmaRewrite* r, const IRExpr* e) {
  if (e->tag == Iex_RdTmp) return lane_of(r, e->Iex.RdTmp.tmp);
  if (e->tag != Iex_Unop || e->Iex.Unop.arg->tag != Iex_RdTmp) return -1;
  if (e->Iex.Unop.op != Iop_NegF64 && e->Iex.Unop.op != Iop_NegF32) return -1;
  return lane_of(r, e->Iex.Unop.arg->Iex.RdTmp.tmp);
}

// Notes what an assignment says about the lanes; False when the instruction's shape is unknown.
static Bool plan_assignment(FmaRewrite* r, IRTemp t, const IRExpr* e) {
  if (fma_is_fused(e)) {
    if (r->n_lanes == lanes_of(r->instruction) || (r->instruction->memory && r->memory == NULL)) return False;
    return add_temp(r, t, r->n_lanes++);
  }
  if (e->tag == Iex_Load && r->memory == NULL) r->memory = e->Iex.Load.addr;  // lanes are loaded upwards
  Int lane = lane_handed_on(r, e);
  return lane < 0 || add_temp(r, t, (UInt)lane);
}

void fma_plan(const IRSB* in, Int begin, Int end, const FmaInstruction* instruction, FmaRewrite* r) {
  UInt placed = 0;
  VG_(memset)(r, 0, sizeof *r);
  r->instruction = instruction;
  if (!host_has_fma_ || fma_host_helper(instruction) == NULL) return;
  for (Int i = begin; i < end; i++) {
    const IRStmt* s = in->stmts[i];
    if (s->tag == Ist_WrTmp && !plan_assignment(r, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data)) return;
    if (s->tag != Ist_Put || s->Ist.Put.data->tag != Iex_RdTmp) continue;
    Int lane = lane_of(r, s->Ist.Put.data->Iex.RdTmp.tmp);
    if (lane < 0) continue;
    r->offset[lane] = s->Ist.Put.offset;
    placed++;
  }
  if (r->n_lanes != lanes_of(instruction) || placed != r->n_lanes) return;
  Int destination = fma_register_offset(instruction->destination);
  for (UInt k = 0; k < r->n_lanes; k++)
    if (r->offset[k] != destination + (Int)(k * lane_bytes(instruction))) return;
  r->usable = True;
}

static void touches(IRDirty* d, IREffect effect, Int offset, UInt size) {
  d->fxState[d->nFxState].fx = effect;
  d->fxState[d->nFxState].offset = (UShort)offset;
  d->fxState[d->nFxState].size = (UShort)size;
  d->fxState[d->nFxState].nRepeats = 0;
  d->fxState[d->nFxState].repeatLen = 0;
  d->nFxState++;
}

void fma_emit(IRSB* out, FmaRewrite* r) {
  const FmaInstruction* f = r->instruction;
  UInt bytes = lanes_of(f) * lane_bytes(f);
  Int destination = fma_register_offset(f->destination), second = fma_register_offset(f->second), third = fma_register_offset(f->third);
  ULong offsets = (ULong)destination | (ULong)second << 16 | (f->memory ? 0 : (ULong)third << 32);
  IRDirty* d = unsafeIRDirty_0_N(
      0, "plumbline_fma", VG_(fnptr_to_fnentry)((void*)(Addr)fma_host_helper(f)),
      mkIRExprVec_3(IRExpr_GSPTR(), IRExpr_Const(IRConst_U64(offsets)), f->memory ? r->memory : IRExpr_Const(IRConst_U64(0))));
  touches(d, Ifx_Modify, destination, bytes);
  if (second != destination) touches(d, Ifx_Read, second, bytes);
  if (!f->memory && third != destination && third != second) touches(d, Ifx_Read, third, bytes);
  if (f->memory) {
    d->mFx = Ifx_Read;
    d->mAddr = r->memory;
    d->mSize = (Int)bytes;
  }
  addStmtToIRSB(out, IRStmt_Dirty(d));
  r->emitted = True;
}

Int fma_result_offset(const FmaRewrite* r, IRTemp t) {
  Int lane = r->usable ? lane_of(r, t) : -1;
  return lane < 0 ? -1 : r->offset[lane];
}

Bool fma_is_redundant_put(const FmaRewrite* r, const IRStmt* put) {
  if (!r->emitted || put->Ist.Put.data->tag != Iex_RdTmp) return False;
  return fma_result_offset(r, put->Ist.Put.data->Iex.RdTmp.tmp) == put->Ist.Put.offset;
}
