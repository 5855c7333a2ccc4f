// SPDX-License-Identifier: GPL-2.0-or-later
//
// This is one set-associative cache with exact least-recently-used replacement. It knows lines, whether they are dirty, and when they were
// used.
#ifndef PLUMBLINE_CACHE_H
#define PLUMBLINE_CACHE_H

#include <emmintrin.h>

#include "cache_geometry.h"
#include "pub_tool_mallocfree.h"

// A set is `stride` tags, then as many stamps; stride is `ways` rounded up to whole vectors. A slot is the index of a tag. A tag is
// line / sets + 1, 0 for none; a stamp is twice the time of the last use, plus 1 if the line is dirty: the smallest of a set is
// the least recently used. The cells behind the ways are never found and never the oldest.
//
// A cell holds the lower 32 bits of its tag, which are the whole tag of every line that most programs touch. From the first line on
// whose tag is wider (memory mapped high: with 64 sets of 64-byte lines above 2^44) the upper halves lie beside the cells, and
// every search compares them, too.
typedef struct {
  UInt now;  // first, see caches_clock
  UInt ways, stride;
  ULong sets;
  UInt shift;  // log2(sets) when that is a power of two, else kNoShift
  UInt* cell;
  void* place;       // of the cells, as allocated
  ULong first_wide;  // tags below it are told by their lower halves alone: all narrow ones, none after the first wide one
  UInt* upper;       // of each slot's tag; NULL until then
  UChar* filled;     // of each stretch of cells: whether a line came into it since the cache was emptied
} Cache;

enum { kVector = 8, kNoShift = 64, kStretchShift = 12 };  // a stretch: 4096 cells
static const UInt kUnusedTag = 0xFFFFFFFFu, kUnusedStamp = 0x7FFFFFFF, kNoSlot = 0xFFFFFFFFu;

static inline ULong n_cells(const Cache* c) { return c->sets * c->stride * 2; }

static inline ULong n_stretches(const Cache* c) { return (n_cells(c) >> kStretchShift) + 1; }

// The first set from this one on that may hold a line; `sets` for none. Of large caches most stretches have none.
static inline ULong cache_next_filled(const Cache* c, ULong set) {
  const ULong cells_of_set = 2ull * c->stride;
  while (set < c->sets) {
    ULong first = set * cells_of_set >> kStretchShift, last = (set * cells_of_set + c->stride - 1) >> kStretchShift;
    if (c->filled[first] || c->filled[last]) break;
    ULong reaching_next = ((last + 1) << kStretchShift) / cells_of_set;
    set = reaching_next > set ? reaching_next : set + 1;
  }
  return set < c->sets ? set : c->sets;
}

static inline void cache_empty(Cache* c) {
  for (ULong set = cache_next_filled(c, 0); set < c->sets; set = cache_next_filled(c, set + 1)) {
    UInt *tag = c->cell + set * c->stride * 2, *stamp = tag + c->stride;
    for (UInt way = 0; way < c->stride; way++) {
      tag[way] = way < c->ways ? 0 : kUnusedTag;
      stamp[way] = way < c->ways ? 0 : kUnusedStamp;
    }
  }
  for (ULong k = 0; k < n_stretches(c); k++) c->filled[k] = 0;
  VG_(free)(c->upper);
  c->upper = NULL;
  c->first_wide = kUnusedTag;
  c->now = 0;
}

static inline void cache_make(Cache* c, const CacheGeometry* g) {
  c->ways = g->ways;
  c->stride = (g->ways + kVector - 1) / kVector * kVector;
  c->sets = g->size_bytes / g->line_bytes / g->ways;
  c->shift = 0;
  while (c->shift < kNoShift && (1ULL << c->shift) != c->sets) c->shift++;
  // The memory holds one pair of cells more, behind the sets: the slot of accesses that did not happen. It is aligned, so that a set of 8
  // is one line.
  c->place = VG_(malloc)("plumbline.caches", (n_cells(c) + 2 * c->stride) * sizeof(UInt) + 64);
  c->cell = (UInt*)(((Addr)c->place + 63) & ~(Addr)63);
  c->upper = NULL;
  c->filled = (UChar*)VG_(malloc)("plumbline.caches.filled", n_stretches(c));
  for (ULong k = 0; k < n_stretches(c); k++) c->filled[k] = 1;  // with what was in the memory
  cache_empty(c);
}

static inline void cache_free(Cache* c) {
  VG_(free)(c->place);
  VG_(free)(c->upper);
  VG_(free)(c->filled);
}

static inline UInt idle_slot(const Cache* c) { return (UInt)n_cells(c); }

// The first slot of the line's set, and its tag.
static inline UInt locate(const Cache* c, ULong line, ULong* tag) {
  ULong set, rest;
  if (LIKELY(c->shift != kNoShift)) {
    set = line & (c->sets - 1);
    rest = line >> c->shift;
  } else {
    set = line % c->sets;
    rest = line / c->sets;
  }
  *tag = rest + 1;
  return (UInt)set * c->stride * 2;
}

static inline ULong tag_in(const Cache* c, UInt slot) {
  return c->cell[slot] | (UNLIKELY(c->upper != NULL) ? (ULong)c->upper[slot] << 32 : 0);
}

