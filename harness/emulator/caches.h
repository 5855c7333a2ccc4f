// SPDX-License-Identifier: GPL-2.0-or-later
//
// Three levels of simulated cache: an L1 and an L2 for each thread, one L3 for all. Write-back, write-allocate, exact LRU,
// neither inclusive nor exclusive, no prefetching, no coherence between threads' private levels, virtual addresses.
#ifndef PLUMBLINE_CACHES_H
#define PLUMBLINE_CACHES_H

#include "pub_tool_basics.h"

typedef struct {
  ULong size_bytes;
  UInt ways;
  UInt line_bytes;
} CacheGeometry;

// One memory operand of the code. `slot` predicts where in L1 its line lies; a wrong guess costs time, never exactness.
typedef struct {
  UShort bytes;
  UChar flags;
  UInt slot;
} Site;

enum {
  kSiteWrite = 1,
  kSiteNonTemporal = 2,
  kSiteGuarded = 4,       // happened only if the recorded address is not 0; then count its bytes
  kSiteCountsAccess = 8,  // with kSiteGuarded: count the access too
  kSiteInstruction = 16   // no memory operand: a guard that counts an instruction
};

// Lines are named by address / line_bytes. A slot is set * ways + way.
typedef struct {
  UInt ways;
  ULong sets;
  ULong mask;  // sets - 1 when that is a power of two, else 0
  ULong* line;
  ULong* used;  // time of the last use; the smallest of a set is the least recently used
  UChar* dirty;
  ULong now;
} Cache;

typedef struct {
  Cache l1, l2;
} PrivateCaches;

void caches_configure(const CacheGeometry geometry[3]);
PrivateCaches* caches_new_private(void);
void caches_empty_private(PrivateCaches* caches);
void caches_empty_shared(void);

// Set by caches_configure.
extern UInt caches_line_shift;

// Any access, found by search; answers the slot of L1 to predict next time.
UInt caches_replay_slowly(PrivateCaches* caches, ULong* counts, const Site* site, ULong address);

// Simulates n accesses in order and adds the traffic they cause to counts (indexed by event). Inline, as this is where the time goes.
static inline void caches_replay(PrivateCaches* caches, ULong* counts, Site* sites, const ULong* addresses, UInt n) {
  Cache* l1 = &caches->l1;
  const UInt shift = caches_line_shift;
  for (UInt k = 0; k < n; k++) {
    Site* site = &sites[k];
    const ULong address = addresses[k], line = address >> shift;
    const UInt slot = site->slot;
    // Flags other than kSiteWrite belong to accesses that need a closer look.
    if (LIKELY(l1->line[slot] == line && (address + site->bytes - 1) >> shift == line && site->flags <= kSiteWrite)) {
      l1->used[slot] = ++l1->now;
      if (site->flags) l1->dirty[slot] = 1;
    } else {
      site->slot = caches_replay_slowly(caches, counts, site, address);
    }
  }
}

#endif
