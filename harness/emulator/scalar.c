// SPDX-License-Identifier: GPL-2.0-or-later
#include "scalar.h"

#include "pub_tool_guest.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

// A lane is 16 bytes of a vector register, with what is known of them. Its upper half gets a new version whenever it is written.
typedef struct {
  IRExpr* low;  // its low half or quarter, of this type; NULL if not known
  IRType type;
  Bool upper_is_zero;  // all but `low`
  UInt version;
} Lane;

// The source of the upper half of a vector.
typedef enum { kUnknown, kZero, kOfLane } Upper;

// A temporary and what is known of it: of a vector its low half as F64 and its upper half; of an I64 the same bits as F64.
typedef struct {
  IRExpr* low;
  Upper upper;
  Int lane;  // with kOfLane: that lane's upper half, as of that version
  UInt version;
  Bool computed;  // not just read from the lane
} Temporary;

enum { kLanes = 32 };
static Lane lane_[kLanes];
static Temporary* temporary_;
static UInt capacity_, n_temporaries_;

static Int offset_of(Int lane) { return (Int)offsetof(VexGuestAMD64State, guest_YMM0) + 16 * lane; }

// The lane that holds a byte of the guest state, or -1.
static Int lane_at(Int offset) {
  Int lane = (offset - (Int)offsetof(VexGuestAMD64State, guest_YMM0)) / 16;
  return offset >= (Int)offsetof(VexGuestAMD64State, guest_YMM0) && lane < kLanes ? lane : -1;
}

static void forget_lane(Lane* l) {
  l->low = NULL;
  l->upper_is_zero = False;
  l->version++;
}

void scalar_forget_registers(void) {
  for (Int k = 0; k < kLanes; k++) forget_lane(&lane_[k]);
}

void scalar_begin_block(const IRSB* in) {
  n_temporaries_ = (UInt)in->tyenv->types_used;
  if (n_temporaries_ > capacity_) {
    capacity_ = 2 * n_temporaries_;
    if (temporary_ != NULL) VG_(free)(temporary_);
    temporary_ = VG_(malloc)("plumbline.scalar", capacity_ * sizeof temporary_[0]);
  }
  VG_(memset)(temporary_, 0, n_temporaries_ * sizeof temporary_[0]);
  scalar_forget_registers();
}

static Temporary* temporary_of(const IRExpr* e) {
  return e->tag == Iex_RdTmp && e->Iex.RdTmp.tmp < n_temporaries_ ? &temporary_[e->Iex.RdTmp.tmp] : NULL;
}

static IRExpr* assign(IRSB* out, IRType type, IRExpr* e) {
  IRTemp t = newIRTemp(out->tyenv, type);
  addStmtToIRSB(out, IRStmt_WrTmp(t, e));
  return IRExpr_RdTmp(t);
}

static void put(IRSB* out, Int offset, IRExpr* data) { addStmtToIRSB(out, IRStmt_Put(offset, data)); }
static IRExpr* zero(void) { return IRExpr_Const(IRConst_U64(0)); }

static Bool is_zero(const IRExpr* e) { return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64 && e->Iex.Const.con->Ico.U64 == 0; }

// ------------------------------------------------------------------------------------------------------------ writing a register

static void put_vector(IRSB* out, Int lane, IRExpr* data) {
  Lane* l = &lane_[lane];
  const Temporary* t = temporary_of(data);
  Int offset = offset_of(lane);
  if (data->tag == Iex_Const && data->Iex.Const.con->Ico.V128 == 0) {
    if (lane % 2 == 0) {  // in halves: the lower one is mostly written again at once
      put(out, offset, zero());
      put(out, offset + 8, zero());
    } else {  // the upper part of a YMM register
      put(out, offset, data);
    }
    *l = (Lane){zero(), Ity_I64, True, l->version + 1};
    return;
  }
  if (t == NULL || t->low == NULL || t->upper == kUnknown) {
    put(out, offset, data);
    forget_lane(l);
    return;
  }
  Bool keeps_upper = t->upper == kOfLane && t->lane == lane && t->version == l->version;
  const Lane* source = t->upper == kOfLane ? &lane_[t->lane] : NULL;
  Bool upper_is_there = source == NULL || t->version == source->version;
  if (!keeps_upper && (!upper_is_there || (source != NULL && !t->computed && source->low == NULL))) {  // or a copy of a vector
    put(out, offset, data);
    forget_lane(l);
    l->low = t->low;
    l->type = Ity_F64;
    return;
  }
  put(out, offset, t->low);
  if (!keeps_upper) {
    put(out, offset + 8, t->upper == kZero ? zero() : assign(out, Ity_I64, IRExpr_Get(offset_of(t->lane) + 8, Ity_I64)));
    l->version++;
    l->upper_is_zero = t->upper == kZero || source->upper_is_zero;
  }
  l->low = t->low;
  l->type = Ity_F64;
}

