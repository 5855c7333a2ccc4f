// SPDX-License-Identifier: GPL-2.0-or-later
//
// The linker hands the calls of VEX's optimizer to vex_repairs.c (--wrap), which mends what was translated wrongly before. Of a library
// built with link-time optimization it may take no call without a word: so what reaches the tool is looked at again.
#ifndef PLUMBLINE_VEX_REPAIRS_H
#define PLUMBLINE_VEX_REPAIRS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

// The statements [begin, end) of a scalar fused multiply-add: where they still clear what the instruction keeps, that is said once.
void vex_repairs_check(const IRSB* block, Int begin, Int end);

#endif
