// SPDX-License-Identifier: GPL-2.0-or-later
#include "caches.h"

#include "client_requests.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

static const ULong no_line = ~0ULL;
static const UInt no_slot = ~0u;

static CacheGeometry geometry_[3];
static ULong line_bytes_;
UInt caches_line_shift;
static Cache l3_;

typedef enum { kDemandRead, kRfo, kWriteBack, kNtStore } Flow;
typedef enum { kL1L2, kL2L3, kL3Mem } Boundary;

static const UShort flow_event[3][4] = {
    {PLUMBLINE_EVENT_l1_l2_demand_read, PLUMBLINE_EVENT_l1_l2_rfo, PLUMBLINE_EVENT_l1_l2_write_back, PLUMBLINE_EVENT_l1_l2_nt_store},
    {PLUMBLINE_EVENT_l2_l3_demand_read, PLUMBLINE_EVENT_l2_l3_rfo, PLUMBLINE_EVENT_l2_l3_write_back, PLUMBLINE_EVENT_l2_l3_nt_store},
    {PLUMBLINE_EVENT_l3_mem_demand_read, PLUMBLINE_EVENT_l3_mem_rfo, PLUMBLINE_EVENT_l3_mem_write_back, PLUMBLINE_EVENT_l3_mem_nt_store},
};

// --------------------------------------------------------------------------------------------------------------- one cache

static void cache_empty(Cache* c) {
  ULong n = c->sets * c->ways;
  VG_(memset)(c->line, 0xFF, n * sizeof c->line[0]);
  VG_(memset)(c->used, 0, n * sizeof c->used[0]);
  VG_(memset)(c->dirty, 0, n);
  c->now = 0;
}

static void cache_make(Cache* c, const CacheGeometry* g) {
  c->ways = g->ways;
  c->sets = g->size_bytes / g->line_bytes / g->ways;
  c->mask = (c->sets & (c->sets - 1)) == 0 ? c->sets - 1 : 0;
  ULong n = c->sets * c->ways;
  c->line = VG_(malloc)("plumbline.caches.line", n * sizeof c->line[0]);
  c->used = VG_(malloc)("plumbline.caches.used", n * sizeof c->used[0]);
  c->dirty = VG_(malloc)("plumbline.caches.dirty", n);
  cache_empty(c);
}

static inline UInt first_slot(const Cache* c, ULong line) {
  ULong set = (c->mask || c->sets == 1) ? (line & c->mask) : line % c->sets;
  return (UInt)(set * c->ways);
}

static inline UInt cache_find(const Cache* c, UInt first, ULong line) {
  const ULong* set = c->line + first;
  for (UInt way = 0; way < c->ways; way++)
    if (set[way] == line) return first + way;
  return no_slot;
}

static inline UInt cache_victim(const Cache* c, UInt first) {
  const ULong* used = c->used + first;
  UInt oldest = 0;
  for (UInt way = 1; way < c->ways; way++)
    if (used[way] < used[oldest]) oldest = way;
  return first + oldest;
}

static inline void cache_touch(Cache* c, UInt slot, UChar dirty) {
  c->used[slot] = ++c->now;
  c->dirty[slot] |= dirty;
}

static inline void cache_install(Cache* c, UInt slot, ULong line, UChar dirty) {
  c->line[slot] = line;
  c->used[slot] = ++c->now;
  c->dirty[slot] = dirty;
}

// -------------------------------------------------------------------------------------------------------------- the levels

static inline void count(ULong* counts, Boundary boundary, Flow flow) { counts[flow_event[boundary][flow]] += line_bytes_; }

// A line arrives at a level, either filled on a miss above (cause demand read or rfo) or written back from above; a write-back
// brings the whole line and so allocates without a fill.
static void reference_l3(ULong* counts, ULong line, Flow cause) {
  UInt first = first_slot(&l3_, line), slot = cache_find(&l3_, first, line);
  UChar dirty = cause == kWriteBack;
  if (slot != no_slot) {
    cache_touch(&l3_, slot, dirty);
    return;
  }
  slot = cache_victim(&l3_, first);
  if (l3_.dirty[slot]) count(counts, kL3Mem, kWriteBack);
  if (cause != kWriteBack) count(counts, kL3Mem, cause);
  cache_install(&l3_, slot, line, dirty);
}

