// SPDX-License-Identifier: GPL-2.0-or-later
//
// A guest instruction's machine code tells what it does. The IR is no witness for arithmetic: its optimizer merges equal operations, and
// some instructions (addsubpd, haddpd) are translated into more lanes than they compute.
#ifndef PLUMBLINE_DECODE_H
#define PLUMBLINE_DECODE_H

#include "client_requests.h"
#include "pub_tool_basics.h"

typedef struct {
  Bool valid;
  Bool fp64, wide, scalar, memory;   // wide: 256-bit; memory: the third operand is in memory
  UChar form;                        // 0: 132, 1: 213, 2: 231
  UChar operation;                   // 0: fmaddsub, 1: fmsubadd, 2: fmadd, 3: fmsub, 4: fnmadd, 5: fnmsub
  UChar destination, second, third;  // register numbers
} FmaInstruction;

typedef struct {
  UShort event;
  UShort amount;
} EventAmount;

enum { kMaxAmounts = 6 };

typedef struct {
  EventAmount amounts[kMaxAmounts];  // what to add besides `instructions`
  UInt n_amounts;
  Bool non_temporal;      // its store bypasses the caches
  Bool masked_move;       // maskmovq, maskmovdqu: the translation rewrites its destination, the processor stores the selected bytes
  Bool mmx_mask;          // its mask is in an MMX register
  UChar mask;             // its number
  UShort operand_bytes;   // of the memory operand, where the translation accesses another number; else 0
  UShort operand_offset;  // and how far into it the translation's first access is
  Bool no_memory;         // register form which the translation expresses through the stack (bts reg, reg)
  Bool gather;
  Bool unlike_ir;  // its translation computes other lanes than the processor: no witness for selfcheck.h
  Bool repeated;   // REP string instruction: one instruction, many passes through its translation
  FmaInstruction fma;
} DecodedInstruction;

void decode_instruction(const UChar* code, UInt length, DecodedInstruction* decoded);

#endif
