// SPDX-License-Identifier: GPL-2.0-or-later
#include "dead_puts.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

// The guest state in bytes, walked backwards: dead_[k] tells that byte k is overwritten before anybody reads it.
enum { kMaxGuestBytes = 4096 };
static UChar dead_[kMaxGuestBytes];

// Indices of the tool's own accesses, ascending.
static Int* own_;
static UInt n_own_, own_capacity_;

void dead_puts_begin(void) { n_own_ = 0; }

void dead_puts_ignore_next_of(const IRSB* block) {
  if (n_own_ == own_capacity_) {
    own_capacity_ = own_capacity_ ? 2 * own_capacity_ : 1024;
    own_ = VG_(realloc)("plumbline.own_accesses", own_, own_capacity_ * sizeof own_[0]);
  }
  own_[n_own_++] = block->stmts_used;
}

static void mark(Int offset, Int bytes, Bool dead) {
  tl_assert(offset >= 0 && offset + bytes <= kMaxGuestBytes);
  VG_(memset)(dead_ + offset, dead, (SizeT)bytes);
}

static Bool all_dead(Int offset, Int bytes) {
  for (Int k = offset; k < offset + bytes; k++)
    if (!dead_[k]) return False;
  return True;
}

static void everything_is_read(void) { VG_(memset)(dead_, False, sizeof dead_); }

static void visit_expression(const IRExpr* e) {
  switch (e->tag) {
    case Iex_Get: mark(e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty), False); break;
    case Iex_GetI: mark(e->Iex.GetI.descr->base, e->Iex.GetI.descr->nElems * sizeofIRType(e->Iex.GetI.descr->elemTy), False); break;
    case Iex_Load: everything_is_read(); break;
    default: break;
  }
}

static void visit_dirty(const IRDirty* d) {
  if (d->mFx != Ifx_None) everything_is_read();
  for (Int k = 0; k < d->nFxState; k++) {
    Int piece = d->fxState[k].size, offset = d->fxState[k].offset;
    if (d->fxState[k].fx == Ifx_Write) continue;  // perhaps under a guard
    for (Int r = 0; r <= d->fxState[k].nRepeats; r++) mark(offset + r * d->fxState[k].repeatLen, piece, False);
  }
}

// Answers whether the statement may be left out.
static Bool visit(const IRStmt* st, const IRTypeEnv* types) {
  switch (st->tag) {
    case Ist_Put: {
      Int offset = st->Ist.Put.offset, bytes = sizeofIRType(typeOfIRExpr(types, st->Ist.Put.data));
      if (all_dead(offset, bytes)) return True;
      mark(offset, bytes, True);
      return False;
    }
    case Ist_WrTmp: visit_expression(st->Ist.WrTmp.data); return False;
    case Ist_Dirty: visit_dirty(st->Ist.Dirty.details); return False;
    case Ist_Store:
    case Ist_StoreG:
    case Ist_LoadG:
    case Ist_CAS: everything_is_read(); return False;
    case Ist_NoOp:
    case Ist_IMark:
    case Ist_AbiHint:
    case Ist_PutI: return False;
    default: everything_is_read(); return False;  // exits, and what is not known here
  }
}

void dead_puts_drop(IRSB* block) {
  everything_is_read();
  UInt own = n_own_;
  for (Int i = block->stmts_used - 1; i >= 0; i--)
    if (own > 0 && own_[own - 1] == i)
      own--;
    else if (visit(block->stmts[i], block->tyenv)) block->stmts[i] = IRStmt_NoOp();
}
