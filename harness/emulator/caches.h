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

typedef struct PrivateCaches PrivateCaches;

void caches_configure(const CacheGeometry geometry[3]);
PrivateCaches* caches_new_private(void);
void caches_empty_private(PrivateCaches* caches);
void caches_empty_shared(void);

// Simulates n accesses in order and adds the traffic they cause to counts (indexed by event).
void caches_replay(PrivateCaches* caches, ULong* counts, Site* sites, const ULong* addresses, UInt n);

#endif
