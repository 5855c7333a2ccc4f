// SPDX-License-Identifier: GPL-2.0-or-later
//
// An out-of-order core is simulated whose data are all in L1. Its cycles come from dependences through registers, from the instructions
// that it takes up in a cycle and the stretch of code that they lie in, from its pipes for floating point, loads and stores, and from how
// many instructions, and results in vector registers, may be under way at once. Branches are predicted; a load waits for its address and
// for no store before it.
#ifndef PLUMBLINE_CORE_H
#define PLUMBLINE_CORE_H

#include "decode.h"
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

typedef struct {
  UInt width;      // instructions taken up in a cycle, a comparison and its branch as one
  UInt window;     // instructions between the oldest that has not ended and the youngest that has begun: the reorder buffer
  UInt registers;  // likewise results in vector registers: the physical ones, but for those that the program has names of
  // Instructions that can begin in a cycle: additions, products (fused ones, too), all that compute in vector registers.
  UInt add, mul, vectors, loads, stores;
  UInt add_latency, mul_latency, fma_latency;  // cycles
  UInt code_bytes;                             // of an aligned stretch of code, of which one is fetched in a cycle
} CoreGeometry;

typedef struct Flow Flow;  // what a segment does to the times at which registers are ready
typedef struct CoreState CoreState;

void core_configure(const CoreGeometry* geometry);

// While a block is translated, in this order: begin_block, then for each statement of it `statement` and at each instruction `instruction`
// first; `close_segment` ends what runs as a whole. The counts are of the segment. VG_(free) frees what it answers. What a segment has is
// taken up at once when it runs, so that one that is long should end before its next instruction.
void core_begin_block(const IRSB* in);
Bool core_segment_is_long(void);
void core_instruction(const DecodedInstruction* decoded, Addr address, UInt length);
void core_statement(const IRStmt* statement);
Flow* core_close_segment(const Int* amounts);

CoreState* core_new_state(void);
// Runs a segment, and answers the whole cycles that have gone by.
ULong core_run(CoreState* core, const Flow* flow);
// Must be called before a flow is freed, of every core.
void core_forget(CoreState* core, const Flow* flow);

#endif