static Bool is_half(IRType type) { return type == Ity_I64 || type == Ity_F64; }
static Bool is_quarter(IRType type) { return type == Ity_I32 || type == Ity_F32; }

static void put_narrow(IRSB* out, Int lane, IRExpr* data, IRType type) {
  Lane* l = &lane_[lane];
  const Temporary* t = temporary_of(data);
  if (type == Ity_I64 && t != NULL && t->low != NULL) {
    data = t->low;
    type = Ity_F64;
  }
  put(out, offset_of(lane), data);
  Bool covers_what_was_there = is_half(type) || (l->low != NULL && (is_zero(l->low) || is_quarter(l->type)));
  l->upper_is_zero = l->upper_is_zero && covers_what_was_there;
  l->low = data;
  l->type = type;
}

static void add_put(IRSB* out, IRStmt* st) {
  Int offset = st->Ist.Put.offset, lane = lane_at(offset);
  IRExpr* data = st->Ist.Put.data;
  IRType type = typeOfIRExpr(out->tyenv, data);
  Int bytes = sizeofIRType(type);
  if (lane >= 0 && offset == offset_of(lane) && type == Ity_V128) {
    put_vector(out, lane, data);
    return;
  }
  if (lane >= 0 && offset == offset_of(lane) && (is_half(type) || is_quarter(type))) {
    put_narrow(out, lane, data, type);
    return;
  }
  for (Int at = offset; at < offset + bytes; at++)
    if (lane_at(at) >= 0) forget_lane(&lane_[lane_at(at)]);
  addStmtToIRSB(out, st);
}

// ------------------------------------------------------------------------------------------------------------ reading a register

static IRExpr* widened(IRSB* out, const Lane* l) {
  IRExpr* low = l->low;
  if (is_zero(low)) return IRExpr_Const(IRConst_V128(0));
  if (l->type == Ity_F64) low = assign(out, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, low));
  if (l->type == Ity_F32) low = assign(out, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, low));
  return IRExpr_Unop(sizeofIRType(l->type) == 8 ? Iop_64UtoV128 : Iop_32UtoV128, low);
}

static void get_vector(IRSB* out, IRStmt* st, Int lane) {
  const Lane* l = &lane_[lane];
  Temporary* t = &temporary_[st->Ist.WrTmp.tmp];
  Bool low_known = l->low != NULL && l->type == Ity_F64;
  if (l->low != NULL && l->upper_is_zero)
    addStmtToIRSB(out, IRStmt_WrTmp(st->Ist.WrTmp.tmp, widened(out, l)));
  else
    addStmtToIRSB(out, st);
  *t = (Temporary){low_known ? l->low : assign(out, Ity_F64, IRExpr_Get(offset_of(lane), Ity_F64)), kOfLane, lane, l->version, False};
}

static void add_get(IRSB* out, IRStmt* st) {
  const IRExpr* e = st->Ist.WrTmp.data;
  Int lane = lane_at(e->Iex.Get.offset);
  if (lane < 0 || e->Iex.Get.offset != offset_of(lane)) {
    addStmtToIRSB(out, st);
    return;
  }
  const Lane* l = &lane_[lane];
  Bool low_known = l->low != NULL && l->type == Ity_F64;
  if (e->Iex.Get.ty == Ity_V128) {
    get_vector(out, st, lane);
  } else if (e->Iex.Get.ty == Ity_F64 && low_known) {
    addStmtToIRSB(out, IRStmt_WrTmp(st->Ist.WrTmp.tmp, l->low));
  } else {
    if (e->Iex.Get.ty == Ity_I64 && low_known) temporary_[st->Ist.WrTmp.tmp].low = l->low;
    addStmtToIRSB(out, st);
  }
}

