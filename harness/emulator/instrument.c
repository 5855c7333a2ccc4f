// SPDX-License-Identifier: GPL-2.0-or-later
//
// Adds the recording of segments (segments.h) to a translated block: arithmetic from the machine code at each instruction mark,
// memory accesses from the IR, put back together into what the instruction issues.
#include "instrument.h"

#include "core.h"
#include "dead_puts.h"
#include "decode.h"
#include "fma.h"
#include "libvex_guest_amd64.h"
#include "options.h"
#include "pieces.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "scalar.h"
#include "segments.h"
#include "selfcheck.h"
#include "vex_repairs.h"

// An access of the current instruction, kept to merge its continuation: VEX splits `vfmadd231pd ymm, ymm, m256` or
// `cvtps2pd xmm, m64` into loads of single lanes.
typedef struct {
  Bool write;
  IRTemp base;
  Long offset;
  UInt bytes;
  Int site;  // -1: not recorded
} RecentAccess;

// The origin of a temporary that may be an address, as far as it is known.
typedef struct {
  IRTemp base;  // its value is base + offset
  Long offset;
  IRExpr* guard;  // and, if not NULL, it is an address chosen by a guard: if_true is the one meant
  IRExpr* if_true;
} Origin;

enum { kMaxRecent = 8, kMaxSites = kLargestBlockWords - 1 };

typedef struct {
  const IRSB* in;
  IRSB* out;
  IRTemp pointer;                       // its value on entry to the block
  UInt words;                           // already spoken for, behind pointer
  Int first_statement, end_of_opening;  // in out: what is needed only where anything is recorded

  Segment* chain;
  Piece* piece;    // of the segment before in this block
  Addr beginning;  // of the segment; 0: amid an instruction
  Bool any;
  Int amounts[PLUMBLINE_EVENT_COUNT];

  DecodedInstruction instruction;
  Addr instruction_address, next_instruction;  // of the current one, and behind it
  Bool counted_masked[2];
  UInt n_recent;
  RecentAccess recent[kMaxRecent];
  FmaRewrite fma;

  Bool last_was_load;  // the segment's last site, of an access at:
  IRTemp last_base;
  Long last_offset;

  UInt n_sites;
  Site sites[kMaxSites];  // last, and alone not cleared for each block
} Block;

static Bool simulate_caches_;
static Block block_;  // translation is serialized, and this is too large for Valgrind's stack
static Origin* origins_;
static UInt origins_capacity_;

void instrument_start(Bool simulate_caches) { simulate_caches_ = simulate_caches; }

// ---------------------------------------------------------------------------------------------------------------- IR pieces

static IRExpr* constant(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static IRExpr* assign(IRSB* out, IRType type, IRExpr* e) {
  IRTemp t = newIRTemp(out->tyenv, type);
  addStmtToIRSB(out, IRStmt_WrTmp(t, e));
  return IRExpr_RdTmp(t);
}

static IRExpr* word_address(Block* b, UInt word) {
  if (word == 0) return IRExpr_RdTmp(b->pointer);
  return assign(b->out, Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(b->pointer), constant(8ULL * word)));
}

// The tool's own accesses are told from the program's.
static IRExpr* own_load(Block* b, IRExpr* address) {
  dead_puts_ignore_next_of(b->out);
  return assign(b->out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address));
}

static void own_store(Block* b, IRExpr* address, IRExpr* value) {
  dead_puts_ignore_next_of(b->out);
  addStmtToIRSB(b->out, IRStmt_Store(Iend_LE, address, value));
}

static void store_word(Block* b, UInt word, IRExpr* value) { own_store(b, word_address(b, word), value); }

// ----------------------------------------------------------------------------------------------------------------- segments

static Int pointer_offset_;  // of the buffer pointer in the guest state

static VG_REGPARM(1) void replay_full_buffer(UChar* guest_state) {
  ULong* pointer = (ULong*)(guest_state + pointer_offset_);
  segments_replay((const ULong*)(Addr)*pointer);
  *pointer = (ULong)(Addr)segments_buffer;
}

