// SPDX-License-Identifier: GPL-2.0-or-later
//
// The simulated cache has three levels: an L1 and an L2 for each thread, one L3 for all. It is write-back, write-allocate, exact LRU,
// neither inclusive nor exclusive, without coherence between threads' private levels, by virtual addresses, and prefetches only on request.
#ifndef PLUMBLINE_CACHES_H
#define PLUMBLINE_CACHES_H

#include <emmintrin.h>

#include "cache_geometry.h"
#include "pub_tool_basics.h"
#include "reuse.h"

enum {
  kPrefetchL1Next = 1,      // a miss in L1 also fetches the next line into L1, within the page
  kPrefetchL2Adjacent = 2,  // a miss in L2 also fetches the other line of its aligned pair into L2
  kPrefetchL2Stream = 4     // L1 misses that walk through a page fetch two lines ahead into L2
};

// A memory operand of the code.
typedef struct {
  UShort bytes;
  UChar flags;
} Site;

enum {
  kSiteWrite = 1,
  kSiteNonTemporal = 2,
  kSiteGuarded = 4,       // happened only if the recorded address is not 0; then count its bytes
  kSiteCountsAccess = 8,  // with kSiteGuarded: count the access too
  kSiteInstruction = 16,  // no memory operand: a guard that counts an instruction
  kSiteReadFirst = 32     // with kSiteWrite: a load and, next, a store to the same bytes
};

typedef struct PrivateCaches PrivateCaches;  // begins with the clock of L1

// The places where traffic is added, by event: the thread's counts and, where functions are told apart, those of the piece of code.
typedef struct {
  ULong* thread;
  ULong* code;  // or NULL
} Ledger;

// A piece of code that makes the same n accesses whenever it runs, and what is known of the lines that it met last time. While the
// lines are the same and no line has left L1, running it again changes nothing but the times of last use: those are written
// before they are next needed.
typedef struct Footprint {
  UInt n_sites;
  UInt last_use;  // the clock before the last execution that was skipped
  ULong epoch;    // when this is caches_epoch, every line below is in L1, and dirty where it is written
  Bool pending;   // last_use is to be written
  Bool missed;    // some line was not in L1 when it last met other lines: it is likely to be so again
  ULong* base;    // site k met the same lines if its address - base[k] <= reach[k]
  ULong* reach;
  UInt* slot;  // where in L1 its lines lie: 2k the first, 2k+1 the last (the same one, mostly)
  Site* sites;
} Footprint;

// Bytes to be placed behind a structure for a footprint of n sites, and their use.
SizeT footprint_bytes(UInt n_sites);
void footprint_make(Footprint* f, void* place, const Site* sites, UInt n_sites);

void caches_configure(const CacheGeometry geometry[3], UInt prefetchers);
// In place of three levels each thread has one small cache, and below it the distances of reuse are counted: caches_reuse. `code_of` tells
// whose they are besides, by the counts of the ledger's code; NULL: of no code in particular.
void caches_configure_reuse(UInt line_bytes, ReuseCode (*code_of)(const ULong* code_counts));
PrivateCaches* caches_new_private(void);
void caches_empty_private(PrivateCaches* caches);
void caches_empty_shared(void);
void caches_resize_shared(const CacheGeometry* geometry);              // empties it, too
void caches_write_back_private(PrivateCaches* caches, ULong* counts);  // every dirty line, to memory; they stay, clean
void caches_write_back_shared(ULong* counts);

const ReuseCounts* caches_reuse(PrivateCaches* caches);  // NULL where three levels are simulated
void caches_forget_reuse(PrivateCaches* caches);         // its counts

// Must be called before another thread's caches are used, and before a footprint is freed.
void caches_settle(PrivateCaches* caches);

extern ULong caches_epoch;

void caches_replay_slowly(PrivateCaches* caches, Ledger ledger, Footprint* f, const ULong* addresses);
void caches_put_off(PrivateCaches* caches, Footprint* f);

// Must be called once before some ten thousand accesses.
void caches_begin_replay(PrivateCaches* caches);

static inline UInt* caches_clock(PrivateCaches* caches) { return (UInt*)caches; }

static inline Bool footprint_is_met_again(const Footprint* f, const ULong* addresses) {
  if (f->epoch != caches_epoch) return False;
  UInt k = 0;
  __m128i outside = _mm_setzero_si128();  // its highest bits
  for (; k + 2 <= f->n_sites; k += 2) {
    __m128i base = _mm_loadu_si128((const __m128i*)(f->base + k)), reach = _mm_loadu_si128((const __m128i*)(f->reach + k));
    __m128i distance = _mm_sub_epi64(_mm_loadu_si128((const __m128i*)(addresses + k)), base);
    outside = _mm_or_si128(outside, _mm_or_si128(distance, _mm_sub_epi64(reach, distance)));
  }
  if (k < f->n_sites) {
    ULong distance = addresses[k] - f->base[k];
    outside = _mm_or_si128(outside, _mm_cvtsi64_si128((Long)(distance | (f->reach[k] - distance))));
  }
  return _mm_movemask_pd(_mm_castsi128_pd(outside)) == 0;
}

// Simulates the footprint's accesses in order and adds the traffic they cause to the ledger. Inline, as this is where the time goes.
static inline void caches_replay(PrivateCaches* caches, Ledger ledger, Footprint* f, const ULong* addresses) {
  if (UNLIKELY(!footprint_is_met_again(f, addresses))) {
    caches_replay_slowly(caches, ledger, f, addresses);
    return;
  }
  UInt* clock = caches_clock(caches);
  f->last_use = *clock;
  *clock += 2 * f->n_sites;
  if (!f->pending) caches_put_off(caches, f);
}

#endif