// The line in a slot, told by another line of the same set.
static inline ULong line_in(const Cache* c, UInt slot, ULong fellow, ULong fellow_tag) {
  return fellow + (tag_in(c, slot) - fellow_tag) * c->sets;
}

static inline __attribute__((always_inline)) UInt find_in_set(const UInt* cells, UInt stride, UInt wanted) {
  const __m128i v = _mm_set1_epi32((int)wanted);
  for (UInt k = 0; k < stride; k += kVector) {
    const __m128i* four = (const __m128i*)(cells + k);
    __m128i low = _mm_cmpeq_epi32(_mm_load_si128(four), v), high = _mm_cmpeq_epi32(_mm_load_si128(four + 1), v);
    int hit = _mm_movemask_epi8(_mm_packs_epi32(low, high));  // two bits a cell
    if (hit) return k + (UInt)__builtin_ctz((unsigned)hit) / 2;
  }
  return kNoSlot;
}

// Several tags of a set may agree in their lower halves.
static __attribute__((noinline)) UInt cache_find_by_both_halves(const Cache* c, UInt first, ULong tag) {
  if (c->upper == NULL) return kNoSlot;  // no wide tag has come yet
  UInt way = find_in_set(c->cell + first, c->stride, (UInt)tag);
  for (; way < c->ways; way++)
    if (tag_in(c, first + way) == tag) return first + way;
  return kNoSlot;
}

static inline __attribute__((always_inline)) UInt cache_find(const Cache* c, UInt first, ULong tag) {
  if (UNLIKELY(tag >= c->first_wide)) return cache_find_by_both_halves(c, first, tag);
  UInt way = find_in_set(c->cell + first, c->stride, (UInt)tag);
  return way == kNoSlot ? kNoSlot : first + way;
}

static inline __m128i smaller(__m128i a, __m128i b) {
  __m128i a_is_larger = _mm_cmpgt_epi32(a, b);
  return _mm_or_si128(_mm_and_si128(a_is_larger, b), _mm_andnot_si128(a_is_larger, a));
}

static inline UInt cache_oldest(const Cache* c, UInt first) {
  const UInt* stamps = c->cell + first + c->stride;
  const __m128i* four = (const __m128i*)stamps;
  __m128i least = smaller(_mm_load_si128(four), _mm_load_si128(four + 1));
  for (UInt k = kVector; k < c->stride; k += kVector) {
    four += 2;
    least = smaller(least, smaller(_mm_load_si128(four), _mm_load_si128(four + 1)));
  }
  least = smaller(least, _mm_shuffle_epi32(least, 0x4E));
  least = smaller(least, _mm_shuffle_epi32(least, 0xB1));
  return first + find_in_set(stamps, c->stride, (UInt)_mm_cvtsi128_si32(least));
}

static inline UInt* stamp_of(const Cache* c, UInt slot) { return &c->cell[slot + c->stride]; }
static inline Bool is_dirty(const Cache* c, UInt slot) { return *stamp_of(c, slot) & 1; }

// Times run out after some 10^9 uses: then every set's become their ranks.
static __attribute__((noinline, unused)) void cache_begin_anew(Cache* c) {
  UInt* rank = (UInt*)VG_(malloc)("plumbline.caches.rank", c->ways * sizeof rank[0]);
  for (ULong set = 0; set < c->sets; set++) {
    UInt* stamp = c->cell + set * c->stride * 2 + c->stride;
    for (UInt way = 0; way < c->ways; way++) {
      rank[way] = stamp[way] != 0;
      for (UInt other = 0; other < c->ways; other++) rank[way] += stamp[other] != 0 && stamp[other] < stamp[way];
    }
    for (UInt way = 0; way < c->ways; way++) stamp[way] = 2 * rank[way] | (stamp[way] & 1);
  }
  c->now = c->ways;
  VG_(free)(rank);
}

static inline void cache_touch(Cache* c, UInt slot, UInt dirty) {
  UInt* stamp = stamp_of(c, slot);
  *stamp = 2 * ++c->now | (*stamp & 1) | dirty;
}

static __attribute__((noinline)) void cache_write_upper_half(Cache* c, UInt slot, ULong tag) {
  if (c->upper == NULL) c->upper = (UInt*)VG_(calloc)("plumbline.caches.upper", n_cells(c), sizeof c->upper[0]);
  c->first_wide = 0;
  c->upper[slot] = (UInt)(tag >> 32);
}

static inline void cache_install(Cache* c, UInt slot, ULong tag, UInt dirty) {
  c->cell[slot] = (UInt)tag;
  c->filled[slot >> kStretchShift] = 1;
  if (UNLIKELY(tag >= c->first_wide)) cache_write_upper_half(c, slot, tag);
  *stamp_of(c, slot) = 2 * ++c->now | dirty;
}

// Takes a line out of a cache; answers whether it was dirty.
static inline Bool cache_drop(Cache* c, ULong line) {
  ULong tag;
  UInt first = locate(c, line, &tag), slot = cache_find(c, first, tag);
  if (slot == kNoSlot) return False;
  Bool dirty = is_dirty(c, slot);
  c->cell[slot] = 0;
  if (c->upper != NULL) c->upper[slot] = 0;
  *stamp_of(c, slot) = 0;
  return dirty;
}

#endif
