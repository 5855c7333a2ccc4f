// SPDX-License-Identifier: GPL-2.0-or-later
#include "caches.h"

#include "cache.h"
#include "client_requests.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "reuse_filter.h"

static CacheGeometry geometry_[3];
static UInt prefetchers_;
static ULong line_bytes_;
static UInt line_shift_;
ULong caches_epoch = 1;

typedef enum { kDemandRead, kRfo, kPrefetch, kWriteBack, kNtStore, kFlows } Flow;
typedef enum { kL1L2, kL2L3, kL3Mem } Boundary;

#define FLOWS_OF(boundary)                                                                                             \
  {                                                                                                                    \
    PLUMBLINE_EVENT_##boundary##_demand_read, PLUMBLINE_EVENT_##boundary##_rfo, PLUMBLINE_EVENT_##boundary##_prefetch, \
        PLUMBLINE_EVENT_##boundary##_write_back, PLUMBLINE_EVENT_##boundary##_nt_store                                 \
  }
static const UShort flow_event[3][kFlows] = {FLOWS_OF(l1_l2), FLOWS_OF(l2_l3), FLOWS_OF(l3_mem)};

static inline void add_bytes(Ledger ledger, Boundary boundary, Flow flow, ULong bytes) {
  UInt event = flow_event[boundary][flow];
  ledger.thread[event] += bytes;
  if (ledger.code != NULL) ledger.code[event] += bytes;
}

static inline void count(Ledger ledger, Boundary boundary, Flow flow) { add_bytes(ledger, boundary, flow, line_bytes_); }

// Times fit in 31 bits; behind the last one there is room for what a buffer of records adds.
#ifndef PLUMBLINE_CACHES_LAST_TIME
#define PLUMBLINE_CACHES_LAST_TIME 0x3F000000
#endif

enum { kStreams = 16, kMaxPending = 4096 };

// A walk through a page that the stream prefetcher follows.
typedef struct {
  ULong page;
  Int last, direction;
  UInt used;
} Stream;

struct PrivateCaches {
  Cache l1, l2;
  ULong* mark;  // of each slot of L1: the last epoch in which a footprint met its line
  Footprint* pending[kMaxPending];
  UInt n_pending;
  ULong misses;  // of L1
  Stream stream[kStreams];
  UInt stream_now;
  ReuseStack* reuse;  // in place of L2 and L3, below an L1 of one set, the filter; or NULL
  Filter filter;
};

static Cache l3_;
static ReuseCode (*code_of_)(const ULong* code_counts);  // NULL: no code has distances of its own

static inline UInt find_in_l1(const PrivateCaches* p, UInt first, ULong tag) {
  return UNLIKELY(p->reuse != NULL) ? filter_find(&p->filter, &p->l1, tag) : cache_find(&p->l1, first, tag);
}

static inline UInt oldest_in_l1(PrivateCaches* p, UInt first) {
  return p->reuse != NULL ? filter_oldest(&p->filter, &p->l1) : cache_oldest(&p->l1, first);
}

// ------------------------------------------------------------------------------------------------------------- what is put off

SizeT footprint_bytes(UInt n_sites) { return n_sites * (2 * sizeof(ULong) + 2 * sizeof(UInt) + sizeof(Site)); }

void footprint_make(Footprint* f, void* place, const Site* sites, UInt n_sites) {
  f->n_sites = n_sites;
  f->last_use = 0;
  f->epoch = 0;
  f->pending = f->missed = False;
  f->base = place;
  f->reach = f->base + n_sites;
  f->slot = (UInt*)(f->reach + n_sites);
  f->sites = (Site*)(f->slot + 2 * n_sites);
  for (UInt k = 0; k < n_sites; k++) f->sites[k] = sites[k];
}

static inline void write_time(const Cache* c, UInt slot, UInt time) {
  UInt* stamp = stamp_of(c, slot);
  if (*stamp >> 1 < time) *stamp = 2 * time | (*stamp & 1);
}

// Writes the times of site k in the execution before which the clock stood at `start`.
static inline void write_times_of_site(const PrivateCaches* p, const Footprint* f, UInt k, UInt start) {
  write_time(&p->l1, f->slot[2 * k], start + 2 * k + 1);
  if (UNLIKELY(f->slot[2 * k + 1] != f->slot[2 * k])) write_time(&p->l1, f->slot[2 * k + 1], start + 2 * k + 2);
}