static void open_block(Block* b) {
  IRSB* out = b->out;
  b->first_statement = out->stmts_used;
  ULong limit = (ULong)(Addr)(segments_buffer + kBufferWords);
  IRExpr* now = assign(out, Ity_I64, IRExpr_Get(pointer_offset_, Ity_I64));
  IRDirty* d = unsafeIRDirty_0_N(1, "replay_full_buffer", VG_(fnptr_to_fnentry)(replay_full_buffer), mkIRExprVec_1(IRExpr_GSPTR()));
  d->guard = assign(out, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, constant(limit), now));
  d->nFxState = 1;
  VG_(memset)(&d->fxState[0], 0, sizeof d->fxState[0]);
  d->fxState[0].fx = Ifx_Modify;
  d->fxState[0].offset = (UShort)pointer_offset_;
  d->fxState[0].size = 8;
  addStmtToIRSB(out, IRStmt_Dirty(d));
  b->pointer = newIRTemp(out->tyenv, Ity_I64);
  addStmtToIRSB(out, IRStmt_WrTmp(b->pointer, IRExpr_Get(pointer_offset_, Ity_I64)));
  b->end_of_opening = out->stmts_used;
}

static void take_opening_out(Block* b) {
  for (Int i = b->first_statement; i < b->end_of_opening; i++) b->out->stmts[i] = IRStmt_NoOp();
}

static void forget_accesses(Block* b) {
  b->n_recent = 0;
  b->counted_masked[0] = b->counted_masked[1] = False;
}

static void count_execution(Block* b, const Segment* s) {
  IRExpr* cell = constant((ULong)(Addr)s->executions);
  IRExpr* before = own_load(b, cell);
  own_store(b, cell, assign(b->out, Ity_I64, IRExpr_Binop(Iop_Add64, before, constant(1))));
}

static void record_execution(Block* b, const Segment* s) {
  store_word(b, b->words, constant((ULong)(Addr)s));
  b->words += 1 + b->n_sites;
  tl_assert(b->words <= kLargestBlockWords);
  addStmtToIRSB(b->out, IRStmt_Put(pointer_offset_, word_address(b, b->words)));
}

static void close_segment(Block* b) {
  if (!b->any) return;
  Addr begin = b->beginning != 0 ? b->beginning : b->instruction_address;
  Piece* piece = pieces_of(begin, b->instruction_address, b->next_instruction);
  if (b->piece != NULL) pieces_lead_to(b->piece, begin);
  b->piece = piece;
  Flow* flow = options.simulate_core ? core_close_segment(b->amounts) : NULL;
  b->chain = segment_new(b->sites, b->n_sites, b->amounts, piece == NULL ? NULL : piece->counts, flow, b->chain);
  if (b->n_sites == 0 && flow == NULL)
    count_execution(b, b->chain);
  else
    record_execution(b, b->chain);
  b->any = False;
  b->beginning = 0;
  b->last_was_load = False;
  b->n_sites = 0;
  VG_(memset)(b->amounts, 0, sizeof b->amounts);
  forget_accesses(b);
}

// Appends a word to the running segment's record; answers its site.
static Int add_site(Block* b, IRExpr* value, UInt bytes, UChar flags) {
  tl_assert(b->n_sites < kMaxSites && bytes <= 0xFFFF);
  b->last_was_load = False;
  b->sites[b->n_sites] = (Site){(UShort)bytes, flags};
  store_word(b, b->words + 1 + b->n_sites, value);
  return (Int)b->n_sites++;
}

// ----------------------------------------------------------------------------------------------------------------- accesses

static UInt bytes_event(const Block* b, Bool write) {
  if (!write) return PLUMBLINE_EVENT_reg_l1_load;
  return b->instruction.non_temporal ? PLUMBLINE_EVENT_reg_l1_nt_store : PLUMBLINE_EVENT_reg_l1_store;
}

static UInt number_event(Bool write) { return write ? PLUMBLINE_EVENT_stores : PLUMBLINE_EVENT_loads; }

static UChar site_flags(const Block* b, Bool write) {
  return (UChar)((write ? kSiteWrite : 0) | (write && b->instruction.non_temporal ? kSiteNonTemporal : 0));
}

static Origin origin_of(const IRExpr* address) {
  if (address->tag == Iex_RdTmp) return origins_[address->Iex.RdTmp.tmp];
  return (Origin){IRTemp_INVALID, (Long)address->Iex.Const.con->Ico.U64, NULL, NULL};
}

