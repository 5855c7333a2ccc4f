// SPDX-License-Identifier: GPL-2.0-or-later
//
// The host's own fused multiply-add instructions are functions here, with their test.
#ifndef PLUMBLINE_FMA_HOST_H
#define PLUMBLINE_FMA_HOST_H

#include "decode.h"
#include "pub_tool_basics.h"

// Each helper is handed the guest state, the offsets of its registers (destination, second, third: 16 bits each) and the
// address of the third operand, 0 when that is a register.
typedef void (*FmaHelper)(UChar* state, ULong offsets, ULong memory);

// Gives the host function of an instruction; NULL for what is no instruction (a scalar vfmaddsub).
FmaHelper fma_host_helper(const FmaInstruction* instruction);

// Whether the processor has FMA and the system saves the registers' upper halves.
Bool fma_host_exists(void);

// Runs what `helper_of` answers for every form, operation, width and kind of operand on values whose fused result is known and
// differs from any other form's, from another operation's and from the unfused one.
Bool fma_host_is_right(FmaHelper (*helper_of)(const FmaInstruction* instruction));

#endif
