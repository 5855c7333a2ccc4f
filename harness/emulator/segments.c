// SPDX-License-Identifier: GPL-2.0-or-later
#include "segments.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_transtab.h"

ULong segments_buffer[kBufferWords + kLargestBlockWords];

static Bool simulate_caches_;
static Bool simulate_core_;
static Bool counting_, has_counted_;

static ThreadCounts** threads_;  // by thread id
static ThreadCounts* current_;   // whom the executions in the cells belong to
static ThreadId current_id_;

// The segments' cells lie close together, as all of them are read at every fold.
enum { kCellsOfPage = 4096 };
typedef struct CellPage {
  ULong executions[kCellsOfPage];
  Segment* segment[kCellsOfPage];  // a free cell has none
  struct CellPage* next;
} CellPage;
static CellPage* first_page_;
static UInt cells_of_first_page_ = kCellsOfPage;  // handed out so far; all other pages are full
static ULong** free_cells_;
static UInt n_free_cells_, free_cells_capacity_;

static VgHashTable* blocks_;

typedef struct BlockNode {
  struct BlockNode* next;
  UWord entry;
  Addr base;
  Segment* chain;
} BlockNode;

void segments_start(Bool simulate_caches, Bool simulate_core, Bool counting) {
  simulate_caches_ = simulate_caches;
  simulate_core_ = simulate_core;
  counting_ = has_counted_ = counting;
  threads_ = VG_(calloc)("plumbline.threads", VG_N_THREADS, sizeof threads_[0]);
  blocks_ = VG_(HT_construct)("plumbline.blocks");
}

// ----------------------------------------------------------------------------------------------------------------- the cells

static ULong* take_cell(void) {
  if (n_free_cells_ > 0) return free_cells_[--n_free_cells_];
  if (cells_of_first_page_ == kCellsOfPage) {
    CellPage* page = VG_(calloc)("plumbline.cells", 1, sizeof *page);
    page->next = first_page_;
    first_page_ = page;
    cells_of_first_page_ = 0;
  }
  return &first_page_->executions[cells_of_first_page_++];
}

static Segment** owner_of(ULong* cell) {
  for (CellPage* page = first_page_;; page = page->next)
    if (cell >= page->executions && cell < page->executions + kCellsOfPage) return &page->segment[cell - page->executions];
}

static void give_cell_back(ULong* cell) {
  if (n_free_cells_ == free_cells_capacity_) {
    free_cells_capacity_ = free_cells_capacity_ ? 2 * free_cells_capacity_ : kCellsOfPage;
    free_cells_ = VG_(realloc)("plumbline.free_cells", free_cells_, free_cells_capacity_ * sizeof free_cells_[0]);
  }
  *owner_of(cell) = NULL;
  free_cells_[n_free_cells_++] = cell;
}

static void add_executions(const Segment* s, ULong executions) {
  for (UInt k = 0; k < s->n_increments; k++) {
    ULong amount = executions * (ULong)(Long)s->increments[k].amount;
    current_->counts[s->increments[k].event] += amount;
    if (s->code_counts != NULL) s->code_counts[s->increments[k].event] += amount;
  }
}

static void fold_line(ULong* executions, Segment* const* segment) {
  for (UInt k = 0; k < 8; k++) {
    if (executions[k] == 0) continue;
    if (counting_) add_executions(segment[k], executions[k]);
    executions[k] = 0;
  }
}

// Brings the counts of the current thread up to date. What ran while counting was off is forgotten.
static void fold(void) {
  for (CellPage* page = first_page_; page != NULL; page = page->next) {
    UInt used = page == first_page_ ? cells_of_first_page_ : kCellsOfPage;
    for (UInt k = 0; k < used; k += 8) {
      ULong* e = page->executions + k;
      if (e[0] | e[1] | e[2] | e[3] | e[4] | e[5] | e[6] | e[7]) fold_line(e, page->segment + k);
    }
  }
}

// ------------------------------------------------------------------------------------------------------- owning of segments

Segment* segment_new(const Site* sites, UInt n_sites, const Int amounts[PLUMBLINE_EVENT_COUNT], ULong* code_counts, Flow* flow,
                     Segment* next_of_block) {
  UInt n_increments = 0;
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) n_increments += amounts[e] != 0;
  Segment* s = VG_(malloc)("plumbline.segment", sizeof *s + footprint_bytes(n_sites) + n_increments * sizeof(Increment));
  footprint_make(&s->footprint, s + 1, sites, n_sites);
  s->executions = take_cell();
  *owner_of(s->executions) = s;
  s->code_counts = code_counts;
  s->flow = flow;
  s->next_of_block = next_of_block;
  s->increments = (Increment*)((UChar*)(s + 1) + footprint_bytes(n_sites));
  s->n_increments = 0;
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++)
    if (amounts[e] != 0) s->increments[s->n_increments++] = (Increment){e, amounts[e]};
  s->dynamic = False;
  for (UInt k = 0; k < n_sites; k++) s->dynamic |= (sites[k].flags & kSiteGuarded) != 0;
  return s;
}

void segments_own(Addr entry, Addr base, Segment* chain) {
  BlockNode* node = VG_(malloc)("plumbline.block", sizeof *node);
  node->entry = entry;
  node->base = base;
  node->chain = chain;
  VG_(HT_add_node)(blocks_, node);
}

