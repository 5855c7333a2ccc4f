// SPDX-License-Identifier: GPL-2.0-or-later
#include "reuse.h"

#include <emmintrin.h>

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { kWord = 64, kGroup = 64 * kWord, kBlock = 64 * kGroup };  // times that a bit map's word has; a group of words; a block of groups
enum { kMostLines = 1 << kReuseLongestBits, kMostTimes = 2 * kMostLines };
enum { kLinesOfPage = 64, kRecentPages = 16 };

// What is known of a line. `level` is the bucket of the largest distance that it came back from since it was written: caches of at most so
// many lines have it clean. kReuseNever: it was never written.
struct ReuseLine {
  UInt time;  // its own in the stack, or one of the two below
  UShort level;
  ReuseCode writer;  // who brought it where it was written
};
typedef ReuseLine Line;
static const UInt kNowhere = 0, kInFilter = 0xFFFFFFFFu;  // no line sinks at them

// Lines side by side.
typedef struct {
  Line line[kLinesOfPage];
} Page;

typedef struct {
  ULong number;  // + 1; 0 for none
  Page* page;
} PageSlot;

// Each time belongs to the line that sank at it, as long as that is in the stack. How many lines have sunk since is how many bits are set
// behind it: those of a word are counted, and whole words, groups and blocks have sums.
struct ReuseStack {
  ReuseCounts counts;
  ULong* live;  // a bit for each time
  UChar* of_word;
  UShort* of_group;
  UInt* of_block;
  ULong* line_at;  // of each time
  UInt times, now, n_live;
  UInt near_time, sunk_since_near;  // the time that was asked for last
  ULong sunk_since_settled;
  PageSlot* pages;
  ULong n_page_slots, n_pages;
  UShort* met[kReuseScales];  // how often each set was met in this window
  UInt in_window[kReuseScales];
  PageSlot recent[kRecentPages];  // those found last, each where some bits of its number say
};

// --------------------------------------------------------------------------------------------------------------------- codes

enum { kRead, kWrite, kWrittenFrom, kWrittenTo, kKinds };
enum { kOctaves = kReuseBuckets / kReuseOctave + 1, kMostCodes = 0xFFFF };

// Most codes meet few distances: only octaves that hold something have room.
typedef struct {
  ULong* octave[kOctaves];  // the kinds of each of its buckets; NULL: nothing fell into it
  ULong crowding[kReuseScales];
} CodeCounts;

static CodeCounts** codes_;  // the first is of code 1
static UInt n_codes_, codes_capacity_;

ReuseCode reuse_new_code(void) {
  if (n_codes_ == kMostCodes) return 0;
  if (n_codes_ == codes_capacity_) {
    codes_capacity_ = codes_capacity_ ? 2 * codes_capacity_ : 1024;
    codes_ = VG_(realloc)("plumbline.reuse.codes", codes_, codes_capacity_ * sizeof codes_[0]);
  }
  codes_[n_codes_++] = VG_(calloc)("plumbline.reuse.code", 1, sizeof(CodeCounts));
  return (ReuseCode)n_codes_;
}

static void count_of_code(ReuseCode code, UInt bucket, UInt kind) {
  if (code == 0) return;
  ULong** octave = &codes_[code - 1]->octave[bucket / kReuseOctave];
  if (UNLIKELY(*octave == NULL)) *octave = VG_(calloc)("plumbline.reuse.octave", kReuseOctave * kKinds, sizeof **octave);
  (*octave)[bucket % kReuseOctave * kKinds + kind]++;
}

void reuse_counts_of_code(ReuseCode code, ReuseCounts* counts) {
  VG_(memset)(counts, 0, sizeof *counts);
  if (code == 0) return;
  const CodeCounts* c = codes_[code - 1];
  ULong* kinds[kKinds] = {counts->read, counts->write, counts->written_from, counts->written_to};
  for (UInt b = 0; b <= kReuseBuckets; b++)
    for (UInt kind = 0; kind < kKinds && c->octave[b / kReuseOctave] != NULL; kind++)
      kinds[kind][b] = c->octave[b / kReuseOctave][b % kReuseOctave * kKinds + kind];
  VG_(memcpy)(counts->crowding, c->crowding, sizeof counts->crowding);
}

void reuse_forget_codes(void) {
  for (UInt code = 0; code < n_codes_; code++) {
    for (UInt k = 0; k < kOctaves; k++)
      if (codes_[code]->octave[k] != NULL) VG_(free)(codes_[code]->octave[k]);
    VG_(memset)(codes_[code], 0, sizeof *codes_[code]);
  }
}

