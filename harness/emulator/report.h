// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PLUMBLINE_REPORT_H
#define PLUMBLINE_REPORT_H

#include "pub_tool_basics.h"

// Writes everything counted to the file that --out names, as JSON.
void report_write(void);

#endif