static void settle(PrivateCaches* p, Footprint* f) {
  for (UInt k = 0; k < f->n_sites; k++) write_times_of_site(p, f, k, f->last_use);
  f->pending = False;
}

void caches_settle(PrivateCaches* p) {
  while (p->n_pending > 0) {
    Footprint* f = p->pending[--p->n_pending];
    if (f->pending) settle(p, f);
  }
}

void caches_begin_replay(PrivateCaches* p) {
  if (LIKELY(p->l1.now < PLUMBLINE_CACHES_LAST_TIME && p->l2.now < PLUMBLINE_CACHES_LAST_TIME && l3_.now < PLUMBLINE_CACHES_LAST_TIME))
    return;
  caches_settle(p);
  cache_begin_anew(&p->l1);
  filter_forget_times(&p->filter);
  cache_begin_anew(&p->l2);
  cache_begin_anew(&l3_);
}

void caches_put_off(PrivateCaches* p, Footprint* f) {
  if (p->n_pending == kMaxPending) caches_settle(p);
  f->pending = True;
  p->pending[p->n_pending++] = f;
}

// -------------------------------------------------------------------------------------------------------------- the levels

// A line arrives at a level, filled on a miss above (cause demand read, rfo or prefetch) or written back from above; a write-back
// brings the whole line and so allocates without a fill.
static void reference_l3(Ledger ledger, ULong line, Flow cause) {
  ULong tag;
  UInt first = locate(&l3_, line, &tag), slot = cache_find(&l3_, first, tag);
  UInt dirty = cause == kWriteBack;
  if (slot != kNoSlot) {
    cache_touch(&l3_, slot, dirty);
    return;
  }
  slot = cache_oldest(&l3_, first);
  if (is_dirty(&l3_, slot)) count(ledger, kL3Mem, kWriteBack);
  if (cause != kWriteBack) count(ledger, kL3Mem, cause);
  cache_install(&l3_, slot, tag, dirty);
}

// Answers whether the line was there.
static Bool reference_l2(PrivateCaches* p, Ledger ledger, ULong line, Flow cause) {
  Cache* l2 = &p->l2;
  ULong tag;
  UInt first = locate(l2, line, &tag), slot = cache_find(l2, first, tag);
  UInt dirty = cause == kWriteBack;
  if (slot != kNoSlot) {
    cache_touch(l2, slot, dirty);
    return True;
  }
  slot = cache_oldest(l2, first);
  if (is_dirty(l2, slot)) {
    count(ledger, kL2L3, kWriteBack);
    reference_l3(ledger, line_in(l2, slot, line, tag), kWriteBack);
  }
  if (cause != kWriteBack) {
    count(ledger, kL2L3, cause);
    reference_l3(ledger, line, cause);
  }
  cache_install(l2, slot, tag, dirty);
  return False;
}

static void prefetch_after_miss(PrivateCaches* p, Ledger ledger, ULong line, Bool in_l2);

// Has the host fetch the line's set.
static inline void expect(const Cache* c, ULong line) {
  if (c->shift == kNoShift) return;
  const UInt* set = c->cell + (line & (c->sets - 1)) * c->stride * 2;
  __builtin_prefetch(set);
  __builtin_prefetch(set + c->stride);
}

// Lets go of the line in this slot before it leaves L1: nobody may rely on it any more.
static void let_go(PrivateCaches* p, UInt slot) {
  if (p->mark[slot] != caches_epoch) return;
  caches_settle(p);
  caches_epoch++;
}

// Times that are put off belong to lines marked in this epoch, and they can only be later than those written: an oldest line that
// is not marked is the oldest indeed.
static UInt slot_to_fill(PrivateCaches* p, UInt first) {
  UInt slot = oldest_in_l1(p, first);
  if (p->mark[slot] != caches_epoch) return slot;
  caches_settle(p);
  slot = oldest_in_l1(p, first);
  let_go(p, slot);
  return slot;
}