// -------------------------------------------------------------------------------------------------------------------- arithmetic

// Whether the value loaded here goes straight into a vector register.
static Bool becomes_scalar(IRTemp loaded, const IRStmt* next) {
  if (next == NULL) return False;
  const IRExpr* user = next->tag == Ist_Put && lane_at(next->Ist.Put.offset) >= 0 ? next->Ist.Put.data : NULL;
  if (next->tag == Ist_WrTmp && next->Ist.WrTmp.data->tag == Iex_Unop && next->Ist.WrTmp.data->Iex.Unop.op == Iop_64UtoV128)
    user = next->Ist.WrTmp.data->Iex.Unop.arg;
  return user != NULL && user->tag == Iex_RdTmp && user->Iex.RdTmp.tmp == loaded;
}

static IROp scalar_operation(IROp on_vectors) {
  switch (on_vectors) {
    case Iop_Add64F0x2: return Iop_AddF64;
    case Iop_Sub64F0x2: return Iop_SubF64;
    case Iop_Mul64F0x2: return Iop_MulF64;
    case Iop_Div64F0x2: return Iop_DivF64;
    default: return Iop_INVALID;
  }
}

static void note_operation(IRSB* out, Temporary* t, const IRExpr* e) {
  IROp op = scalar_operation(e->Iex.Binop.op);
  const Temporary *a = temporary_of(e->Iex.Binop.arg1), *b = temporary_of(e->Iex.Binop.arg2);
  if (op == Iop_INVALID || a == NULL || b == NULL || a->low == NULL || b->low == NULL) return;
  IRExpr* rounding = IRExpr_Const(IRConst_U32(Irrm_NEAREST));  // as for the vector: the host's, which Valgrind keeps so
  *t = *a;
  t->computed = True;
  t->low = assign(out, Ity_F64, IRExpr_Triop(op, rounding, a->low, b->low));
}

// The original statement stays beside what is noted here; where nobody needs it, Valgrind removes it.
static void add_assignment(IRSB* out, IRStmt* st, const IRStmt* next) {
  const IRExpr* e = st->Ist.WrTmp.data;
  Temporary* t = &temporary_[st->Ist.WrTmp.tmp];
  if (e->tag == Iex_Get) {
    add_get(out, st);
    return;
  }
  if (e->tag == Iex_Load && e->Iex.Load.ty == Ity_I64 && becomes_scalar(st->Ist.WrTmp.tmp, next)) {
    t->low = assign(out, Ity_F64, IRExpr_Load(Iend_LE, Ity_F64, e->Iex.Load.addr));
    addStmtToIRSB(out, IRStmt_WrTmp(st->Ist.WrTmp.tmp, IRExpr_Unop(Iop_ReinterpF64asI64, t->low)));
    return;
  }
  addStmtToIRSB(out, st);
  if (e->tag == Iex_RdTmp && temporary_of(e) != NULL) *t = *temporary_of(e);
  if (e->tag == Iex_Unop && e->Iex.Unop.op == Iop_64UtoV128 && temporary_of(e->Iex.Unop.arg) != NULL)
    *t = (Temporary){temporary_of(e->Iex.Unop.arg)->low, kZero, 0, 0, False};
  if (e->tag == Iex_Binop) note_operation(out, t, e);
}

static void add_store(IRSB* out, IRStmt* st) {
  const Temporary* t = temporary_of(st->Ist.Store.data);
  if (t != NULL && t->low != NULL && typeOfIRExpr(out->tyenv, st->Ist.Store.data) == Ity_I64)
    st = IRStmt_Store(Iend_LE, st->Ist.Store.addr, t->low);
  addStmtToIRSB(out, st);
}

void scalar_add_statement(IRSB* out, IRStmt* st, const IRStmt* next) {
  switch (st->tag) {
    case Ist_Put: add_put(out, st); break;
    case Ist_WrTmp: add_assignment(out, st, next); break;
    case Ist_Store: add_store(out, st); break;
    case Ist_PutI: scalar_forget_registers(); addStmtToIRSB(out, st); break;
    case Ist_Dirty:
      if (st->Ist.Dirty.details->nFxState > 0) scalar_forget_registers();
      addStmtToIRSB(out, st);
      break;
    default: addStmtToIRSB(out, st); break;
  }
}
