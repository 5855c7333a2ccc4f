// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mends what Valgrind's translator gets wrong, before its optimizer sees the block: the linker hands us the calls of the optimizer
// (--wrap=...). Where a version of Valgrind has no such functions, nothing is mended.
//
// A scalar FMA keeps bits 32 or 64 to 127 of its destination; VEX (3.19; no more in 3.24) puts zeros there, which its optimizer would hand on to
// later readers in the block.
#include "vex_repairs.h"

#include "fma.h"
#include "libvex.h"
#include "libvex_guest_amd64.h"
#include "pub_tool_libcprint.h"

extern IRSB* __real_do_minimal_initial_iropt_BB(IRSB* block);
IRSB* __wrap_do_minimal_initial_iropt_BB(IRSB* block);
extern IRSB* __real_do_iropt_BB(IRSB* block, void* special, void* precise, VexRegisterUpdates updates, Addr address, VexArch arch);
IRSB* __wrap_do_iropt_BB(IRSB* block, void* special, void* precise, VexRegisterUpdates updates, Addr address, VexArch arch);

static UInt count_fused(const IRExpr* e) {
  switch (e->tag) {
    case Iex_Qop: return fma_is_fused(e) ? 1 : 0;
    case Iex_Unop: return count_fused(e->Iex.Unop.arg);
    default: return 0;
  }
}

static Bool is_zero(const IRExpr* e) {
  if (e->tag != Iex_Const) return False;
  const IRConst* c = e->Iex.Const.con;
  return (c->tag == Ico_U64 && c->Ico.U64 == 0) || (c->tag == Ico_U32 && c->Ico.U32 == 0);
}

static Bool is_in_upper_part_of_xmm(Int offset) {
  Int first = fma_register_offset(0), stride = fma_register_offset(1) - first, within = (offset - first) % stride;
  return offset >= first && offset < first + 16 * stride && within > 0 && within < 16;
}

static Bool clears_upper_part(const IRStmt* st) {
  return st->tag == Ist_Put && is_zero(st->Ist.Put.data) && is_in_upper_part_of_xmm(st->Ist.Put.offset);
}

// The statements [begin, end) of one instruction.
static void keep_upper_part(IRSB* block, Int begin, Int end) {
  UInt fused = 0;
  for (Int i = begin; i < end; i++) {
    const IRStmt* st = block->stmts[i];
    if (st->tag == Ist_WrTmp) fused += count_fused(st->Ist.WrTmp.data);
    if (st->tag == Ist_Put) fused += count_fused(st->Ist.Put.data);
  }
  if (fused != 1) return;
  for (Int i = begin; i < end; i++)
    if (clears_upper_part(block->stmts[i])) block->stmts[i] = IRStmt_NoOp();
}

static IRSB* mended(IRSB* block) {
  Int begin = 0;
  for (Int i = 1; i <= block->stmts_used; i++) {
    if (i < block->stmts_used && block->stmts[i]->tag != Ist_IMark) continue;
    keep_upper_part(block, begin, i);
    begin = i;
  }
  return block;
}

// Mends what this function is given, which since Valgrind 3.17 are parts of what becomes one block.
IRSB* __wrap_do_minimal_initial_iropt_BB(IRSB* block) { return __real_do_minimal_initial_iropt_BB(mended(block)); }

IRSB* __wrap_do_iropt_BB(IRSB* block, void* special, void* precise, VexRegisterUpdates updates, Addr address, VexArch arch) {
  return __real_do_iropt_BB(mended(block), special, precise, updates, address, arch);
}

void vex_repairs_check(const IRSB* block, Int begin, Int end) {
  static Bool said;
  for (Int i = begin; i < end && !said; i++) {
    if (!clears_upper_part(block->stmts[i])) continue;
    VG_(umsg)("this Valgrind clears the upper part of a register in scalar fused multiply-adds, and could not be mended (built with link-time "
              "optimization?): the program goes on with zeros there. 'bash jobs/valgrind.sh' builds one that does not\n");
    said = True;
  }
}