// ----------------------------------------------------------------------------------------------------------------- distances

static UInt bucket_of(ULong distance) {
  if (distance < 2 * kReuseOctave) return (UInt)distance;
  UInt octave = 63 - (UInt)__builtin_clzll(distance);
  if (octave >= kReuseLongestBits) return kReuseBuckets - 1;
  return (octave - kReuseOctaveBits) * kReuseOctave + (UInt)(distance >> (octave - kReuseOctaveBits));
}

ULong reuse_bucket_begins(UInt bucket) {
  if (bucket < 2 * kReuseOctave) return bucket;
  UInt octave = bucket / kReuseOctave - 1;
  return (ULong)(bucket - octave * kReuseOctave) << octave;
}

static UInt bits_of(ULong word) {
  word -= word >> 1 & 0x5555555555555555ULL;
  word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
  return (UInt)((((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL) >> 56);
}

// The sum of fewer than 64 bytes; behind them 16 more can be read.
static UInt sum_of_bytes(const UChar* from, UInt n) {
  static const UChar below[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  __m128i sum = _mm_setzero_si128(), zero = _mm_setzero_si128();
  for (; n >= 16; n -= 16, from += 16) sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_loadu_si128((const __m128i*)from), zero));
  __m128i rest = _mm_and_si128(_mm_loadu_si128((const __m128i*)from), _mm_loadu_si128((const __m128i*)(below + 16 - n)));
  sum = _mm_add_epi64(sum, _mm_sad_epu8(rest, zero));
  return (UInt)_mm_cvtsi128_si64(sum) + (UInt)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum));
}

static UInt sum_of_shorts(const UShort* from, UInt n) {
  UInt sum = 0;
  __m128i sums = _mm_setzero_si128(), ones = _mm_set1_epi16(1);
  for (; n >= 8; n -= 8, from += 8) sums = _mm_add_epi32(sums, _mm_madd_epi16(_mm_loadu_si128((const __m128i*)from), ones));
  for (; n > 0; n--) sum += *from++;
  sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4E));
  sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xB1));
  return sum + (UInt)_mm_cvtsi128_si32(sums);
}

static UInt count_sunk_since(const ReuseStack* s, UInt time) {
  UInt word = time / kWord, group = time / kGroup, block = time / kBlock, last_block = (s->now - 1) / kBlock;
  UInt sum = bits_of(s->live[word] >> (time % kWord) >> 1) + sum_of_bytes(s->of_word + word + 1, (group + 1) * 64 - word - 1) +
             sum_of_shorts(s->of_group + group + 1, (block + 1) * 64 - group - 1);
  for (UInt later = block + 1; later <= last_block; later++) sum += s->of_block[later];
  return sum;
}

// Lines are mostly used again in the order in which they sank: the next time that is asked for lies a little behind the last one.
static UInt sunk_since(ReuseStack* s, UInt time) {
  UInt word = time / kWord;
  if (time >= s->near_time && s->near_time / kWord == word) {
    ULong up_to_time = ~0ULL >> (kWord - 1 - time % kWord), after_near = ~0ULL << s->near_time % kWord << 1;
    s->sunk_since_near -= bits_of(s->live[word] & up_to_time & after_near);
  } else {
    s->sunk_since_near = count_sunk_since(s, time);
  }
  s->near_time = time;
  return s->sunk_since_near;
}

static void set_live(ReuseStack* s, UInt time, Int by) {
  s->live[time / kWord] ^= 1ULL << time % kWord;
  s->of_word[time / kWord] = (UChar)(s->of_word[time / kWord] + by);
  s->of_group[time / kGroup] = (UShort)(s->of_group[time / kGroup] + by);
  s->of_block[time / kBlock] += (UInt)by;
  s->n_live += (UInt)by;
  if (time > s->near_time) s->sunk_since_near += (UInt)by;
}

// --------------------------------------------------------------------------------------------------------------------- pages

static ULong first_slot(const ReuseStack* s, ULong number) { return (number * 0x9E3779B97F4A7C15ULL >> 20) & (s->n_page_slots - 1); }

static PageSlot* slot_of(const ReuseStack* s, ULong number) {
  ULong at = first_slot(s, number);
  while (s->pages[at].number != 0 && s->pages[at].number != number + 1) at = (at + 1) & (s->n_page_slots - 1);
  return &s->pages[at];
}

static Bool is_in_use(const Page* page) {
  for (UInt k = 0; k < kLinesOfPage; k++)
    if (page->line[k].time != kNowhere || page->line[k].level != kReuseNever) return True;
  return False;
}

