// SPDX-License-Identifier: GPL-2.0-or-later
//
// Valgrind computes scalar SSE code on whole vectors: it stores 16 bytes of a register of which 8 were just written and loads them
// again, and it takes a scalar from memory by way of the stack. Both make the host wait. Here scalar fp64 code computes on
// scalars, and what a narrow write left in a register is handed on. The same operations on the same operands: bit by bit the same.
#ifndef PLUMBLINE_SCALAR_H
#define PLUMBLINE_SCALAR_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

void scalar_begin_block(const IRSB* in);
void scalar_forget_registers(void);

// Appends the statement, or what does the same, to out. `next` follows it (NULL at the end).
void scalar_add_statement(IRSB* out, IRStmt* st, const IRStmt* next);

#endif
