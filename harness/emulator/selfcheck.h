// SPDX-License-Identifier: GPL-2.0-or-later
//
// --self-check: when an instruction is translated, the lanes, kinds and precisions that decode.c read from its machine code are held
// against the operations of its VEX IR. Optimized IR merges and drops operations, so the self-check has it left as it is.
//
// VEX is no witness where it computes other lanes than the processor: addsub and horizontal additions, dot products
// (DecodedInstruction.unlike_ir). Single and double are converted into each other on the way of other work (comiss, cvtss2si, all of
// x87), so these conversions are only compared where nothing else is computed. Nothing is said of integer work and memory.
#ifndef PLUMBLINE_SELFCHECK_H
#define PLUMBLINE_SELFCHECK_H

#include "decode.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_tooliface.h"

typedef struct {
  ULong compared;  // translated instructions of which decoder or IR says that they do floating-point work
  ULong agreed;
  ULong no_witness;  // those that are not compared
} SelfCheck;
extern SelfCheck selfcheck;

// Looks at the statements from an instruction mark to the next. Answers whether the opinions agree; says so where they do not.
Bool selfcheck_instruction(const IRSB* in, Int mark, const DecodedInstruction* decoded);

// Prints the result as a member of the report's JSON object, with its leading comma.
void selfcheck_report(VgFile* f);

#endif
