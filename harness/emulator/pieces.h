// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts are kept by function and, within it, by piece of code: a stretch that nothing jumps into and that is left at its end alone. Of
// the pieces, and of which of them lead where, a reader makes the function's loops. Where only functions are told apart, each is one piece.
#ifndef PLUMBLINE_PIECES_H
#define PLUMBLINE_PIECES_H

#include "client_requests.h"
#include "functions.h"
#include "pub_tool_basics.h"

typedef struct Piece {
  struct Piece* next;  // of the hash table
  UWord key;
  Function* function;
  struct Piece* next_of_function;
  Addr begin, end;      // as the file itself names addresses, the end behind the last instruction; 0: the whole function
  Addr bias;            // between those and the program's
  Bool jumps_anywhere;  // to a place that its code does not tell
  UInt n_leads_to, leads_to_capacity;
  Addr* leads_to;  // as the file names addresses, each once
  ULong counts[PLUMBLINE_EVENT_COUNT];
} Piece;

void pieces_start(Bool told_apart);

// The piece of the code from `begin` to before `end`, whose last instruction is `last`: it counts for the function that holds that one.
// NULL unless functions are told apart.
Piece* pieces_of(Addr begin, Addr last, Addr end);
// Notes that an execution may go on at an address of the program when it has run the piece (NULL: none).
void pieces_lead_to(Piece* piece, Addr address);

void pieces_sum(const Function* function, ULong sum[PLUMBLINE_EVENT_COUNT]);
void pieces_forget_counts(void);

// The distances of reuse are those of the function whose piece has these counts.
ReuseCode pieces_reuse_code(const ULong* counts);

// Whether code that ends at this instruction must end there, for something in the function may jump behind it: the places are a superset,
// since each byte of the function is taken for the begin of a jump. False unless pieces are told apart.
Bool pieces_cut_before(Addr address);

#endif
