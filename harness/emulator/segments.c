// SPDX-License-Identifier: GPL-2.0-or-later
#include "segments.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

ULong segments_buffer[kBufferWords + kLargestBlockWords];

static Bool simulate_caches_;
static Bool counting_;

static ThreadCounts** threads_;  // by thread id
static ThreadCounts* current_;   // whom the active segments' executions belong to
static ThreadId current_id_;

static Segment** active_;  // segments with executions not yet folded
static UInt n_active_, active_capacity_;

static VgHashTable* blocks_;

typedef struct BlockNode {
  struct BlockNode* next;
  UWord entry;
  Addr base;
  Segment* chain;
} BlockNode;

void segments_start(Bool simulate_caches, Bool counting) {
  simulate_caches_ = simulate_caches;
  counting_ = counting;
  threads_ = VG_(calloc)("plumbline.threads", VG_N_THREADS, sizeof threads_[0]);
  blocks_ = VG_(HT_construct)("plumbline.blocks");
  active_capacity_ = 1024;
  active_ = VG_(malloc)("plumbline.active", active_capacity_ * sizeof active_[0]);
}

// ------------------------------------------------------------------------------------------------------- owning of segments

Segment* segment_new(const Site* sites, UInt n_sites, const Int amounts[PLUMBLINE_EVENT_COUNT], Segment* next_of_block) {
  UInt n_increments = 0;
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) n_increments += amounts[e] != 0;
  Segment* s = VG_(malloc)("plumbline.segment", sizeof *s + n_increments * sizeof(Increment) + n_sites * sizeof(Site));
  s->executions = 0;
  s->n_sites = n_sites;
  s->n_increments = 0;
  s->dynamic = False;
  s->next_of_block = next_of_block;
  s->increments = (Increment*)(s + 1);
  s->sites = (Site*)(s->increments + n_increments);
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++)
    if (amounts[e] != 0) s->increments[s->n_increments++] = (Increment){e, amounts[e]};
  for (UInt k = 0; k < n_sites; k++) {
    s->sites[k] = sites[k];
    s->dynamic |= (sites[k].flags & kSiteGuarded) != 0;
  }
  return s;
}

void segments_own(Addr entry, Addr base, Segment* chain) {
  BlockNode* node = VG_(malloc)("plumbline.block", sizeof *node);
  node->entry = entry;
  node->base = base;
  node->chain = chain;
  VG_(HT_add_node)(blocks_, node);
}

static void fold(void);

static Word same_block(const void* a, const void* b) { return ((const BlockNode*)a)->base != ((const BlockNode*)b)->base; }

// Client code is stopped, so no record of the buffer names these segments any more; their executions are folded first.
// A redirected and an unredirected translation may share their entry; the base tells them apart.
void segments_discard(Addr entry, VexGuestExtents extents) {
  BlockNode wanted = {NULL, entry, extents.base[0], NULL};
  BlockNode* node = VG_(HT_gen_remove)(blocks_, &wanted, same_block);
  if (node == NULL) return;
  fold();
  for (Segment *s = node->chain, *next; s != NULL; s = next) {
    next = s->next_of_block;
    VG_(free)(s);
  }
  VG_(free)(node);
}

// ---------------------------------------------------------------------------------------------------------------- replaying

static void fold(void) {
  for (UInt i = 0; i < n_active_; i++) {
    Segment* s = active_[i];
    for (UInt k = 0; k < s->n_increments; k++)
      current_->counts[s->increments[k].event] += s->executions * (ULong)(Long)s->increments[k].amount;
    s->executions = 0;
  }
  n_active_ = 0;
}

static __attribute__((noinline)) void activate(Segment* s) {
  if (n_active_ == active_capacity_) {
    active_capacity_ *= 2;
    active_ = VG_(realloc)("plumbline.active", active_, active_capacity_ * sizeof active_[0]);
  }
  active_[n_active_++] = s;
}

static void count_guarded_sites(const Segment* s, const ULong* addresses) {
  ULong* counts = current_->counts;
  for (UInt k = 0; k < s->n_sites; k++) {
    const Site* site = &s->sites[k];
    if (!(site->flags & kSiteGuarded) || addresses[k] == 0) continue;
    Bool write = site->flags & kSiteWrite;
    if (site->flags & kSiteInstruction) {
      counts[PLUMBLINE_EVENT_instructions]++;
      continue;
    }
    if (site->flags & kSiteCountsAccess) counts[write ? PLUMBLINE_EVENT_stores : PLUMBLINE_EVENT_loads]++;
    counts[!write                             ? PLUMBLINE_EVENT_reg_l1_load
           : (site->flags & kSiteNonTemporal) ? PLUMBLINE_EVENT_reg_l1_nt_store
                                              : PLUMBLINE_EVENT_reg_l1_store] += site->bytes;
  }
}

void segments_replay(const ULong* end) {
  if (!counting_) return;
  for (const ULong* p = segments_buffer; p < end;) {
    Segment* s = (Segment*)(Addr)*p++;
    if (s->executions++ == 0) activate(s);
    if (s->n_sites == 0) continue;
    if (UNLIKELY(s->dynamic)) count_guarded_sites(s, p);
    if (simulate_caches_) caches_replay(current_->caches, current_->counts, s->sites, p, s->n_sites);
    p += s->n_sites;
  }
}

// ------------------------------------------------------------------------------------------------------------------ threads

static ThreadCounts* thread_of(ThreadId tid) {
  if (threads_[tid] == NULL) {
    threads_[tid] = VG_(calloc)("plumbline.thread", 1, sizeof *threads_[tid]);
    if (simulate_caches_) threads_[tid]->caches = caches_new_private();
  }
  return threads_[tid];
}

// The pointer is set at every start: a new thread inherits its parent's shadow registers, and a signal frame restores old ones.
void segments_thread_starts(ThreadId tid, ULong blocks) {
  ULong begin = (ULong)(Addr)segments_buffer;
  if (tid != current_id_) {
    fold();
    current_ = thread_of(tid);
    current_id_ = tid;
  }
  VG_(set_shadow_regs_area)(tid, 1, kShadowOffset, sizeof begin, (const UChar*)&begin);
}

void segments_thread_stops(ThreadId tid, ULong blocks) {
  ULong begin = (ULong)(Addr)segments_buffer, end = begin;
  VG_(get_shadow_regs_area)(tid, (UChar*)&end, 1, kShadowOffset, sizeof end);
  segments_replay((const ULong*)(Addr)end);
  VG_(set_shadow_regs_area)(tid, 1, kShadowOffset, sizeof begin, (const UChar*)&begin);
}

// ----------------------------------------------------------------------------------------------------------------- requests

void segments_set_counting(Bool on) { counting_ = on; }

void segments_empty_caches(void) {
  if (!simulate_caches_) return;
  for (UInt tid = 0; tid < VG_N_THREADS; tid++)
    if (threads_[tid] != NULL) caches_empty_private(threads_[tid]->caches);
  caches_empty_shared();
}

const ThreadCounts* segments_thread(ThreadId tid) {
  fold();
  return threads_[tid];
}

void segments_total(ULong total[PLUMBLINE_EVENT_COUNT]) {
  fold();
  VG_(memset)(total, 0, PLUMBLINE_EVENT_COUNT * sizeof total[0]);
  for (UInt tid = 0; tid < VG_N_THREADS; tid++)
    for (UInt e = 0; threads_[tid] != NULL && e < PLUMBLINE_EVENT_COUNT; e++) total[e] += threads_[tid]->counts[e];
}
