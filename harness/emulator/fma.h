// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs the guest's fused multiply-adds on the host's own: the very same instruction on the guest's registers, hence bit exact,
// NaN payloads included, where Valgrind's software FMA takes some 50 ns a lane. A host without FMA keeps the software.
#ifndef PLUMBLINE_FMA_H
#define PLUMBLINE_FMA_H

#include "decode.h"
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

enum { kMaxFmaLanes = 8, kMaxFmaTemps = 8 * kMaxFmaLanes };

// An FMA instruction in the IR: for each lane a Qop's temporary, then perhaps its negation and copies of both, then a Put.
typedef struct {
  Bool usable;
  Bool emitted;
  const FmaInstruction* instruction;
  IRExpr* memory;  // address of the third operand, NULL when that is a register
  UInt n_lanes;
  Int offset[kMaxFmaLanes];  // where the lane is put in the guest state
  UInt n_temps;
  IRTemp temp[kMaxFmaTemps];
  UInt lane[kMaxFmaTemps];  // of the temporary
} FmaRewrite;

// Whether the expression is one lane's fused multiply-add, as VEX writes it.
Bool fma_is_fused(const IRExpr* e);

// The offset in the guest state at which a vector register is kept.
Int fma_register_offset(UInt number);

// Asks and tests the processor, unless the user forbids it; says so when it fails the test. Called once, before any translation.
void fma_detect_host(Bool allowed);

// Looks at the statements [begin, end) of one instruction. Not usable when the host has no FMA or the IR has an unknown shape.
void fma_plan(const IRSB* in, Int begin, Int end, const FmaInstruction* instruction, FmaRewrite* rewrite);

// Emits the call of the host instruction, which writes the guest register; it comes before the first result.
void fma_emit(IRSB* out, FmaRewrite* rewrite);

// The lane's place in the guest state if t is a result of the rewritten instruction, else -1.
Int fma_result_offset(const FmaRewrite* rewrite, IRTemp t);

// Whether this Put writes what the host instruction has already written.
Bool fma_is_redundant_put(const FmaRewrite* rewrite, const IRStmt* put);

#endif