// Makes room for as many pages as there are, and as many again; those of which nothing is known any more are forgotten.
static void rebuild_pages(ReuseStack* s) {
  PageSlot* before = s->pages;
  ULong n_before = s->n_page_slots, n_used = 0;
  for (ULong k = 0; k < n_before; k++) {
    if (before[k].number == 0) continue;
    if (is_in_use(before[k].page)) {
      n_used++;
    } else {
      VG_(free)(before[k].page);
      before[k].number = 0;
    }
  }
  for (s->n_page_slots = 1024; s->n_page_slots < 4 * n_used;) s->n_page_slots *= 2;
  s->n_pages = n_used;
  s->pages = VG_(calloc)("plumbline.reuse.pages", s->n_page_slots, sizeof s->pages[0]);
  for (ULong k = 0; k < n_before; k++)
    if (before[k].number != 0) *slot_of(s, before[k].number - 1) = before[k];
  VG_(free)(before);
  VG_(memset)(s->recent, 0, sizeof s->recent);
}

static Page* find_page(ReuseStack* s, ULong line) {
  ULong number = line / kLinesOfPage;
  PageSlot* recent = &s->recent[(number ^ number >> 4 ^ number >> 8) % kRecentPages];
  if (LIKELY(recent->number == number + 1)) return recent->page;
  PageSlot* slot = slot_of(s, number);
  if (slot->number == 0) {
    if (2 * ++s->n_pages > s->n_page_slots) {
      rebuild_pages(s);
      s->n_pages++;
      slot = slot_of(s, number);
    }
    *slot = (PageSlot){number + 1, VG_(calloc)("plumbline.reuse.page", 1, sizeof(Page))};
    for (UInt k = 0; k < kLinesOfPage; k++) slot->page->line[k].level = kReuseNever;
  }
  *recent = *slot;
  return slot->page;
}

static Line* find_line(ReuseStack* s, ULong line) { return &find_page(s, line)->line[line % kLinesOfPage]; }

// --------------------------------------------------------------------------------------------------------------------- times

static void make_times(ReuseStack* s, UInt times) {
  s->times = times;
  s->live = VG_(calloc)("plumbline.reuse.live", times / kWord, sizeof s->live[0]);
  s->of_word = VG_(calloc)("plumbline.reuse.words", times / kWord + 16, sizeof s->of_word[0]);
  s->of_group = VG_(calloc)("plumbline.reuse.groups", times / kGroup, sizeof s->of_group[0]);
  s->of_block = VG_(calloc)("plumbline.reuse.blocks", times / kBlock, sizeof s->of_block[0]);
  s->line_at = VG_(malloc)("plumbline.reuse.lines", times * sizeof s->line_at[0]);
  s->now = 1;
  s->n_live = s->near_time = s->sunk_since_near = 0;
}

static void free_times(ReuseStack* s) {
  VG_(free)(s->live);
  VG_(free)(s->of_word);
  VG_(free)(s->of_group);
  VG_(free)(s->of_block);
  VG_(free)(s->line_at);
}

static void put_on_top(ReuseStack* s, Line* known, ULong line) {
  s->line_at[s->now] = line;
  known->time = s->now;
  set_live(s, s->now++, 1);
}

static void count_written_back(ReuseStack* s, Line* known, UInt up_to) {
  if (known->level >= up_to) return;
  s->counts.written_from[known->level]++;
  count_of_code(known->writer, known->level, kWrittenFrom);
  if (up_to != kReuseNever) {
    s->counts.written_to[up_to]++;
    count_of_code(known->writer, up_to, kWrittenTo);
  }
  known->level = (UShort)up_to;
}

// Times run out: lines get new ones, in order. More lines than any cache has are not kept: the oldest are as if they had never been there.
static void begin_times_anew(ReuseStack* s) {
  ReuseStack before = *s;
  UInt too_many = before.n_live > kMostLines ? before.n_live - kMostLines : 0;
  UInt times = before.times;
  while (before.n_live - too_many > times / 2 && times < (UInt)kMostTimes) times *= 2;
  make_times(s, times);
  for (UInt word = 0; word < before.times / kWord; word++)
    for (ULong bits = before.live[word]; bits != 0; bits &= bits - 1) {
      ULong line = before.line_at[word * kWord + (UInt)__builtin_ctzll(bits)];
      Line* known = find_line(s, line);
      if (too_many == 0) {
        put_on_top(s, known, line);
      } else {
        too_many--;
        known->time = kNowhere;
        count_written_back(s, known, kReuseNever);
      }
    }
  free_times(&before);
}