static Bool merge_with_recent(Block* b, IRExpr* address, const Origin* where, UInt bytes, Bool write) {
  for (UInt k = 0; k < b->n_recent; k++) {
    RecentAccess* r = &b->recent[k];
    if (r->write != write || r->base != where->base || r->offset + (Long)r->bytes != where->offset) continue;
    r->bytes += bytes;
    if (r->site >= 0)
      b->sites[r->site].bytes = (UShort)r->bytes;
    else if (simulate_caches_)
      add_site(b, address, bytes, site_flags(b, write));  // its beginning has joined a load
    b->amounts[bytes_event(b, write)] += (Int)bytes;
    return True;
  }
  return False;
}

// A store to the bytes that the last access loaded (a[i] += x) needs no word of its own.
static Bool joins_last_load(Block* b, const Origin* where, UInt bytes) {
  if (!b->last_was_load || b->instruction.non_temporal || where->base != b->last_base || where->offset != b->last_offset) return False;
  Site* last = &b->sites[b->n_sites - 1];
  if (last->bytes != bytes) return False;
  last->flags |= kSiteWrite | kSiteReadFirst;
  b->last_was_load = False;
  return True;
}

static Int add_access_site(Block* b, IRExpr* address, const Origin* where, UInt bytes, Bool write) {
  if (!simulate_caches_ || (write && joins_last_load(b, where, bytes))) return -1;
  Int site = add_site(b, address, bytes, site_flags(b, write));
  b->last_was_load = !write;
  b->last_base = where->base;
  b->last_offset = where->offset;
  return site;
}

static void add_access(Block* b, IRExpr* address, UInt bytes, Bool write) {
  Origin where = origin_of(address);
  if (b->instruction.operand_bytes) {
    if (b->n_recent > 0) return;
    bytes = b->instruction.operand_bytes;
    if (b->instruction.operand_offset)
      address = assign(b->out, Ity_I64, IRExpr_Binop(Iop_Sub64, address, constant(b->instruction.operand_offset)));
  }
  if (merge_with_recent(b, address, &where, bytes, write)) return;
  b->amounts[number_event(write)]++;
  b->amounts[bytes_event(b, write)] += (Int)bytes;
  Int site = add_access_site(b, address, &where, bytes, write);
  if (b->n_recent < kMaxRecent) b->recent[b->n_recent++] = (RecentAccess){write, where.base, where.offset, bytes, site};
}

// An access that happens only where the guard holds. The instruction as a whole issues one access, a gather one for each lane.
static void add_guarded_access(Block* b, IRExpr* address, UInt bytes, Bool write, IRExpr* guard) {
  UChar flags = site_flags(b, write) | kSiteGuarded;
  if (b->instruction.gather)
    flags |= kSiteCountsAccess;
  else if (!b->counted_masked[write]) {
    b->counted_masked[write] = True;
    b->amounts[number_event(write)]++;
  }
  add_site(b, assign(b->out, Ity_I64, IRExpr_ITE(guard, address, constant(0))), bytes, flags);
}

// maskmovq, maskmovdqu: a site for each byte, guarded by its bit of the mask.
static void add_masked_store(Block* b, IRExpr* address, UInt bytes) {
  const DecodedInstruction* d = &b->instruction;
  Int mask = d->mmx_mask ? (Int)offsetof(VexGuestAMD64State, guest_FPREG) + 8 * d->mask : fma_register_offset(d->mask);
  for (UInt k = 0; k < bytes; k++) {
    IRExpr* lane = assign(b->out, Ity_I8, IRExpr_Get(mask + (Int)k, Ity_I8));
    IRExpr* sign = assign(b->out, Ity_I8, IRExpr_Binop(Iop_Shr8, lane, IRExpr_Const(IRConst_U8(7))));
    IRExpr* byte = assign(b->out, Ity_I64, IRExpr_Binop(Iop_Add64, address, constant(k)));
    add_guarded_access(b, byte, 1, True, assign(b->out, Ity_I1, IRExpr_Binop(Iop_CmpNE8, sign, IRExpr_Const(IRConst_U8(0)))));
  }
}