// The set's line used longest ago sinks into the stack.
static UInt fill_filter(PrivateCaches* p, Ledger ledger, UInt first, ULong line, ULong tag, UInt dirty, Flow cause) {
  ReuseCode by = code_of_ == NULL || ledger.code == NULL ? 0 : code_of_(ledger.code);
  ReuseLine* known = reuse_fetch(p->reuse, line, cause == kRfo, p->filter.n_held, by);
  UInt slot = slot_to_fill(p, first);
  ULong held = tag_in(&p->l1, slot);
  if (held != 0) {
    reuse_sink(p->reuse, p->filter.held[slot].known, held - 1, is_dirty(&p->l1, slot), p->filter.held[slot].brought_by);
    filter_leave(&p->filter, slot, held - 1);
  }
  filter_enter(&p->filter, slot, line, p->l1.now + 1, known, by);
  cache_install(&p->l1, slot, tag, dirty);
  return slot;
}

static UInt fill_l1(PrivateCaches* p, Ledger ledger, UInt first, ULong line, ULong tag, UInt dirty, Flow cause) {
  Cache* l1 = &p->l1;
  if (p->reuse != NULL) return fill_filter(p, ledger, first, line, tag, dirty, cause);
  expect(&p->l2, line);
  expect(&l3_, line);
  UInt slot = slot_to_fill(p, first);
  if (is_dirty(l1, slot)) {
    count(ledger, kL1L2, kWriteBack);
    reference_l2(p, ledger, line_in(l1, slot, line, tag), kWriteBack);
  }
  count(ledger, kL1L2, cause);
  Bool in_l2 = reference_l2(p, ledger, line, cause);
  cache_install(l1, slot, tag, dirty);
  if (UNLIKELY(prefetchers_) && cause != kPrefetch) prefetch_after_miss(p, ledger, line, in_l2);
  return slot;
}

static __attribute__((noinline)) UInt miss_l1(PrivateCaches* p, Ledger ledger, ULong line, UInt flags) {
  ULong tag;
  UInt first = locate(&p->l1, line, &tag), dirty = flags & kSiteWrite;
  p->misses++;
  return fill_l1(p, ledger, first, line, tag, dirty, dirty && !(flags & kSiteReadFirst) ? kRfo : kDemandRead);
}

static inline __attribute__((always_inline)) UInt reference_l1(PrivateCaches* p, Ledger ledger, ULong line, UInt flags) {
  Cache* l1 = &p->l1;
  ULong tag;
  UInt first = locate(l1, line, &tag), slot = find_in_l1(p, first, tag);
  if (LIKELY(slot != kNoSlot))
    cache_touch(l1, slot, flags & kSiteWrite);
  else
    slot = miss_l1(p, ledger, line, flags);
  p->mark[slot] = caches_epoch;
  return slot;
}

// --------------------------------------------------------------------------------------------------------------- prefetchers

static inline ULong page_of(ULong line) { return line * line_bytes_ >> 12; }

static void prefetch_into_l1(PrivateCaches* p, Ledger ledger, ULong line) {
  ULong tag;
  UInt first = locate(&p->l1, line, &tag);
  if (cache_find(&p->l1, first, tag) == kNoSlot) fill_l1(p, ledger, first, line, tag, 0, kPrefetch);
}

static void prefetch_into_l2(PrivateCaches* p, Ledger ledger, ULong line) {
  ULong tag;
  UInt first = locate(&p->l2, line, &tag);
  if (cache_find(&p->l2, first, tag) == kNoSlot) reference_l2(p, ledger, line, kPrefetch);
}

// The stream of the line's page, or the one least recently used, begun anew there.
static Stream* stream_of(PrivateCaches* p, ULong line) {
  Stream* oldest = &p->stream[0];
  for (UInt k = 0; k < kStreams; k++) {
    Stream* s = &p->stream[k];
    if (s->used && s->page == page_of(line)) return s;
    if (s->used < oldest->used) oldest = s;
  }
  *oldest = (Stream){page_of(line), (Int)(line % (4096 / line_bytes_)), 0, 0};
  return oldest;
}

static void follow_stream(PrivateCaches* p, Ledger ledger, ULong line) {
  Stream* s = stream_of(p, line);
  Int here = (Int)(line % (4096 / line_bytes_)), direction = here > s->last ? 1 : here < s->last ? -1 : 0;
  Bool walks_on = direction != 0 && direction == s->direction;
  s->used = ++p->stream_now;
  s->last = here;
  if (direction != 0) s->direction = direction;
  for (Int step = 1; walks_on && step <= 2; step++) {
    ULong ahead = line + (ULong)(Long)(direction * step);
    if (page_of(ahead) == s->page) prefetch_into_l2(p, ledger, ahead);
  }
}

