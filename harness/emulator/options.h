// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PLUMBLINE_OPTIONS_H
#define PLUMBLINE_OPTIONS_H

#include "caches.h"
#include "pub_tool_basics.h"

typedef struct {
  CacheGeometry geometry[3];
  Bool simulate_caches;
  Bool count_at_start;
  Bool self_check;
  Bool host_fma;
  const HChar* out;  // NULL: no report
} Options;

extern Options options;

Bool options_process(const HChar* argument);  // False: not an option of this tool
void options_print_usage(void);
void options_check(void);  // after all were processed; ends the process when they make no sense

#endif