static void memory_access(Block* b, IRExpr* address, UInt bytes, Bool write, IRExpr* guard) {
  if (b->instruction.no_memory || (b->instruction.masked_move && !write)) return;
  b->any = True;                                   // also behind an exit in the middle of an instruction (rep movs)
  if (b->instruction.operand_bytes) guard = NULL;  // fxsave's are all true
  if (guard != NULL && guard->tag == Iex_Const) {
    if (!guard->Iex.Const.con->Ico.U1) return;
    guard = NULL;
  }
  // A gather's idle lanes read from a harmless address in VEX's translation, and nothing in the processor.
  if (guard == NULL && b->instruction.gather && !write) {
    Origin where = origin_of(address);
    if (where.guard == NULL) {
      b->amounts[PLUMBLINE_EVENT_loads]++;
      b->amounts[PLUMBLINE_EVENT_reg_l1_load] += (Int)bytes;
      if (simulate_caches_) add_site(b, address, bytes, 0);
      return;
    }
    guard = where.guard;
    address = where.if_true;
  }
  if (b->instruction.masked_move)
    add_masked_store(b, address, bytes);
  else if (guard == NULL)
    add_access(b, address, bytes, write);
  else
    add_guarded_access(b, address, bytes, write, guard);
}

static Bool has_loaded(const Block* b) {
  for (UInt k = 0; k < b->n_recent; k++)
    if (!b->recent[k].write) return True;
  return False;
}

static void memory_of_dirty(Block* b, const IRDirty* d) {
  if (d->mFx == Ifx_None) return;
  if (d->mFx != Ifx_Write) memory_access(b, d->mAddr, (UInt)d->mSize, False, d->guard);
  if (d->mFx != Ifx_Read) memory_access(b, d->mAddr, (UInt)d->mSize, True, d->guard);
}

static void memory_of_statement(Block* b, const IRStmt* st) {
  const IRTypeEnv* types = b->in->tyenv;
  switch (st->tag) {
    case Ist_WrTmp: {
      const IRExpr* e = st->Ist.WrTmp.data;
      if (e->tag == Iex_Load) memory_access(b, e->Iex.Load.addr, (UInt)sizeofIRType(e->Iex.Load.ty), False, NULL);
      break;
    }
    case Ist_Store:
      memory_access(b, st->Ist.Store.addr, (UInt)sizeofIRType(typeOfIRExpr(types, st->Ist.Store.data)), True, NULL);
      break;
    case Ist_LoadG: {
      const IRLoadG* l = st->Ist.LoadG.details;
      IRType result, loaded;
      typeOfIRLoadGOp(l->cvt, &result, &loaded);
      memory_access(b, l->addr, (UInt)sizeofIRType(loaded), False, l->guard);
      break;
    }
    case Ist_StoreG: {
      const IRStoreG* s = st->Ist.StoreG.details;
      memory_access(b, s->addr, (UInt)sizeofIRType(typeOfIRExpr(types, s->data)), True, s->guard);
      break;
    }
    case Ist_CAS: {  // `lock add` is translated into a load and a compare-and-swap: one load, one store
      const IRCAS* c = st->Ist.CAS.details;
      UInt bytes = (UInt)sizeofIRType(typeOfIRExpr(types, c->dataLo)) * (c->dataHi ? 2 : 1);
      if (!has_loaded(b)) memory_access(b, c->addr, bytes, False, NULL);
      memory_access(b, c->addr, bytes, True, NULL);
      break;
    }
    case Ist_Dirty:
      memory_of_dirty(b, st->Ist.Dirty.details);
      break;
    default:
      break;
  }
}

// ------------------------------------------------------------------------------------------------------------- instructions

// VEX computes the same address anew in every instruction: equal sums and shifts of equal operands are known as the first of them.
typedef struct {
  IROp op;
  IRTemp left, right;  // the right one is IRTemp_INVALID for a constant
  ULong constant;
  IRTemp result;
} Computed;
enum { kMaxComputed = 64 };
static Computed computed_[kMaxComputed];
static UInt n_computed_;

static IRTemp first_of_equals(const IRExpr* e, IRTemp result) {
  const IRExpr *left = e->Iex.Binop.arg1, *right = e->Iex.Binop.arg2;
  Bool constant = right->tag == Iex_Const;
  if (left->tag != Iex_RdTmp || (e->Iex.Binop.op != Iop_Add64 && e->Iex.Binop.op != Iop_Shl64)) return result;
  Computed c = {e->Iex.Binop.op, left->Iex.RdTmp.tmp, constant ? IRTemp_INVALID : right->Iex.RdTmp.tmp, 0, result};
  if (constant) c.constant = e->Iex.Binop.op == Iop_Shl64 ? right->Iex.Const.con->Ico.U8 : right->Iex.Const.con->Ico.U64;
  if (origins_[c.left].offset == 0) c.left = origins_[c.left].base;
  if (!constant && origins_[c.right].offset == 0) c.right = origins_[c.right].base;
  for (UInt k = 0; k < n_computed_; k++) {
    const Computed* known = &computed_[k];
    if (known->op == c.op && known->left == c.left && known->right == c.right && known->constant == c.constant) return known->result;
  }
  if (n_computed_ < kMaxComputed) computed_[n_computed_++] = c;
  return result;
}