static void prefetch_after_miss(PrivateCaches* p, Ledger ledger, ULong line, Bool in_l2) {
  if ((prefetchers_ & kPrefetchL2Adjacent) && !in_l2) prefetch_into_l2(p, ledger, line ^ 1);
  if (prefetchers_ & kPrefetchL2Stream) follow_stream(p, ledger, line);
  if ((prefetchers_ & kPrefetchL1Next) && page_of(line + 1) == page_of(line)) prefetch_into_l1(p, ledger, line + 1);
}

// ------------------------------------------------------------------------------------------------------------------ replaying

static void store_non_temporal(PrivateCaches* p, Ledger ledger, ULong address, ULong bytes) {
  for (ULong line = address >> line_shift_; line <= (address + bytes - 1) >> line_shift_; line++) {
    ULong tag;
    UInt first = locate(&p->l1, line, &tag), slot = find_in_l1(p, first, tag);
    if (slot != kNoSlot) let_go(p, slot);
    Bool dirty = cache_drop(&p->l1, line);
    if (p->reuse != NULL) {
      if (slot != kNoSlot) filter_drop(&p->filter, slot, line);
      reuse_drop(p->reuse, line, dirty, slot == kNoSlot ? 0 : p->filter.held[slot].brought_by);
      continue;
    }
    if (dirty) count(ledger, kL1L2, kWriteBack);
    dirty |= cache_drop(&p->l2, line);
    if (dirty) count(ledger, kL2L3, kWriteBack);
    dirty |= cache_drop(&l3_, line);
    if (dirty) count(ledger, kL3Mem, kWriteBack);
  }
  for (Boundary b = kL1L2; b <= kL3Mem; b++) add_bytes(ledger, b, kNtStore, bytes);
}

// Notes that site k met no line: it will be met again wherever its recorded word is at most `reach`; with kNever nowhere.
static const ULong kNever = ~0ULL;
static void meets_no_line(const PrivateCaches* p, Footprint* f, UInt k, ULong reach) {
  f->base[k] = 0;
  f->reach[k] = reach;
  f->slot[2 * k] = f->slot[2 * k + 1] = idle_slot(&p->l1);
}

// The other lines of an access that spans several.
static void replay_rest_of_site(PrivateCaches* p, Ledger ledger, Footprint* f, UInt k, ULong first, ULong last) {
  const Site* site = &f->sites[k];
  for (ULong line = first + 1; line <= last; line++) f->slot[2 * k + 1] = reference_l1(p, ledger, line, site->flags);
  f->base[k] = (last << line_shift_) - site->bytes + 1;
  f->reach[k] = site->bytes <= line_bytes_ ? site->bytes - 2u : kNever;
}

static inline void replay_site(PrivateCaches* p, Ledger ledger, Footprint* f, UInt k, ULong address) {
  const Site* site = &f->sites[k];
  ULong first = address >> line_shift_, last = (address + site->bytes - 1) >> line_shift_;
  UInt slot = reference_l1(p, ledger, first, site->flags);
  f->slot[2 * k] = f->slot[2 * k + 1] = slot;
  f->base[k] = first << line_shift_;
  f->reach[k] = line_bytes_ - site->bytes;
  if (UNLIKELY(first != last)) replay_rest_of_site(p, ledger, f, k, first, last);
}

static void replay_unusual_site(PrivateCaches* p, Ledger ledger, Footprint* f, UInt k, ULong address) {
  const Site* site = &f->sites[k];
  if (site->flags & kSiteInstruction) {
    meets_no_line(p, f, k, 1);
  } else if (address == 0 && (site->flags & kSiteGuarded)) {
    meets_no_line(p, f, k, 0);
  } else if (site->flags & kSiteNonTemporal) {
    store_non_temporal(p, ledger, address, site->bytes);
    meets_no_line(p, f, k, kNever);
  } else {
    replay_site(p, ledger, f, k, address);
  }
}

static Bool holds(const Cache* c, UInt slot, ULong line, UInt write) {
  ULong tag;
  UInt first = locate(c, line, &tag);
  return slot - first < c->ways && tag_in(c, slot) == tag && (!write || is_dirty(c, slot));
}

