// SPDX-License-Identifier: GPL-2.0-or-later
//
// Code is cut into segments, stretches that run from first to last instruction or not at all. A segment knows what one
// execution of it adds to each count. Code without anything to record adds 1 to the segment's cell; other code appends "this
// segment, with these addresses" to a buffer, which is replayed when it is full and whenever its thread stops running client
// code, so every record belongs to one thread.
#ifndef PLUMBLINE_SEGMENTS_H
#define PLUMBLINE_SEGMENTS_H

#include "caches.h"
#include "client_requests.h"
#include "core.h"
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

typedef struct {
  UInt event;
  Int amount;
} Increment;

typedef struct Segment {
  ULong* executions;  // since the last fold
  Footprint footprint;
  ULong* code_counts;  // of the piece of code that it is; NULL unless functions are told apart
  UInt n_increments;
  Bool dynamic;  // some site is guarded
  Increment* increments;
  Flow* flow;  // NULL unless a core is simulated
  struct Segment* next_of_block;
} Segment;

// A slot of Valgrind's thread table. When a thread ends and another takes its number, that one goes on with its counts and caches, as on a
// core.
typedef struct {
  PrivateCaches* caches;
  CoreState* core;
  ULong counts[PLUMBLINE_EVENT_COUNT];
} ThreadCounts;

// A record of the buffer is the segment's address, then one word for each of its sites. The buffer is small to stay in the host's L1.
enum { kBufferWords = 1536, kLargestBlockWords = 8192 };
extern ULong segments_buffer[kBufferWords + kLargestBlockWords];

void segments_start(Bool simulate_caches, Bool simulate_core, Bool counting);

// Copies what it is given. Segments of one translation are chained, newest first, and owned by it.
Segment* segment_new(const Site* sites, UInt n_sites, const Int amounts[PLUMBLINE_EVENT_COUNT], ULong* code_counts, Flow* flow,
                     Segment* next_of_block);
void segments_own(Addr entry, Addr base, Segment* chain);
void segments_discard(Addr entry, VexGuestExtents extents);

// The offset in the guest state of a thread's place in the buffer: the shadow of a register, which the tool does not use otherwise.
enum { kShadowOffset = 16 };
void segments_thread_starts(ThreadId tid, ULong blocks);
void segments_thread_stops(ThreadId tid, ULong blocks);
void segments_replay(const ULong* end);

void segments_set_counting(Bool on);
// Whether counting was ever on. Code that was translated before is translated anew when it goes on for the first time.
Bool segments_have_counted(void);
void segments_empty_caches(void);
void segments_write_caches_back(void);
void segments_forget_counts(void);  // a forked child starts at zero, with empty caches

const ThreadCounts* segments_thread(ThreadId tid);  // up to date; NULL for a thread that never ran
void segments_total(ULong total[PLUMBLINE_EVENT_COUNT]);

#endif
