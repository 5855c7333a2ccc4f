// SPDX-License-Identifier: GPL-2.0-or-later
//
// The filter above the distances of reuse is a cache of one set that takes most accesses. It is smaller than every cache that anybody will
// ask for. What is kept here beside the cache finds its lines and its oldest one without looking at all of them.
#ifndef PLUMBLINE_REUSE_FILTER_H
#define PLUMBLINE_REUSE_FILTER_H

#include "cache.h"
#include "pub_tool_libcbase.h"
#include "reuse.h"

enum { kFilterLines = 64, kFilterChains = 4 * kFilterLines, kFilterEnd = kFilterLines };

// Lines whose numbers agree in their last bits are in one chain. All slots are in a ring, in the order of the times of use that were noted
// when they entered it: a time only grows, so that the first of the ring is the oldest where its own is still the noted one.
typedef struct {
  struct {
    ReuseLine* known;
    ReuseCode brought_by;
    UChar next;  // slot of its chain, or kFilterEnd
  } held[kFilterLines];
  UChar first[kFilterChains];                              // slot, or kFilterEnd
  UChar older[kFilterLines + 1], newer[kFilterLines + 1];  // slots; kFilterEnd lies between the newest and the oldest
  UInt noted[kFilterLines + 1];                            // of kFilterEnd always 0
  UInt n_held;
} Filter;

static inline void filter_leave_ring(Filter* f, UInt slot) {
  f->newer[f->older[slot]] = f->newer[slot];
  f->older[f->newer[slot]] = f->older[slot];
}

// The slot comes behind all whose noted times are not later. Its place is looked for from both ends, being mostly near one of them.
static inline void filter_enter_ring(Filter* f, UInt slot, UInt time) {
  UInt before = f->older[kFilterEnd], after = f->newer[kFilterEnd];
  while (f->noted[before] > time && f->noted[after] <= time) before = f->older[before], after = f->newer[after];
  if (f->noted[before] <= time)
    after = f->newer[before];
  else
    before = f->older[after];
  f->noted[slot] = time;
  f->older[slot] = (UChar)before;
  f->newer[slot] = (UChar)after;
  f->newer[before] = f->older[after] = (UChar)slot;
}

// Answers the slot whose line was used longest ago, or one that is empty.
static inline UInt filter_oldest(Filter* f, const Cache* lines) {
  for (;;) {
    UInt slot = f->newer[kFilterEnd], time = *stamp_of(lines, slot) >> 1;
    if (time == f->noted[slot]) return slot;
    filter_leave_ring(f, slot);
    filter_enter_ring(f, slot, time);
  }
}

// The cache's times begin anew: its lines keep their order, but not their times.
static inline void filter_forget_times(Filter* f) { VG_(memset)(f->noted, 0, sizeof f->noted); }

static inline void filter_empty(Filter* f) {
  f->n_held = 0;
  VG_(memset)(f->first, kFilterEnd, sizeof f->first);
  filter_forget_times(f);
  f->older[kFilterEnd] = f->newer[kFilterEnd] = kFilterEnd;
  for (UInt slot = 0; slot < kFilterLines; slot++) filter_enter_ring(f, slot, 0);
}

// Answers kNoSlot where the line is not there.
static inline UInt filter_find(const Filter* f, const Cache* lines, ULong tag) {
  UInt slot = f->first[(tag - 1) % kFilterChains];
  while (slot != kFilterEnd && tag_in(lines, slot) != tag) slot = f->held[slot].next;
  return slot == kFilterEnd ? kNoSlot : slot;
}

// `time` is later than all others.
static inline void filter_enter(Filter* f, UInt slot, ULong line, UInt time, ReuseLine* known, ReuseCode by) {
  UChar* chain = &f->first[line % kFilterChains];
  f->held[slot].known = known;
  f->held[slot].brought_by = by;
  f->held[slot].next = *chain;
  *chain = (UChar)slot;
  filter_leave_ring(f, slot);
  filter_enter_ring(f, slot, time);
  f->n_held++;
}

static inline void filter_leave(Filter* f, UInt slot, ULong line) {
  UChar* link = &f->first[line % kFilterChains];
  while (*link != slot) link = &f->held[*link].next;
  *link = f->held[slot].next;
  f->n_held--;
}

// The line is taken out of the cache, whose slot is the next to be filled.
static inline void filter_drop(Filter* f, UInt slot, ULong line) {
  filter_leave(f, slot, line);
  filter_leave_ring(f, slot);
  filter_enter_ring(f, slot, 0);
}

#endif