// Whether every line that the footprint met is still where it was met; marks them anew.
static Bool still_holds(PrivateCaches* p, const Footprint* f, const ULong* addresses) {
  for (UInt k = 0; k < f->n_sites; k++) {
    const Site* site = &f->sites[k];
    if (f->slot[2 * k] == idle_slot(&p->l1)) continue;
    if (!holds(&p->l1, f->slot[2 * k], addresses[k] >> line_shift_, site->flags & kSiteWrite)) return False;
    if (!holds(&p->l1, f->slot[2 * k + 1], (addresses[k] + site->bytes - 1) >> line_shift_, site->flags & kSiteWrite)) return False;
    p->mark[f->slot[2 * k]] = p->mark[f->slot[2 * k + 1]] = caches_epoch;
  }
  return True;
}

// Whether site k met the same lines last time, and they are where they were.
static inline Bool is_met_again(const Footprint* f, UInt k, ULong address) {
  return address - f->base[k] <= f->reach[k] && f->reach[k] != kNever;
}

// Moves a site to the one line of L1 where it is now, leaving its time to be written; False if it is not so simple.
static inline Bool move_site(PrivateCaches* p, Footprint* f, UInt k, ULong address) {
  const Site* site = &f->sites[k];
  ULong line = address >> line_shift_;
  if ((site->flags & ~(kSiteWrite | kSiteReadFirst)) || (address + site->bytes - 1) >> line_shift_ != line) return False;
  ULong tag;
  UInt first = locate(&p->l1, line, &tag), slot = find_in_l1(p, first, tag);
  if (slot == kNoSlot) return False;
  if (f->pending) write_times_of_site(p, f, k, f->last_use);
  *stamp_of(&p->l1, slot) |= site->flags & kSiteWrite;
  p->mark[slot] = caches_epoch;
  f->slot[2 * k] = f->slot[2 * k + 1] = slot;
  f->base[k] = line << line_shift_;
  f->reach[k] = line_bytes_ - site->bytes;
  return True;
}

// Replays an execution while everything is in L1: answers how many sites it has done, leaving their times to be written like those of a
// skipped execution when all were, having written them when not.
static UInt replay_within_l1(PrivateCaches* p, Footprint* f, const ULong* addresses) {
  UInt start = p->l1.now, k = 0;
  while (k < f->n_sites && (is_met_again(f, k, addresses[k]) || move_site(p, f, k, addresses[k]))) k++;
  p->l1.now += 2 * f->n_sites;
  if (k == f->n_sites) {
    f->last_use = start;
    if (!f->pending) caches_put_off(p, f);
    return k;
  }
  for (UInt later = k; f->pending && later < f->n_sites; later++) write_times_of_site(p, f, later, f->last_use);
  for (UInt done = 0; done < k; done++) write_times_of_site(p, f, done, start);
  f->pending = False;
  return k;
}

static inline void touch_site(PrivateCaches* p, const Footprint* f, UInt k) {
  cache_touch(&p->l1, f->slot[2 * k], 0);  // dirty already, if it is a store's
  if (f->slot[2 * k + 1] != f->slot[2 * k]) cache_touch(&p->l1, f->slot[2 * k + 1], 0);
}

static void replay_rest(PrivateCaches* p, Ledger ledger, Footprint* f, UInt k, const ULong* addresses) {
  ULong entered = caches_epoch, misses = p->misses;
  for (; k < f->n_sites; k++) {
    if (UNLIKELY(f->sites[k].flags & ~(kSiteWrite | kSiteReadFirst)))
      replay_unusual_site(p, ledger, f, k, addresses[k]);
    else if (f->epoch == caches_epoch && is_met_again(f, k, addresses[k]))
      touch_site(p, f, k);
    else
      replay_site(p, ledger, f, k, addresses[k]);
  }
  f->missed = p->misses != misses;
  f->epoch = caches_epoch == entered || still_holds(p, f, addresses) ? caches_epoch : 0;
}

void caches_replay_slowly(PrivateCaches* p, Ledger ledger, Footprint* f, const ULong* addresses) {
  UInt k = 0;
  if (f->epoch == caches_epoch && !f->missed)
    k = replay_within_l1(p, f, addresses);
  else if (f->pending)
    settle(p, f);
  if (k < f->n_sites) replay_rest(p, ledger, f, k, addresses);
}

// ------------------------------------------------------------------------------------------------------------------ as a whole

