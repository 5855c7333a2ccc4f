// SPDX-License-Identifier: GPL-2.0-or-later
#include "regions.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "segments.h"

static Region* first_;
static Region** last_ = &first_;

static Region* find(ThreadId thread, const HChar* name) {
  for (Region* r = first_; r != NULL; r = r->next)
    if (r->thread == thread && VG_STREQ(r->name, name)) return r;
  return NULL;
}

static Region* make(ThreadId thread, const HChar* name) {
  Region* r = VG_(calloc)("plumbline.region", 1, sizeof *r);
  r->name = VG_(strdup)("plumbline.region.name", name);
  r->thread = thread;
  *last_ = r;
  last_ = &r->next;
  return r;
}

static const ReuseCounts* reuse_of(ThreadId thread) {
  const ThreadCounts* t = segments_thread(thread);
  return t->caches == NULL ? NULL : caches_reuse(t->caches);
}

static void begin_reuse(Region* r) {
  const ReuseCounts* now = reuse_of(r->thread);
  if (now == NULL) return;
  if (r->reuse_sum == NULL) {
    r->reuse_at_begin = VG_(malloc)("plumbline.region.reuse", sizeof *r->reuse_at_begin);
    r->reuse_sum = VG_(calloc)("plumbline.region.reuse", 1, sizeof *r->reuse_sum);
  }
  VG_(memcpy)(r->reuse_at_begin, now, sizeof *now);
}

// The counts are nothing but ULongs.
static void end_reuse(Region* r) {
  const ULong *now = (const ULong*)reuse_of(r->thread), *before = (const ULong*)r->reuse_at_begin;
  if (now == NULL || before == NULL) return;
  for (UInt k = 0; k < sizeof(ReuseCounts) / sizeof(ULong); k++) ((ULong*)r->reuse_sum)[k] += now[k] - before[k];
}

static const HChar* window_;  // NULL: all is counted
static ULong window_first_, window_last_;
static UInt window_entries_;  // that are under way

void regions_set_window(const HChar* name, ULong first, ULong last) {
  window_ = name, window_first_ = first, window_last_ = last;
  segments_set_counting(False);
}

static void enter_window(Region* r) {
  if (window_ == NULL || !VG_STREQ(r->name, window_)) return;
  r->is_window = r->begins >= window_first_ && (window_last_ == 0 || r->begins <= window_last_);
  if (r->is_window && window_entries_++ == 0) segments_set_counting(True);
}

static void leave_window(Region* r) {
  if (r->is_window && --window_entries_ == 0) segments_set_counting(False);
  r->is_window = False;
}

void regions_begin(ThreadId thread, const HChar* name) {
  Region* r = find(thread, name);
  if (r == NULL) r = make(thread, name);
  if (r->depth++ > 0) return;
  r->begins++;
  enter_window(r);
  r->is_counted = window_ == NULL || r->is_window || (window_entries_ > 0 && !VG_STREQ(name, window_));
  if (!r->is_counted) return;
  r->entries++;
  VG_(memcpy)(r->at_begin, segments_thread(thread)->counts, sizeof r->at_begin);
  begin_reuse(r);
}

Bool regions_end(ThreadId thread, const HChar* name) {
  Region* r = find(thread, name);
  if (r == NULL || r->depth == 0) return False;
  if (--r->depth > 0) return True;
  const ULong* now = segments_thread(thread)->counts;
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT && r->is_counted; e++) r->sum[e] += now[e] - r->at_begin[e];
  if (r->is_counted) end_reuse(r);
  leave_window(r);
  return True;
}

void regions_forget_counts(ThreadId forking) {
  window_entries_ = 0;
  for (Region** at = &first_; *at != NULL;) {
    Region* r = *at;
    if (r->depth > 0 && r->thread == forking) {
      if (r->is_window) window_entries_++;
      r->begins = 1;
      r->entries = r->is_counted ? 1 : 0;
      VG_(memset)(r->at_begin, 0, sizeof r->at_begin);
      VG_(memset)(r->sum, 0, sizeof r->sum);
      if (r->reuse_sum != NULL) {
        VG_(memset)(r->reuse_at_begin, 0, sizeof *r->reuse_at_begin);
        VG_(memset)(r->reuse_sum, 0, sizeof *r->reuse_sum);
      }
      at = &r->next;
    } else {
      *at = r->next;
      VG_(free)(r->name);
      VG_(free)(r->reuse_at_begin);
      VG_(free)(r->reuse_sum);
      VG_(free)(r);
    }
  }
  last_ = &first_;
  while (*last_ != NULL) last_ = &(*last_)->next;
  if (window_ != NULL) segments_set_counting(window_entries_ > 0);
}

void regions_counts(const Region* r, ULong* counts) {
  VG_(memcpy)(counts, r->sum, sizeof r->sum);
  if (r->depth == 0 || !r->is_counted) return;
  const ULong* now = segments_thread(r->thread)->counts;
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) counts[e] += now[e] - r->at_begin[e];
}

const Region* regions_first(void) { return first_; }
