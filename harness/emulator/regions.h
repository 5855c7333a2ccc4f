// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts are summed by region name and thread, between the marks that a program sets.
#ifndef PLUMBLINE_REGIONS_H
#define PLUMBLINE_REGIONS_H

#include "client_requests.h"
#include "pub_tool_basics.h"
#include "reuse.h"

typedef struct Region {
  struct Region* next;
  HChar* name;
  ThreadId thread;
  UInt depth;       // how often begun and not ended
  ULong begins;     // outermost, whether they are counted or not
  ULong entries;    // that are counted
  Bool is_counted;  // the entry that is under way; False: it began outside of the window
  Bool is_window;   // it keeps the window open
  ULong at_begin[PLUMBLINE_EVENT_COUNT];
  ULong sum[PLUMBLINE_EVENT_COUNT];
  ReuseCounts *reuse_at_begin, *reuse_sum;  // NULL where no distances are counted
} Region;

/* Counts alone what happens while a thread is in the region of that name, in an entry of that thread's from `first` to `last` (from 1;
   last 0: all). Regions that are entered meanwhile have rows. */
void regions_set_window(const HChar* name, ULong first, ULong last);
void regions_begin(ThreadId thread, const HChar* name);
Bool regions_end(ThreadId thread, const HChar* name);  // False: it was not begun
void regions_forget_counts(ThreadId forking);          // of a forked child, which has this thread: what it has open goes on from zero
void regions_counts(const Region* r, ULong* counts);   // those of an entry that is under way among them
const Region* regions_first(void);                     // in order of their first begin

#endif
