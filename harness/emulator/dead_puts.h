// SPDX-License-Identifier: GPL-2.0-or-later
//
// Leaves out writes of guest registers that nobody reads before they are overwritten. The tool has VEX write every register at
// every instruction, so that no load is optimized away and helpers find their operands; once the block is instrumented, most of
// these stores only cost time.
#ifndef PLUMBLINE_DEAD_PUTS_H
#define PLUMBLINE_DEAD_PUTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

// Drops the dead writes of a block. At an exit and wherever memory is accessed every register is right: a handler may look at them, mend
// what made an access fault, and return to the instruction.
void dead_puts_drop(IRSB* block);

// The tool's own loads and stores fault never: before it builds a block, and before each of them is added to it.
void dead_puts_begin(void);
void dead_puts_ignore_next_of(const IRSB* block);

#endif
