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

void regions_begin(ThreadId thread, const HChar* name) {
  Region* r = find(thread, name);
  if (r == NULL) r = make(thread, name);
  if (r->depth++ > 0) return;
  r->entries++;
  VG_(memcpy)(r->at_begin, segments_thread(thread)->counts, sizeof r->at_begin);
}

Bool regions_end(ThreadId thread, const HChar* name) {
  Region* r = find(thread, name);
  if (r == NULL || r->depth == 0) return False;
  if (--r->depth > 0) return True;
  const ULong* now = segments_thread(thread)->counts;
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) r->sum[e] += now[e] - r->at_begin[e];
  return True;
}

void regions_forget_counts(ThreadId forking) {
  for (Region** at = &first_; *at != NULL;) {
    Region* r = *at;
    if (r->depth > 0 && r->thread == forking) {
      r->entries = 1;
      VG_(memset)(r->at_begin, 0, sizeof r->at_begin);
      VG_(memset)(r->sum, 0, sizeof r->sum);
      at = &r->next;
    } else {
      *at = r->next;
      VG_(free)(r->name);
      VG_(free)(r);
    }
  }
  last_ = &first_;
  while (*last_ != NULL) last_ = &(*last_)->next;
}

const Region* regions_first(void) { return first_; }