static void reference_l2(PrivateCaches* p, ULong* counts, ULong line, Flow cause) {
  Cache* l2 = &p->l2;
  UInt first = first_slot(l2, line), slot = cache_find(l2, first, line);
  UChar dirty = cause == kWriteBack;
  if (slot != no_slot) {
    cache_touch(l2, slot, dirty);
    return;
  }
  slot = cache_victim(l2, first);
  if (l2->dirty[slot]) {
    count(counts, kL2L3, kWriteBack);
    reference_l3(counts, l2->line[slot], kWriteBack);
  }
  if (cause != kWriteBack) {
    count(counts, kL2L3, cause);
    reference_l3(counts, line, cause);
  }
  cache_install(l2, slot, line, dirty);
}

static __attribute__((noinline)) UInt reference_l1(PrivateCaches* p, ULong* counts, ULong line, UChar write) {
  Cache* l1 = &p->l1;
  UInt first = first_slot(l1, line), slot = cache_find(l1, first, line);
  if (slot != no_slot) {
    cache_touch(l1, slot, write);
    return slot;
  }
  Flow cause = write ? kRfo : kDemandRead;
  slot = cache_victim(l1, first);
  if (l1->dirty[slot]) {
    count(counts, kL1L2, kWriteBack);
    reference_l2(p, counts, l1->line[slot], kWriteBack);
  }
  count(counts, kL1L2, cause);
  reference_l2(p, counts, line, cause);
  cache_install(l1, slot, line, write);
  return slot;
}

// Takes a line out of a cache; answers whether it was dirty.
static Bool cache_drop(Cache* c, ULong line) {
  UInt slot = cache_find(c, first_slot(c, line), line);
  if (slot == no_slot) return False;
  Bool dirty = c->dirty[slot] != 0;
  c->line[slot] = no_line;
  c->used[slot] = 0;
  c->dirty[slot] = 0;
  return dirty;
}

static void store_non_temporal(PrivateCaches* p, ULong* counts, ULong address, ULong bytes) {
  for (ULong line = address >> caches_line_shift; line <= (address + bytes - 1) >> caches_line_shift; line++) {
    Bool dirty = cache_drop(&p->l1, line);
    if (dirty) count(counts, kL1L2, kWriteBack);
    dirty |= cache_drop(&p->l2, line);
    if (dirty) count(counts, kL2L3, kWriteBack);
    dirty |= cache_drop(&l3_, line);
    if (dirty) count(counts, kL3Mem, kWriteBack);
  }
  for (Boundary b = kL1L2; b <= kL3Mem; b++) counts[flow_event[b][kNtStore]] += bytes;
}

UInt caches_replay_slowly(PrivateCaches* p, ULong* counts, const Site* site, ULong address) {
  UInt slot = site->slot;
  if (site->flags & kSiteInstruction) return slot;
  if (address == 0 && (site->flags & kSiteGuarded)) return slot;
  if (site->flags & kSiteNonTemporal) {
    store_non_temporal(p, counts, address, site->bytes);
    return slot;
  }
  ULong last = (address + site->bytes - 1) >> caches_line_shift;
  for (ULong line = address >> caches_line_shift; line <= last; line++) slot = reference_l1(p, counts, line, site->flags & kSiteWrite);
  return slot;
}

// ------------------------------------------------------------------------------------------------------------------ set up

void caches_configure(const CacheGeometry geometry[3]) {
  VG_(memcpy)(geometry_, geometry, sizeof geometry_);
  line_bytes_ = geometry[0].line_bytes;
  for (caches_line_shift = 0; (1ULL << caches_line_shift) < line_bytes_; caches_line_shift++) continue;
  cache_make(&l3_, &geometry[2]);
}

PrivateCaches* caches_new_private(void) {
  PrivateCaches* p = VG_(malloc)("plumbline.caches.private", sizeof *p);
  cache_make(&p->l1, &geometry_[0]);
  cache_make(&p->l2, &geometry_[1]);
  return p;
}

void caches_empty_private(PrivateCaches* p) {
  cache_empty(&p->l1);
  cache_empty(&p->l2);
}

void caches_empty_shared(void) { cache_empty(&l3_); }
