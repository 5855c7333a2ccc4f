// SPDX-License-Identifier: GPL-2.0-or-later
#include "forward.h"

// A 16-byte piece of the guest state known to be zero but for its low bytes. low is NULL while they are zero too.
typedef struct {
  Int offset;
  IRExpr* low;
  IRType type;
} Known;

enum { kMaxKnown = 32 };
static Known known_[kMaxKnown];
static UInt n_known_;

void forward_forget_all(void) { n_known_ = 0; }

static void forget(Int offset, Int size) {
  for (UInt i = 0; i < n_known_;) {
    if (known_[i].offset < offset + size && offset < known_[i].offset + 16)
      known_[i] = known_[--n_known_];
    else
      i++;
  }
}

static Known* find(Int offset) {
  for (UInt i = 0; i < n_known_; i++)
    if (known_[i].offset == offset) return &known_[i];
  return NULL;
}

static Bool is_zero_vector(const IRExpr* e) {
  return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_V128 && e->Iex.Const.con->Ico.V128 == 0;
}

static void learn_put(IRSB* out, Int offset, IRExpr* data) {
  IRType type = typeOfIRExpr(out->tyenv, data);
  Known* k;
  if (is_zero_vector(data)) {
    forget(offset, 16);
    if (n_known_ < kMaxKnown) known_[n_known_++] = (Known){offset, NULL, Ity_INVALID};
    return;
  }
  k = find(offset);
  Bool narrow = type == Ity_I64 || type == Ity_F64 || type == Ity_I32 || type == Ity_F32;
  if (k != NULL && narrow && (k->low == NULL || sizeofIRType(type) >= sizeofIRType(k->type))) {
    k->low = data;
    k->type = type;
    return;
  }
  forget(offset, sizeofIRType(type));
}

static IRExpr* assign(IRSB* out, IRType type, IRExpr* e) {
  IRTemp t = newIRTemp(out->tyenv, type);
  addStmtToIRSB(out, IRStmt_WrTmp(t, e));
  return IRExpr_RdTmp(t);
}

static IRExpr* widened(IRSB* out, const Known* k) {
  IRExpr* low = k->low;
  if (k->type == Ity_F64) low = assign(out, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, low));
  if (k->type == Ity_F32) low = assign(out, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, low));
  return IRExpr_Unop(sizeofIRType(k->type) == 8 ? Iop_64UtoV128 : Iop_32UtoV128, low);
}

IRStmt* forward_statement(IRSB* out, IRStmt* st) {
  switch (st->tag) {
    case Ist_Put:
      learn_put(out, st->Ist.Put.offset, st->Ist.Put.data);
      break;
    case Ist_PutI:
      n_known_ = 0;
      break;
    case Ist_Dirty:
      if (st->Ist.Dirty.details->nFxState > 0) n_known_ = 0;
      break;
    case Ist_WrTmp: {
      const IRExpr* data = st->Ist.WrTmp.data;
      if (data->tag != Iex_Get || data->Iex.Get.ty != Ity_V128) break;
      const Known* k = find(data->Iex.Get.offset);
      if (k != NULL && k->low != NULL) return IRStmt_WrTmp(st->Ist.WrTmp.tmp, widened(out, k));
      break;
    }
    default:
      break;
  }
  return st;
}
