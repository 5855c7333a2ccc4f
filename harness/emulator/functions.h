// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts are kept by function, as the symbol tables name them: what the function's own code does, not what it calls, summed over threads.
#ifndef PLUMBLINE_FUNCTIONS_H
#define PLUMBLINE_FUNCTIONS_H

#include "client_requests.h"
#include "pub_tool_basics.h"

typedef struct Function {
  struct Function* next;  // of the hash table
  UWord key;
  HChar *name, *object;  // the symbol (see unnamed_code.h without one), and the file it lies in, or "???"
  Addr begin;            // where the function begins, as the file itself names addresses; 0: in no file
  ULong counts[PLUMBLINE_EVENT_COUNT];
} Function;

void functions_start(Bool told_apart);
Function* functions_at(Addr address);  // NULL unless functions are told apart

void functions_visit(void (*visit)(const Function*, void*), void* closure);
void functions_forget_counts(void);

#endif
