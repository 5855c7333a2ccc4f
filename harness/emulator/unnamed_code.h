// SPDX-License-Identifier: GPL-2.0-or-later
//
// Code that no symbol covers gets a name: a stripped file's own functions, and the stubs that a linker makes. Where such a function begins
// tells the unwinding table (.eh_frame_hdr), which strip leaves in place, and in a program that was linked statically, which has none, what
// it would be of (.eh_frame).
#ifndef PLUMBLINE_UNNAMED_CODE_H
#define PLUMBLINE_UNNAMED_CODE_H

#include "pub_tool_basics.h"

// The function's place behind the nearest symbol below it in the same file, "cblas_dgemm+0x1a0"; without one its place in the file, as
// nm and objdump print addresses, "libfoo.so+0x1120"; the page, where no table tells the function; "???" for code that lies in no file.
// The caller frees it. `begins`: that begin, as the file names addresses; 0 for code that lies in no file. `bias`: between those and the
// program's.
HChar* unnamed_code_name(Addr address, Addr* begins, Addr* bias);

// The file that the code lies in, or NULL.
const HChar* unnamed_code_file(Addr address);

#endif