void caches_configure(const CacheGeometry geometry[3], UInt prefetchers) {
  for (UInt level = 0; level < 3; level++) geometry_[level] = geometry[level];
  prefetchers_ = prefetchers;
  line_bytes_ = geometry[0].line_bytes;
  for (line_shift_ = 0; (1ULL << line_shift_) < line_bytes_; line_shift_++) continue;
  cache_make(&l3_, &geometry[2]);
}

static Bool counts_reuse_;

void caches_configure_reuse(UInt line_bytes, ReuseCode (*code_of)(const ULong*)) {
  const CacheGeometry filter = {(ULong)kFilterLines * line_bytes, kFilterLines, line_bytes}, none = {line_bytes, 1, line_bytes};
  const CacheGeometry geometry[3] = {filter, none, none};
  caches_configure(geometry, 0);
  counts_reuse_ = True;
  code_of_ = code_of;
}

const ReuseCounts* caches_reuse(PrivateCaches* p) { return p->reuse == NULL ? NULL : reuse_counts(p->reuse, p->filter.n_held); }

void caches_forget_reuse(PrivateCaches* p) {
  if (p->reuse != NULL) reuse_forget_counts(p->reuse);
}

PrivateCaches* caches_new_private(void) {
  PrivateCaches* p = VG_(calloc)("plumbline.caches.private", 1, sizeof *p);
  cache_make(&p->l1, &geometry_[0]);
  cache_make(&p->l2, &geometry_[1]);
  if (counts_reuse_) p->reuse = reuse_new();
  filter_empty(&p->filter);
  p->mark = VG_(calloc)("plumbline.caches.mark", n_cells(&p->l1) + 1, sizeof p->mark[0]);
  return p;
}

void caches_empty_private(PrivateCaches* p) {
  caches_settle(p);
  cache_empty(&p->l1);
  cache_empty(&p->l2);
  if (p->reuse != NULL) reuse_empty(p->reuse);
  filter_empty(&p->filter);
  VG_(memset)(p->stream, 0, sizeof p->stream);
  caches_epoch++;
}

void caches_empty_shared(void) { cache_empty(&l3_); }

void caches_resize_shared(const CacheGeometry* geometry) {
  geometry_[2] = *geometry;
  cache_free(&l3_);
  cache_make(&l3_, geometry);
}

// The set's least recently used dirty line's slot, or kNoSlot.
static UInt oldest_dirty(const Cache* c, UInt first) {
  UInt oldest = kNoSlot;
  for (UInt slot = first; slot < first + c->ways; slot++)
    if (is_dirty(c, slot) && (oldest == kNoSlot || *stamp_of(c, slot) < *stamp_of(c, oldest))) oldest = slot;
  return oldest;
}

// Writes every dirty line back across the boundary below the cache, set by set, in order of last use.
static void clean(PrivateCaches* p, Cache* c, Ledger ledger, Boundary boundary) {
  for (ULong set = cache_next_filled(c, 0); set < c->sets; set = cache_next_filled(c, set + 1))
    for (UInt slot; (slot = oldest_dirty(c, (UInt)(set * c->stride * 2))) != kNoSlot;) {
      ULong line = line_in(c, slot, set, 1);  // line number `set` is the set's first
      *stamp_of(c, slot) &= ~1u;
      count(ledger, boundary, kWriteBack);
      if (boundary == kL1L2) reference_l2(p, ledger, line, kWriteBack);
      if (boundary == kL2L3) reference_l3(ledger, line, kWriteBack);
    }
}

static void write_back_reuse(PrivateCaches* p) {
  for (UInt slot = 0; slot < p->l1.ways; slot++) {
    if (!is_dirty(&p->l1, slot)) continue;
    *stamp_of(&p->l1, slot) &= ~1u;
    reuse_write_above(p->reuse, tag_in(&p->l1, slot) - 1, p->filter.held[slot].brought_by);
  }
  reuse_write_back(p->reuse);
  caches_epoch++;
}

void caches_write_back_private(PrivateCaches* p, ULong* counts) {
  Ledger ledger = {counts, NULL};
  caches_settle(p);
  if (p->reuse != NULL) {
    write_back_reuse(p);
    return;
  }
  clean(p, &p->l1, ledger, kL1L2);
  clean(p, &p->l2, ledger, kL2L3);
  caches_epoch++;
}

void caches_write_back_shared(ULong* counts) { clean(NULL, &l3_, (Ledger){counts, NULL}, kL3Mem); }
