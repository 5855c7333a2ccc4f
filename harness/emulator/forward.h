// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scalar SSE code reaches the tool as: zero a vector register, put its low lane, get the whole register. Read back from memory
// the narrow store stalls the wide load; this pass gives the reader the value itself, which is several times faster.
#ifndef PLUMBLINE_FORWARD_H
#define PLUMBLINE_FORWARD_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

// At the start of a block, and after a statement that was emitted without passing through here.
void forward_forget_all(void);

// Answers the statement to emit in place of st, after having emitted what that needs; call for every statement, in order.
IRStmt* forward_statement(IRSB* out, IRStmt* st);

#endif