static void note_origin(const IRStmt* st) {
  if (st->tag != Ist_WrTmp) return;
  const IRExpr* e = st->Ist.WrTmp.data;
  Origin* o = &origins_[st->Ist.WrTmp.tmp];
  if (e->tag == Iex_RdTmp) *o = origins_[e->Iex.RdTmp.tmp];
  if (e->tag == Iex_ITE) {
    o->guard = e->Iex.ITE.cond;
    o->if_true = e->Iex.ITE.iftrue;
  }
  if (e->tag != Iex_Binop) return;
  const IRExpr *left = e->Iex.Binop.arg1, *right = e->Iex.Binop.arg2;
  if (e->Iex.Binop.op != Iop_Add64 || left->tag != Iex_RdTmp || right->tag != Iex_Const) {
    o->base = first_of_equals(e, st->Ist.WrTmp.tmp);
    return;
  }
  o->base = origins_[left->Iex.RdTmp.tmp].base;
  o->offset = origins_[left->Iex.RdTmp.tmp].offset + (Long)right->Iex.Const.con->Ico.U64;
}

static void reset_origins(UInt n) {
  if (n > origins_capacity_) {
    origins_capacity_ = 2 * n;
    if (origins_ != NULL) VG_(free)(origins_);
    origins_ = VG_(malloc)("plumbline.origins", origins_capacity_ * sizeof origins_[0]);
  }
  n_computed_ = 0;
  for (UInt t = 0; t < n; t++) origins_[t] = (Origin){t, 0, NULL, NULL};
}

static Int end_of_instruction(const IRSB* in, Int mark) {
  Int end = mark + 1;
  while (end < in->stmts_used && in->stmts[end]->tag != Ist_IMark && in->stmts[end]->tag != Ist_Exit) end++;
  return end;
}

static void plan_fma(Block* b, Int mark) {
  const DecodedInstruction* d = &b->instruction;
  b->fma.usable = b->fma.emitted = False;
  if (!d->fma.valid) return;
  Int end = end_of_instruction(b->in, mark);
  if (d->fma.scalar) vex_repairs_check(b->in, mark, end);
  fma_plan(b->in, mark, end, &d->fma, &b->fma);
}

static void begin_instruction(Block* b, Int mark) {
  const IRStmt* st = b->in->stmts[mark];
  DecodedInstruction* d = &b->instruction;
  Addr address = st->Ist.IMark.addr;
  decode_instruction((const UChar*)address, st->Ist.IMark.len, d);
  if (!b->any) b->beginning = address;
  b->any = True;
  b->instruction_address = address;
  b->next_instruction = address + st->Ist.IMark.len;
  forget_accesses(b);
  // A REP instruction passes here once an element; it is counted where it is left, see leave_repeated.
  if (!d->repeated) b->amounts[PLUMBLINE_EVENT_instructions]++;
  for (UInt k = 0; k < d->n_amounts; k++) b->amounts[d->amounts[k].event] += d->amounts[k].amount;
  if (options.simulate_core) core_instruction(d, address, (UInt)st->Ist.IMark.len);
  if (options.self_check) selfcheck_instruction(b->in, mark, d);
  plan_fma(b, mark);
}

static void leave_repeated(Block* b, const IRStmt* exit) {
  if (!b->instruction.repeated || exit->Ist.Exit.dst->Ico.U64 != b->next_instruction) return;
  b->any = True;
  add_site(b, assign(b->out, Ity_I64, IRExpr_ITE(exit->Ist.Exit.guard, constant(1), constant(0))), 0, kSiteGuarded | kSiteInstruction);
}

// Answers the statement to emit in place of one of a rewritten FMA, NULL for none.
static IRStmt* rewrite_fma(Block* b, IRStmt* st) {
  if (!b->fma.usable) return st;
  if (st->tag == Ist_Put) return fma_is_redundant_put(&b->fma, st) ? NULL : st;
  if (st->tag != Ist_WrTmp) return st;
  Int offset = fma_result_offset(&b->fma, st->Ist.WrTmp.tmp);
  if (offset < 0) return st;
  if (!b->fma.emitted) {
    fma_emit(b->out, &b->fma);
    scalar_forget_registers();
  }
  return IRStmt_WrTmp(st->Ist.WrTmp.tmp, IRExpr_Get(offset, b->instruction.fma.fp64 ? Ity_F64 : Ity_F32));
}

