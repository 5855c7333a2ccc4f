// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PLUMBLINE_REPORT_H
#define PLUMBLINE_REPORT_H

#include "pub_tool_basics.h"

// Writes everything counted to the file that --out names, as JSON.
void report_write(void);

// Writes the same beside it, as FILE.before-exec.N, when another program is about to replace this one; the second removes that.
void report_write_before_exec(void);
void report_take_back(void);

// Forgets threads in a forked child: of its parent's only those are reported that go on counting.
void report_forget_threads(void);

#endif
