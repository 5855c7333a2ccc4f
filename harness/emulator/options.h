// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PLUMBLINE_OPTIONS_H
#define PLUMBLINE_OPTIONS_H

#include "caches.h"
#include "core.h"
#include "pub_tool_basics.h"

typedef struct {
  CacheGeometry geometry[3];  // as simulated: of L3 this process's part
  UInt l3_share;              // this process has one part in so many of L3, a whole number of its sets
  UInt prefetchers;
  Bool simulate_caches;
  Bool reuse;  // distances of reuse in place of three levels; with simulate_caches
  Bool functions;
  Bool loops;  // with the functions
  Bool count_at_start;
  Bool self_check;
  Bool host_fma;
  const HChar* window;  // the region in which alone counts are taken; NULL: everywhere
  ULong window_first, window_last;
  Bool simulate_core;
  CoreGeometry core;
  const HChar* out;  // NULL: no report
} Options;

extern Options options;

enum { kPrefetchers = 3 };
extern const HChar* const prefetcher_name[kPrefetchers];  // of bit k of `prefetchers`

Bool options_process(const HChar* argument);  // False: not an option of this tool
void options_print_usage(void);
Bool options_share_l3(UInt share);    // False, and nothing changed: L3 has fewer sets than parts are wanted
Bool options_resize_l3(ULong bytes);  // the whole L3; False, and nothing changed: no such size, or fewer sets than parts
void options_check(void);             // after all were processed; ends the process when they make no sense

#endif