static const IRStmt* next_statement(const IRSB* in, Int i) {
  do i++;
  while (i < in->stmts_used && in->stmts[i]->tag == Ist_NoOp);
  return i < in->stmts_used ? in->stmts[i] : NULL;
}

// An instruction that goes to itself is a repeated one, or one that another thread came in between (lock cmpxchg): no loop of the
// program's.
static void note_way(Block* b, Addr address) {
  if (address != b->instruction_address) pieces_lead_to(b->piece, address);
}

// A call comes back behind itself.
static void note_end(Block* b) {
  const IRSB* in = b->in;
  if (in->jumpkind == Ijk_Call)
    note_way(b, b->next_instruction);
  else if (in->next->tag == Iex_Const)
    note_way(b, in->next->Iex.Const.con->Ico.U64);
  else if (in->jumpkind == Ijk_Boring && b->piece != NULL)
    b->piece->jumps_anywhere = True;
}

static void add_rewritten(Block* b, Int i) {
  IRStmt* st = rewrite_fma(b, b->in->stmts[i]);
  if (st != NULL) scalar_add_statement(b->out, st, next_statement(b->in, i));
}

static void add_statement(Block* b, Int i) {
  const IRStmt* st = b->in->stmts[i];
  note_origin(st);
  if (st->tag == Ist_IMark) {
    const Bool is_long = options.simulate_core && core_segment_is_long();
    if (b->any && (is_long || pieces_cut_before(st->Ist.IMark.addr))) close_segment(b);
    begin_instruction(b, i);
  }
  memory_of_statement(b, st);
  if (options.simulate_core) core_statement(st);
  // An exit that raises a fault (movaps off alignment) does not cut: the record is lost only if the program dies there.
  if (st->tag == Ist_Exit && st->Ist.Exit.jk != Ijk_SigSEGV) {
    leave_repeated(b, st);
    close_segment(b);
    note_way(b, st->Ist.Exit.dst->Ico.U64);
  }
  add_rewritten(b, i);
}

// Nobody counts yet: code is only made to compute as it does when it is counted.
static void add_uncounted_statement(Block* b, Int i) {
  const IRStmt* st = b->in->stmts[i];
  if (st->tag == Ist_IMark) {
    decode_instruction((const UChar*)st->Ist.IMark.addr, st->Ist.IMark.len, &b->instruction);
    plan_fma(b, i);
  }
  add_rewritten(b, i);
}

static void count_statements(Block* b, Int first, Addr entry, Addr base) {
  const IRSB* in = b->in;
  reset_origins((UInt)in->tyenv->types_used);
  if (options.simulate_core) core_begin_block(in);
  open_block(b);
  for (Int i = first; i < in->stmts_used; i++)
    if (in->stmts[i]->tag != Ist_NoOp) add_statement(b, i);
  // REPE and REPNE fall out of the block when their condition fails.
  if (b->instruction.repeated && in->next->tag == Iex_Const && in->next->Iex.Const.con->Ico.U64 == b->next_instruction) {
    b->amounts[PLUMBLINE_EVENT_instructions]++;
    b->any = True;
  }
  close_segment(b);
  note_end(b);
  segments_own(entry, base, b->chain);
  if (b->words == 0) take_opening_out(b);
}

IRSB* instrument_block(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                       const VexArchInfo* host, IRType guest_word, IRType host_word) {
  Block* b = &block_;
  Int i = 0;
  VG_(memset)(b, 0, offsetof(Block, sites));
  b->in = in;
  b->out = deepCopyIRSBExceptStmts(in);
  pointer_offset_ = layout->total_sizeB + kShadowOffset;
  scalar_begin_block(in);
  dead_puts_begin();
  while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark) addStmtToIRSB(b->out, in->stmts[i++]);
  if (segments_have_counted())
    count_statements(b, i, closure->nraddr, extents->base[0]);
  else
    for (; i < in->stmts_used; i++)
      if (in->stmts[i]->tag != Ist_NoOp) add_uncounted_statement(b, i);
  dead_puts_drop(b->out);
  return b->out;
}
