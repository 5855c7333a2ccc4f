// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread's lines are kept in order of last use, below a small cache that takes most accesses (the filter). How many other lines were used
// since a line was used last, its reuse distance, decides whether a fully associative cache of any size with least-recently-used
// replacement still has it: one run tells the traffic of all (Mattson, Gecsei, Slutz, Traiger 1970). So does the largest distance that a
// line came back from since it was written tell from which of them it was written back (Thompson, Smith 1989).
#ifndef PLUMBLINE_REUSE_H
#define PLUMBLINE_REUSE_H

#include "pub_tool_basics.h"

// A distance is put into one of 32 buckets an octave, those below 64 lines into one of their own; the last bucket is of what was never
// there.
enum { kReuseOctaveBits = 5, kReuseOctave = 1 << kReuseOctaveBits, kReuseLongestBits = 23 };
enum { kReuseBuckets = (kReuseLongestBits - kReuseOctaveBits + 1) * kReuseOctave, kReuseNever = kReuseBuckets };
enum { kReuseScales = 3 };

typedef struct {
  ULong read[kReuseBuckets + 1];          // lines that a load fetched, by distance: into caches of at most so many lines
  ULong write[kReuseBuckets + 1];         // lines that a store fetched
  ULong written_from[kReuseBuckets + 1];  // lines written back from caches of more lines than this ...
  ULong written_to[kReuseBuckets + 1];    // ... but not from those of more than this
  // How unevenly lines fall into the sets of a cache of 64, 1024 and 16384 sets: of each window of as many fetches over at least that
  // distance, so that no line comes twice, the sum of the squares of how many fell into each set. Divided by the fetches it is 1 for lines
  // one after the other, 2 for lines at random, and the more, the fewer sets they meet.
  ULong crowding[kReuseScales];
} ReuseCounts;

typedef struct ReuseStack ReuseStack;

// A code is a function, say, whose counts are told apart from those of others, summed over all stacks: of a fetch it is who fetched, of a
// write-back who had brought the line into the filter in which it was written. 0 is none.
typedef UShort ReuseCode;
ReuseCode reuse_new_code(void);  // 0 where there are 65535 already
void reuse_counts_of_code(ReuseCode code, ReuseCounts* counts);
void reuse_forget_codes(void);  // their counts

ReuseStack* reuse_new(void);
ULong reuse_bucket_begins(UInt bucket);  // the least distance in it, lines
static inline UInt reuse_sets(UInt scale) { return 64u << 4 * scale; }

// A stack's knowledge of a line stays in its place while the line is in the filter.
typedef struct ReuseLine ReuseLine;

// A line comes into the filter, which holds `above` lines.
ReuseLine* reuse_fetch(ReuseStack* stack, ULong line, Bool write, UInt above, ReuseCode by);
// The line used longest ago leaves the filter, written there or not; `by` brought it there.
void reuse_sink(ReuseStack* stack, ReuseLine* known, ULong line, Bool written, ReuseCode by);
// A store goes past all caches: the line is in none of them any more. Written: in the filter, which it has left already.
void reuse_drop(ReuseStack* stack, ULong line, Bool written, ReuseCode by);
// A line is written in the filter, and stays there.
void reuse_write_above(ReuseStack* stack, ULong line, ReuseCode by);
// Every line that was written becomes clean, and is counted as written back from each cache in which it was not clean. Those of the filter
// were told before (reuse_write_above).
void reuse_write_back(ReuseStack* stack);
void reuse_empty(ReuseStack* stack);
void reuse_forget_counts(ReuseStack* stack);

// The counts so far. Lines that have sunk out of a cache are counted as written back at their next use, or here where so much was fetched
// since the last time that looking at all lines is worth it.
const ReuseCounts* reuse_counts(ReuseStack* stack, UInt above);

#endif
