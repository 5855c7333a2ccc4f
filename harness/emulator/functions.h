// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions are told apart as the symbol tables name them. Counts are of a function's own code, not of what it calls, summed over threads.
#ifndef PLUMBLINE_FUNCTIONS_H
#define PLUMBLINE_FUNCTIONS_H

#include "client_requests.h"
#include "pub_tool_basics.h"
#include "reuse.h"

typedef struct Function {
  struct Function* next;  // of the hash table
  UWord key;
  HChar *name, *object;  // the symbol (see unnamed_code.h without one), and the file it lies in, or "???"
  Addr begin;            // where the function begins, as the file itself names addresses; 0: in no file
  struct Piece* pieces;  // of its code, which have the counts
  UChar* targets;        // a bit of each byte from targets_begin on, where jumps of its own may lead (pieces.c); NULL: not looked for
  Addr targets_begin, targets_end;
  ReuseCode reuse;  // whose distances of reuse are told apart; 0: none were counted
} Function;

void functions_start(Bool told_apart);
// The function that holds the address; NULL unless functions are told apart. `bias`: between the program's addresses there and those that
// the file itself names.
Function* functions_at(Addr address, Addr* bias);

void functions_visit(void (*visit)(const Function*, void*), void* closure);

#endif