static void forget_flow(Flow* flow) {
  for (UInt tid = 0; tid < VG_N_THREADS; tid++)
    if (threads_[tid] != NULL) core_forget(threads_[tid]->core, flow);
  VG_(free)(flow);
}

static Word same_block(const void* a, const void* b) { return ((const BlockNode*)a)->base != ((const BlockNode*)b)->base; }

// Client code is stopped, so no record of the buffer names these segments any more; their executions are folded first.
// A redirected and an unredirected translation may share their entry; the base tells them apart.
void segments_discard(Addr entry, VexGuestExtents extents) {
  BlockNode wanted = {NULL, entry, extents.base[0], NULL};
  BlockNode* node = VG_(HT_gen_remove)(blocks_, &wanted, same_block);
  if (node == NULL) return;
  fold();
  if (simulate_caches_) caches_settle(current_->caches);
  for (Segment *s = node->chain, *next; s != NULL; s = next) {
    next = s->next_of_block;
    give_cell_back(s->executions);
    if (s->flow != NULL) forget_flow(s->flow);
    VG_(free)(s);
  }
  VG_(free)(node);
}

// ---------------------------------------------------------------------------------------------------------------- replaying

static void add_count(const Segment* s, UInt event, ULong amount) {
  current_->counts[event] += amount;
  if (s->code_counts != NULL) s->code_counts[event] += amount;
}

static void count_guarded_sites(const Segment* s, const ULong* addresses) {
  for (UInt k = 0; k < s->footprint.n_sites; k++) {
    const Site* site = &s->footprint.sites[k];
    if (!(site->flags & kSiteGuarded) || addresses[k] == 0) continue;
    Bool write = site->flags & kSiteWrite;
    if (site->flags & kSiteInstruction) {
      add_count(s, PLUMBLINE_EVENT_instructions, 1);
      continue;
    }
    if (site->flags & kSiteCountsAccess) add_count(s, write ? PLUMBLINE_EVENT_stores : PLUMBLINE_EVENT_loads, 1);
    UInt bytes_event = !write                             ? PLUMBLINE_EVENT_reg_l1_load
                       : (site->flags & kSiteNonTemporal) ? PLUMBLINE_EVENT_reg_l1_nt_store
                                                          : PLUMBLINE_EVENT_reg_l1_store;
    add_count(s, bytes_event, site->bytes);
  }
}

void segments_replay(const ULong* end) {
  if (!counting_ || end == segments_buffer) return;
  PrivateCaches* caches = current_->caches;
  Ledger ledger = {current_->counts, NULL};
  if (simulate_caches_) caches_begin_replay(caches);
  for (const ULong* p = segments_buffer; p < end;) {
    Segment* s = (Segment*)(Addr)*p++;
    (*s->executions)++;
    if (UNLIKELY(s->dynamic)) count_guarded_sites(s, p);
    if (s->code_counts != NULL) ledger.code = s->code_counts;
    if (s->flow != NULL) add_count(s, PLUMBLINE_EVENT_core_cycles, core_run(current_->core, s->flow));
    if (simulate_caches_ && s->footprint.n_sites > 0) caches_replay(caches, ledger, &s->footprint, p);
    p += s->footprint.n_sites;
  }
}

// ------------------------------------------------------------------------------------------------------------------ threads

static ThreadCounts* thread_of(ThreadId tid) {
  if (threads_[tid] == NULL) {
    threads_[tid] = VG_(calloc)("plumbline.thread", 1, sizeof *threads_[tid]);
    if (simulate_caches_) threads_[tid]->caches = caches_new_private();
    if (simulate_core_) threads_[tid]->core = core_new_state();
  }
  return threads_[tid];
}

// The pointer is set at every start: a new thread inherits its parent's shadow registers, and a signal frame restores old ones.
void segments_thread_starts(ThreadId tid, ULong blocks) {
  ULong begin = (ULong)(Addr)segments_buffer;
  if (tid != current_id_) {
    fold();
    if (simulate_caches_ && current_ != NULL) caches_settle(current_->caches);
    caches_epoch++;  // what the footprints know is of the other thread's caches
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

Bool segments_have_counted(void) { return has_counted_; }

void segments_set_counting(Bool on) {
  fold();
  counting_ = on;
  if (!on || has_counted_) return;
  has_counted_ = True;
  VG_(discard_translations_safely)(0, ~(SizeT)0, "plumbline");
}

void segments_empty_caches(void) {
  if (!simulate_caches_) return;
  for (UInt tid = 0; tid < VG_N_THREADS; tid++)
    if (threads_[tid] != NULL) caches_empty_private(threads_[tid]->caches);
  caches_empty_shared();
}

// The caller's counts take the write-backs of the shared level.
void segments_write_caches_back(void) {
  if (!simulate_caches_ || !counting_) return;
  for (UInt tid = 0; tid < VG_N_THREADS; tid++)
    if (threads_[tid] != NULL) caches_write_back_private(threads_[tid]->caches, threads_[tid]->counts);
  caches_write_back_shared(current_->counts);
}

void segments_forget_counts(void) {
  fold();
  segments_empty_caches();
  for (UInt tid = 0; tid < VG_N_THREADS; tid++)
    if (threads_[tid] != NULL) {
      VG_(memset)(threads_[tid]->counts, 0, sizeof threads_[tid]->counts);
      if (simulate_caches_) caches_forget_reuse(threads_[tid]->caches);
    }
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