// ------------------------------------------------------------------------------------------------------------------ the stack

ReuseStack* reuse_new(void) {
  ReuseStack* s = VG_(calloc)("plumbline.reuse", 1, sizeof *s);
  s->n_page_slots = 1024;
  s->pages = VG_(calloc)("plumbline.reuse.pages", s->n_page_slots, sizeof s->pages[0]);
  make_times(s, kBlock);
  for (UInt scale = 0; scale < kReuseScales; scale++)
    s->met[scale] = VG_(calloc)("plumbline.reuse.sets", reuse_sets(scale), sizeof s->met[scale][0]);
  return s;
}

// A set that was met n times before in this window adds (n + 1)^2 - n^2 to the sum of squares.
static void note_sets(ReuseStack* s, ULong line, UInt distance, ReuseCode by) {
  for (UInt scale = 0; scale < kReuseScales && distance >= bucket_of(reuse_sets(scale)); scale++) {
    UInt sets = reuse_sets(scale);
    if (s->in_window[scale]++ == sets) {
      VG_(memset)(s->met[scale], 0, sets * sizeof s->met[scale][0]);
      s->in_window[scale] = 1;
    }
    ULong more = 2u * s->met[scale][line % sets]++ + 1;
    s->counts.crowding[scale] += more;
    if (by != 0) codes_[by - 1]->crowding[scale] += more;
  }
}

ReuseLine* reuse_fetch(ReuseStack* s, ULong line, Bool write, UInt above, ReuseCode by) {
  Line* known = find_line(s, line);
  UInt distance = kReuseNever;
  if (known->time != kNowhere) {
    distance = bucket_of((ULong)above + sunk_since(s, known->time));
    set_live(s, known->time, -1);
    count_written_back(s, known, distance);
  }
  known->time = kInFilter;
  (write ? s->counts.write : s->counts.read)[distance]++;
  count_of_code(by, distance, write ? kWrite : kRead);
  note_sets(s, line, distance, by);
  return known;
}

static void note_written(Line* known, ReuseCode by) {
  known->level = 0;
  known->writer = by;
}

void reuse_sink(ReuseStack* s, ReuseLine* known, ULong line, Bool written, ReuseCode by) {
  if (UNLIKELY(s->now == s->times)) begin_times_anew(s);
  if (written) note_written(known, by);
  put_on_top(s, known, line);
  s->sunk_since_settled++;
}

void reuse_drop(ReuseStack* s, ULong line, Bool written, ReuseCode by) {
  Line* known = find_line(s, line);
  if (written) note_written(known, by);
  count_written_back(s, known, kReuseNever);
  if (known->time != kNowhere && known->time != kInFilter) set_live(s, known->time, -1);
  known->time = kNowhere;
}

void reuse_write_above(ReuseStack* s, ULong line, ReuseCode by) { note_written(find_line(s, line), by); }

void reuse_write_back(ReuseStack* s) {
  for (ULong slot = 0; slot < s->n_page_slots; slot++)
    for (UInt k = 0; s->pages[slot].number != 0 && k < kLinesOfPage; k++) count_written_back(s, &s->pages[slot].page->line[k], kReuseNever);
}

void reuse_empty(ReuseStack* s) {
  for (ULong slot = 0; slot < s->n_page_slots; slot++) VG_(free)(s->pages[slot].page);
  VG_(memset)(s->pages, 0, s->n_page_slots * sizeof s->pages[0]);
  s->n_pages = 0;
  VG_(memset)(s->recent, 0, sizeof s->recent);
  free_times(s);
  make_times(s, kBlock);
  s->sunk_since_settled = 0;
}

void reuse_forget_counts(ReuseStack* s) { VG_(memset)(&s->counts, 0, sizeof s->counts); }

static void settle(ReuseStack* s, UInt above) {
  ULong distance = above;
  for (UInt word = (s->now - 1) / kWord + 1; word-- > 0;)
    for (ULong bits = s->live[word]; bits != 0;) {
      UInt highest = 63 - (UInt)__builtin_clzll(bits);
      bits ^= 1ULL << highest;
      count_written_back(s, find_line(s, s->line_at[word * kWord + highest]), bucket_of(distance++));
    }
  s->sunk_since_settled = 0;
}

const ReuseCounts* reuse_counts(ReuseStack* s, UInt above) {
  if (4 * s->sunk_since_settled >= s->n_live) settle(s, above);
  return &s->counts;
}
